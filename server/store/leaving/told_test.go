package leaving_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// toldCosts is what an owner is told that the things with a word in them have
// cost: in the list of conversations, on the pages of clips, and where they are
// found.
func toldCosts(t *testing.T, db *store.DB, owner, word string) (all []string) {
	t.Helper()
	page, err := db.Conversations(t.Context(), owner, wire.Page{})
	storetest.Must(t, err)
	for _, c := range page.Conversations {
		if strings.Contains(c.Title, word) {
			all = append(all, fmt.Sprintf("conversation %s: %d, estimated %v", c.Title, c.CostNanoUSD, c.Estimated))
		}
	}
	clips, err := db.Videos().Tasks(t.Context(), owner, wire.VideoQuery{})
	storetest.Must(t, err)
	for _, c := range clips.Tasks {
		if strings.Contains(c.Prompt, word) {
			o, err := db.Videos().Opened(t.Context(), owner, c.ID)
			storetest.Must(t, err)
			all = append(all, fmt.Sprintf("clip %s: charged %v, returned %v, shown %d, lineage %d", c.Prompt, c.Charged, c.Returned, o.ShownNanoUSD, o.LineageNanoUSD))
		}
	}
	for _, least := range []*int64{nil, storetest.Ptr(int64(1))} {
		found, err := db.Search(t.Context(), owner, wire.Search{Query: word, MinNanoUSD: least})
		storetest.Must(t, err)
		for _, h := range found.Hits {
			all = append(all, fmt.Sprintf("found %s: %d", h.Snippet, h.CostNanoUSD))
		}
	}
	slices.Sort(all)
	return all
}

// What somebody is handed costs for them what it cost for who paid, also from a
// third hand and where it had to take other ids; nothing can be booked for it
// again, and the ledger of who has it stays empty.
func TestHeirsAreToldWhatItCost(t *testing.T) {
	t.Parallel()
	for name, same := range map[string]bool{"ids of their own": false, "the same ids": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := storetest.Open(t, storetest.Folder(t), store.Options{})
			boss, ann, bob, cyd := join(t, db, "boss", "admin"), join(t, db, "ann", "member"), join(t, db, "bob", "member"), join(t, db, "cyd", "member")
			like := fill(t, db, ann, "ofann", made{})
			if same {
				fill(t, db, bob, "ofbob", like)
			}
			want := toldCosts(t, db, ann, "ofann")
			if got := strings.Join(want, "\n"); !strings.Contains(got, "ofann asked: 750, ") || !strings.Contains(got, "charged true, returned true") {
				t.Fatalf("to begin with:\n%s", got)
			}
			for _, step := range []account.Leaving{{Person: ann, Heir: bob, Erase: true, By: boss}, {Person: bob, Heir: cyd, Erase: true, By: boss}} {
				before := count(t, db, step.Heir).LedgerRows
				seeOff(t, db, step)
				if got := toldCosts(t, db, step.Heir, "ofann"); !slices.Equal(got, want) {
					t.Errorf("told are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				page, err := db.Conversations(t.Context(), step.Heir, wire.Page{})
				storetest.Must(t, err)
				for _, c := range page.Conversations {
					o, err := db.OpenConversation(t.Context(), step.Heir, wire.Page{Conversation: c.ID})
					storetest.Must(t, err)
					for _, m := range o.Messages {
						if m.Run == nil || !strings.HasPrefix(m.Text, "ofann") {
							continue
						}
						if _, err := db.Correct(t.Context(), step.Heir, wire.Correction{Subject: m.Run.ID, CostNanoUSD: 900}); storetest.Problem(err).Code != "paid_elsewhere" {
							t.Errorf("a correction of what somebody else paid: %v", err)
						}
					}
				}
				if after := count(t, db, step.Heir).LedgerRows; after != before {
					t.Errorf("the heir has %d rows more", after-before)
				}
			}
		})
	}
}
