package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// A share, as it is made here: the room of shares is another.
type share struct {
	id                 string
	conversation, clip string
	title              string // as it was, of what is not live
	audience, team     string
	person             string // owner of who it is for
	live               bool
	createdMS, ends    int64
}

func showed(t testing.TB, db *store.DB, owner string, s share) share {
	t.Helper()
	s.id = storetest.NewID()
	if s.createdMS == 0 {
		s.createdMS = time.Now().UnixMilli()
	}
	id := func(text string) any {
		if b, ok := engine.ParseID(text); ok {
			return b
		}
		return nil
	}
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
		n, err := w.Insert(`INSERT INTO shares (id, owner, conversation, task, audience, to_team, live, wire, created_ms, expires_ms, snapshot, title)
			VALUES (?1, ?2, (SELECT n FROM conversations WHERE owner = ?2 AND id = ?3), (SELECT n FROM video_tasks WHERE owner = ?2 AND id = ?4), ?5, (SELECT n FROM teams WHERE id = ?6), ?7, 0, ?8, ?9, ?10, ?11)`,
			id(s.id), engine.ParseOwner(owner), id(s.conversation), id(s.clip), s.audience, id(s.team), s.live, s.createdMS, s.ends,
			map[bool]any{true: nil, false: []byte("{}")}[s.live || s.clip != ""], s.title)
		if err == nil && s.person != "" {
			_, err = w.Exec("INSERT INTO share_people (share, person) VALUES (?, ?)", n, engine.ParseOwner(s.person))
		}
		return err
	}))
	return s
}

// found are the hits of a search as "who: snippet", of one's own without a name.
func found(t *testing.T, db *store.DB, owner string, q wire.Search) string {
	t.Helper()
	storetest.Indexed(t, db)
	page, err := db.Search(t.Context(), owner, q)
	storetest.Must(t, err)
	var all []string
	for _, h := range page.Hits {
		if (h.Share == "") != (h.By == "") || h.Share != "" && h.Conversation+h.Run+h.Video != "" || h.Share != "" && h.CostNanoUSD != 0 {
			t.Errorf("a hit tells %+v", h)
		}
		all = append(all, strings.TrimPrefix(h.By+" "+h.Kind+": "+h.Snippet, " "))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

func TestSearchFindsWhatIsShared(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ann, _ := storetest.Join(t, db, "Ann", "member")
	bob, bobID := storetest.Join(t, db, "Bob", "member")
	eve, _ := storetest.Join(t, db, "Eve", "member")
	red := storetest.Team(t, db, "red", wire.Limits{}, bobID)

	talk, _ := storetest.Talk(t, db, ann, "", "What does a walrus eat?", storetest.Says("A walrus eats clams."))
	storetest.Talk(t, db, ann, "", "walrus canary", storetest.Says("another conversation, with a walrus"))
	storetest.Talk(t, db, bob, "", "my own walrus", storetest.Says("It is yours."))
	clip := storetest.NewVideo("A walrus on ice")
	clip.Title, clip.Tags = "Opening", []string{"secretcampaign"}
	storetest.Taken(t, db.Videos(), ann, clip)
	clip.State, clip.Problem = wire.VideoFailed, &wire.Problem{Code: "task_failed", Message: "The filter refused it."}
	storetest.Must(t, changed(db.Videos().End(t.Context(), ann, clip, nil, time.Now().UnixMilli())))
	other := storetest.NewVideo("Another walrus, canary")
	storetest.Taken(t, db.Videos(), ann, other)

	const (
		own  = "question: my own walrus; title: my own walrus"
		hers = "Ann answer: A walrus eats clams.; Ann question: What does a walrus eat?; Ann title: What does a walrus eat?"
		film = "Ann video: A walrus on ice"
	)
	walrus := wire.Search{Query: "walrus"}
	check := func(what, who string, q wire.Search, want string) {
		t.Helper()
		if got := found(t, db, who, q); got != want {
			t.Errorf("%s:\nfound %s\nwant  %s", what, got, want)
		}
	}
	both := hers + "; " + film + "; " + own
	check("nothing is shared", bob, walrus, own)
	shown := showed(t, db, ann, share{conversation: talk.Conversation, audience: "people", person: bob, live: true})
	showed(t, db, ann, share{clip: clip.ID, audience: "team", team: red, live: true})
	check("shared", bob, walrus, both)
	check("with somebody else", eve, walrus, "")

	page, err := db.Search(t.Context(), bob, wire.Search{Query: "clams"})
	if err != nil || len(page.Hits) != 1 || page.Hits[0].Share != shown.id || page.Hits[0].Message != talk.Answer || page.Hits[0].By != "Ann" {
		t.Errorf("%+v, %v", page, err)
	}
	check("filters", bob, wire.Search{Query: "walrus", Kinds: []string{wire.HitAnswer}}, "Ann answer: A walrus eats clams.")
	check("clips alone", bob, wire.Search{Kinds: []string{wire.HitVideo}}, film)
	check("a model", bob, wire.Search{Query: "walrus", Model: clip.Model}, film)
	check("the best", bob, wire.Search{Query: "walrus", Rank: true}, both)
	check("a beginning", bob, wire.Search{Query: "walr"}, both)
	check("a cost", bob, wire.Search{Query: "walrus", MinNanoUSD: new(int64), Kinds: []string{wire.HitAnswer}}, "")
	check("errors", bob, wire.Search{Query: "filter"}, "")
	check("tags", bob, wire.Search{Query: "secretcampaign"}, "")
	check("with its tags", bob, wire.Search{Query: "walrus secretcampaign"}, "")
	check("her own tags", ann, wire.Search{Query: "secretcampaign"}, "video: secretcampaign")
	storetest.Must(t, storetest.Second(db.SetLanes(t.Context(), ann, wire.Lanes{Conversation: talk.Conversation, Lanes: []wire.Lane{{Model: "a"}, {Model: "b"}}, Blind: true})))
	check("a hidden model", bob, wire.Search{Query: "walrus", Model: storetest.RunOf(talk).Model}, "")
	check("beside hidden models", bob, walrus, both)

	// What ends ends at once.
	write := func(query string, args ...any) {
		t.Helper()
		storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error { return storetest.Second(w.Exec(query, args...)) }))
	}
	storetest.Must(t, db.TakeFromTeam(t.Context(), red, bobID))
	check("out of the team", bob, walrus, hers+"; "+own)
	write("UPDATE shares SET expires_ms = ?", time.Now().UnixMilli()-1)
	check("expired", bob, walrus, own)
	write("UPDATE shares SET expires_ms = ?", time.Now().Add(time.Hour).UnixMilli())
	check("not yet expired", bob, walrus, hers+"; "+own)
	write("UPDATE users SET active = 0 WHERE n = ?", engine.ParseOwner(ann))
	check("whose owner was deactivated", bob, walrus, own)
	write("UPDATE users SET active = 1")
	write("DELETE FROM shares")
	check("revoked", bob, walrus, own)
	check("and hers stays", ann, wire.Search{Query: "clams"}, "answer: A walrus eats clams.")

	showed(t, db, ann, share{conversation: talk.Conversation, audience: "everyone", live: true})
	check("with everybody", eve, walrus, hers)
	storetest.Must(t, db.DeleteConversation(t.Context(), ann, talk.Conversation))
	check("deleted", eve, walrus, "")
}

