package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"screentest/shared/money"
	"screentest/shared/wire"
)

// Decide releases, refuses or withdraws what waits, as who asks in ctx wants it.
// The same again gives it as it is; what was decided otherwise is a conflict.
func (s *Service) Decide(ctx context.Context, d wire.Decision) (wire.Approval, error) {
	who, from := s.People.Asking(ctx)
	v, err := s.Store.Approval(ctx, d.ID)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return v, err
	}
	leads := err == nil && s.People.Leads(ctx, v.Team)
	v = seen(v, who, leads)
	if !v.Mine && (!leads || d.State == wire.ApprovalWithdrawn) {
		return wire.Approval{}, &wire.Problem{Code: wire.CodeNotFound, Message: "There is no such request for approval."}
	}
	d.Reason = strings.TrimSpace(d.Reason)
	switch d.State {
	case wire.ApprovalWithdrawn:
	case wire.ApprovalReleased, wire.ApprovalRefused:
		if !leads {
			return v, &wire.Problem{Code: wire.CodeNotAllowed, Field: "state", Message: "A lead of the team " + v.TeamName + " decides this.", Hint: "Wait, or withdraw it."}
		}
	default:
		return v, &wire.Problem{Code: "bad_state", Field: "state", Message: "The state is none that a decision gives.",
			Allowed: []string{wire.ApprovalReleased, wire.ApprovalRefused, wire.ApprovalWithdrawn}}
	}
	if n := utf8.RuneCountInString(d.Reason); d.State == wire.ApprovalRefused && (n == 0 || n > wire.MaxReason || !utf8.ValidString(d.Reason)) {
		return v, &wire.Problem{Code: "bad_reason", Field: "reason", Message: fmt.Sprintf("The reason has %d characters; it has 1 to %d.", n, wire.MaxReason), Hint: "Say what is to be changed."}
	}
	if v.State != wire.ApprovalAsked {
		return decided(v, d)
	}
	if d.State == wire.ApprovalReleased {
		return s.release(ctx, v, d)
	}
	reason := d.Reason
	if d.State == wire.ApprovalWithdrawn {
		reason = ""
	}
	now, changed, err := s.Store.Decide(ctx, v.ID, d.State, who, from, reason)
	if err != nil {
		return v, err
	}
	now = seen(now, who, leads)
	if !changed {
		return decided(now, d)
	}
	s.tell(now)
	if d.State == wire.ApprovalRefused {
		s.notify(ctx, []string{v.Owner}, now, videoPath, "does not release your clip: "+words(now))
	}
	return now, nil
}

// WithdrawAll withdraws all that waits of an owner who leaves for good, by somebody
// else, and tells those who would decide.
func (s *Service) WithdrawAll(ctx context.Context, owner, by, from string) error {
	list, err := s.Store.List(ctx, owner, false, nil, wire.Page{Limit: 1})
	for _, v := range list.Approvals {
		if err != nil || v.State != wire.ApprovalAsked {
			continue
		}
		var changed bool
		if v, changed, err = s.Store.Decide(ctx, v.ID, wire.ApprovalWithdrawn, by, from, ""); changed {
			s.tell(v)
		}
	}
	return err
}

// decided answers a decision about what was decided already.
func decided(v wire.Approval, d wire.Decision) (wire.Approval, error) {
	if v.State == d.State {
		return v, nil
	}
	p := &wire.Problem{Code: "conflict", Field: "state", Message: v.By + " has refused it already.", Hint: "Who asked can ask again."}
	switch v.State {
	case wire.ApprovalReleased:
		p.Message, p.Hint = v.By+" has released it already.", "The clip is being made."
	case wire.ApprovalWithdrawn:
		p.Message = v.Asker + " has withdrawn it."
	}
	return v, p
}

// release makes the clip in the asker's name. Its price and all that holds of a
// send is looked at as of any; what refuses it is told to both, and it waits on.
func (s *Service) release(ctx context.Context, v wire.Approval, d wire.Decision) (wire.Approval, error) {
	who, from := s.People.Asking(ctx)
	c, err := s.Store.Request(ctx, v.ID)
	if err != nil {
		return v, err
	}
	by, err := s.People.PayerOf(ctx, v.Owner, v.Team)
	if err != nil {
		s.notSent(ctx, v, err)
		return v, err
	}
	var other *wire.VideoTask // the clip, at another price
	made := false
	_, err = s.Videos.Release(ctx, by, c, func(ctx context.Context, owner string, key int64, secret string, t wire.VideoTask, prices json.RawMessage) (wire.VideoTask, int64, bool, error) {
		if now, seen := t.PriceNanoUSD, d.PriceNanoUSD; now > seen || now == 0 && seen > 0 {
			other = &t
			return t, 0, false, priceChanged(now, seen)
		}
		stored, used, found, err := s.Store.Release(ctx, v.ID, who, from, owner, key, secret, t, prices)
		made = err == nil
		return stored, used, found, err
	})
	if other != nil {
		if now, failed := s.Store.Reprice(ctx, v.ID, *other); failed == nil {
			v = seen(now, who, true)
			s.tell(now)
		}
		return v, err
	}
	if made { // it is to be told, however long the call has taken
		unhurried, done := context.WithTimeout(context.WithoutCancel(ctx), tellWithin)
		defer done()
		ctx = unhurried
	}
	now, failed := s.Store.Approval(ctx, v.ID)
	if failed != nil {
		return v, errors.Join(err, failed)
	}
	if err == nil && now.State == wire.ApprovalAsked { // the clip was there already, by the same id
		now, made, err = s.Store.Decide(ctx, v.ID, wire.ApprovalReleased, who, from, "")
	}
	now = seen(now, who, true)
	switch {
	case made:
		s.tell(now)
		s.notify(ctx, []string{v.Owner}, now, videoPath+"/"+v.Clip.ID, "releases your clip: "+words(now))
		return now, nil
	case now.State != wire.ApprovalAsked: // another lead was faster
		return decided(now, d)
	}
	if p := s.notSent(ctx, now, err); p != nil {
		told := *p
		told.Message = "It can't be sent in the name of " + v.Asker + ", and waits on. They would be told: " + p.Message
		return now, &told
	}
	return now, err
}

// notSent tells who asked why their clip wasn't sent though somebody would release
// it; nil: it isn't for people to know.
func (s *Service) notSent(ctx context.Context, v wire.Approval, err error) (p *wire.Problem) {
	if errors.As(err, &p) {
		s.notify(ctx, []string{v.Owner}, v, videoPath, "would release your clip, and it can't be sent: "+wire.Cut(p.Message, 150))
	}
	return p
}

// tellWithin is how long it may take to tell of a clip that was released.
const tellWithin = 10 * time.Second

func priceChanged(now, seen int64) *wire.Problem {
	p := &wire.Problem{Code: wire.CodePriceChanged, Field: "price_nano_usd", Hint: "Look at it again, and release it at that price if you will. It waits on.",
		Message: fmt.Sprintf("It costs %s by now, and not %s.", money.NanoUSD(now), money.NanoUSD(seen))}
	if now == 0 {
		p.Message = "What it costs is not known by now."
	}
	return p
}
