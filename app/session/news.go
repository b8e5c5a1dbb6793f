package session

import (
	"encoding/json"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// News is what the server tells unasked: a [Greeting], a [wire.Summary] of a
// conversation, a [wire.Run], [wire.Lanes], a [wire.Vote], a
// [wire.RankingChanged], a [wire.LibraryEntry], a [wire.TeamEntry], a [wire.VideoTask], a [wire.Archive], [wire.Budgets], a
// [wire.BudgetState], a [wire.Retention], a [wire.Comment], a
// [wire.ReviewStep], a [wire.Notice], a [wire.Approval], or one of those below. It is nil where the server tells
// something that this build does not know.
type News any

type (
	// Greeting comes first on every connection, and again when the gateway's
	// state changes, or what sends are charged to. The Catalogue is the same one
	// until it changes.
	Greeting struct {
		Gateway   wire.Gateway
		Catalogue *gateway.Catalogue
		// Runs says that the person runs the instance: an admin, or somebody
		// alone.
		Runs bool
		// Me is who is signed in; nil where there are no accounts.
		Me *wire.Me
		// Charge is what a send is charged to; see Session.Charge.
		Charge wire.Charge
	}
	// Deleted says that a conversation is gone.
	Deleted wire.Target
	// TaskDeleted says that a video task is among the deleted ones now.
	TaskDeleted wire.TaskGone
	// TaskPurged says that a video task is gone for good.
	TaskPurged wire.TaskGone
	// Versions says that a review has another version, or one less.
	Versions wire.Target
	// NoticesSeen says up to which notice, by its id, all were seen.
	NoticesSeen wire.Target
	// Missed says that some news may not have come. A Greeting follows.
	Missed struct{}
	// SharesChanged says that what is shared by one or with one is another.
	SharesChanged struct{}
)

// Hear decodes what the server tells unasked, and takes the greeting.
func (s *Session) Hear(p wire.Push) (News, error) {
	switch p.Event {
	case wire.EventHello:
		var h wire.Hello
		if err := json.Unmarshal(p.Data, &h); err != nil {
			return nil, err
		}
		s.greet(h)
		return s.greeting(), nil
	case wire.EventConversation:
		return decode[wire.Summary](p)
	case wire.EventDeleted:
		return decode[Deleted](p)
	case wire.EventRun:
		return decode[wire.Run](p)
	case wire.EventLanes:
		return decode[wire.Lanes](p)
	case wire.EventRanking:
		return decode[wire.RankingChanged](p)
	case wire.EventVote:
		return decode[wire.Vote](p)
	case wire.EventLibrary:
		return decode[wire.LibraryEntry](p)
	case wire.EventTeamEntry:
		return decode[wire.TeamEntry](p)
	case wire.EventTask:
		return decode[wire.VideoTask](p)
	case wire.EventTaskDeleted:
		return decode[TaskDeleted](p)
	case wire.EventTaskPurged:
		return decode[TaskPurged](p)
	case wire.EventArchive:
		return decode[wire.Archive](p)
	case wire.EventBudgets:
		return decode[wire.Budgets](p)
	case wire.EventBudget:
		return decode[wire.BudgetState](p)
	case wire.EventKeep:
		return decode[wire.Retention](p)
	case wire.EventComment:
		return decode[wire.Comment](p)
	case wire.EventReview:
		return decode[wire.ReviewStep](p)
	case wire.EventVersions:
		return decode[Versions](p)
	case wire.EventNotice:
		return decode[wire.Notice](p)
	case wire.EventSeen:
		return decode[NoticesSeen](p)
	case wire.EventApproval:
		return decode[wire.Approval](p)
	case wire.EventMissed:
		return Missed{}, nil
	case wire.EventShares:
		return SharesChanged{}, nil
	}
	return nil, nil
}

func decode[T any](p wire.Push) (News, error) {
	var v T
	if err := json.Unmarshal(p.Data, &v); err != nil {
		return nil, err
	}
	return v, nil
}