// What was said after a snapshot, or had not ended by then, isn't found.
func TestSearchFindsWhatASnapshotShows(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ann, _ := storetest.Join(t, db, "Ann", "member")
	bob, _ := storetest.Join(t, db, "Bob", "member")
	at := time.Now().UnixMilli() - 1_000_000
	says := func(answer string, from, until int64) func(*wire.Run) string {
		return func(r *wire.Run) string {
			r.StartedMS, r.DurationMS = at+from, until-from
			return answer
		}
	}
	first, _ := storetest.Talk(t, db, ann, "", "walrus one", says("walrus two", 0, 10))
	storetest.Talk(t, db, ann, first.Conversation, "walrus three", says("walrus canary, that was under way", 20, 60))
	storetest.Talk(t, db, ann, first.Conversation, "walrus canary, asked later", says("walrus canary, said later", 100, 110))
	showed(t, db, ann, share{conversation: first.Conversation, audience: "people", person: bob, createdMS: at + 50, title: "walrus one"})
	if got := found(t, db, bob, wire.Search{Query: "walrus"}); got != "Ann answer: walrus two; Ann question: walrus one; Ann question: walrus three; Ann title: walrus one" {
		t.Errorf("found %s", got)
	}
	storetest.Must(t, storetest.Second(db.RenameConversation(t.Context(), ann, wire.Rename{ID: first.Conversation, Title: "walrus canary, renamed"})))
	clip := storetest.NewVideo("A walrus on ice")
	storetest.Taken(t, db.Videos(), ann, clip)
	showed(t, db, ann, share{clip: clip.ID, audience: "people", person: bob, title: "A walrus on ice"})
	storetest.Must(t, storetest.Second(db.Videos().Edit(t.Context(), ann, wire.VideoEdit{ID: clip.ID, Title: storetest.Ptr("canary")})))
	if got := found(t, db, bob, wire.Search{Query: "canary"}); got != "" {
		t.Errorf("a title that was given later: %s", got)
	}
	storetest.Indexed(t, db)
	page, err := db.Search(t.Context(), bob, wire.Search{})
	storetest.Must(t, err)
	for _, h := range page.Hits {
		if strings.Contains(h.Title, "canary") {
			t.Errorf("a hit is told with a title that was given later: %+v", h)
		}
	}
	showed(t, db, ann, share{conversation: first.Conversation, audience: "everyone", live: true})
	if got := found(t, db, bob, wire.Search{Query: "canary"}); strings.Count(got, "canary") != 4 {
		t.Errorf("shown live as well: %s", got)
	}
}

// Pages go on through both, and each hit comes once.
func TestSearchPagesThroughWhatIsShared(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ann, _ := storetest.Join(t, db, "Ann", "member")
	bob, _ := storetest.Join(t, db, "Bob", "member")
	at := time.Now().UnixMilli()
	for i := range 24 {
		who := []string{ann, bob, ann}[i%3]
		s, _ := storetest.Talk(t, db, who, "", "question", func(r *wire.Run) string {
			r.StartedMS = at + int64(i)*1000
			return fmt.Sprint("apple number ", i)
		})
		if who == ann {
			showed(t, db, ann, share{conversation: s.Conversation, audience: "everyone", live: true})
		}
	}
	storetest.Indexed(t, db)
	q, seen, last := wire.Search{Query: "apple", Limit: 5}, map[string]bool{}, int64(1)<<62
	for pages := 0; ; pages++ {
		page, err := db.Search(t.Context(), bob, q)
		storetest.Must(t, err)
		for _, h := range page.Hits {
			if seen[h.Message] || h.CreatedMS > last {
				t.Errorf("%s again, or out of order", h.Snippet)
			}
			seen[h.Message], last = true, h.CreatedMS
		}
		if page.Before == "" {
			break
		}
		if len(page.Hits) != 5 || pages > 9 {
			t.Fatalf("page %d has %d hits", pages, len(page.Hits))
		}
		q.Before = page.Before
	}
	if len(seen) != 24 {
		t.Errorf("%d of 24 were found", len(seen))
	}
}
