package review_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Every state by everybody from every state.
func TestSteps(t *testing.T) {
	w := newWorld(t)
	w.must(w.ChangePerson(t.Context(), w.cleo, wire.PersonChange{Role: ptr(wire.RoleAdmin)}))
	all := []string{wire.ReviewDraft, wire.ReviewOpen, wire.ReviewApproved, wire.ReviewChanges}
	people := map[string]string{"owner": w.ann, "member": w.bob, "admin": w.cleo, "guest": w.gil, "lead": w.lea, "stranger": w.otto}
	may := map[string]string{} // "who: from → to" to the code
	for _, from := range all {
		for _, to := range all {
			presents := to == wire.ReviewDraft || to == wire.ReviewOpen
			right := map[string][]string{
				wire.ReviewDraft: {wire.ReviewOpen}, wire.ReviewOpen: {wire.ReviewDraft, wire.ReviewApproved, wire.ReviewChanges},
				wire.ReviewApproved: {wire.ReviewOpen}, wire.ReviewChanges: {wire.ReviewOpen},
			}
			for name := range people {
				code := ""
				switch {
				case name == "stranger":
					code = wire.CodeNotFound
				case name == "guest", (name == "owner") != presents:
					code = wire.CodeNotAllowed
				case !slices.Contains(right[from], to):
					code = "conflict"
				}
				may[fmt.Sprintf("%s: %s → %s", name, from, to)] = code
			}
		}
	}
	for _, from := range all {
		for _, to := range all {
			for name, owner := range people {
				clip := w.clip(w.ann, from+to)
				w.share(w.ann, clip, wire.NewShare{Live: true})
				of := w.look(w.ann, wire.Look{Clip: clip}).Review.ID
				by := w.bob // who has decided
				if name == "member" {
					by = w.lea
				}
				if from != wire.ReviewDraft {
					w.must(w.step(w.ann, of, 1, wire.ReviewOpen))
				}
				if from == wire.ReviewApproved || from == wire.ReviewChanges {
					w.must(w.step(by, of, 1, from))
				}
				key := fmt.Sprintf("%s: %s → %s", name, from, to)
				err := w.step(owner, of, 1, to)
				if name == "owner" && from == to && from == wire.ReviewOpen {
					may[key] = "" // it is so, by the same
				}
				if codeOf(err) != may[key] {
					t.Errorf("%s: %v, want %q", key, err, may[key])
				}
				var p *wire.Problem
				if errors.As(err, &p) && p.Code == "conflict" && from == wire.ReviewApproved && (!strings.Contains(p.Message, "approved") || !strings.Contains(p.Message, "Lea") && !strings.Contains(p.Message, "Bob")) {
					t.Errorf("%s: it isn't said who: %s", key, p.Message)
				}
			}
		}
	}
}

// Who leads the team that it is shared with decides on a clip of their own; one who
// was shut out of the team no more.
func TestLeadsDecideOnTheirOwn(t *testing.T) {
	w := newWorld(t)
	clip := w.clip(w.lea, "hers")
	of := w.look(w.lea, wire.Look{Clip: clip}).Review
	if of.Decides {
		t.Error("she decides what nobody sees")
	}
	share := w.share(w.lea, clip, wire.NewShare{Live: true})
	if r := w.look(w.lea, wire.Look{Clip: clip}).Review; !r.Decides || !r.Presents {
		t.Errorf("%+v", r)
	}
	stepped, err := w.Reviews().Step(t.Context(), w.lea, wire.ReviewStep{Review: of.ID, Version: 1, State: wire.ReviewOpen, Note: " please "})
	w.must(err)
	slices.Sort(stepped.Told)
	if want := []string{w.ann, w.bob, w.cleo}; !slices.Equal(stepped.Told, want) || stepped.Shares[w.ann] != share || stepped.Step.Note != "please" || stepped.Step.By != "Lea" || stepped.Was != wire.ReviewDraft {
		t.Errorf("asked are %v, want %v; %+v", stepped.Told, want, stepped)
	}
	w.must(w.step(w.lea, of.ID, 1, wire.ReviewApproved))
	for who, want := range map[string]struct {
		presents, decides bool
		people            int
	}{w.bob: {false, true, 5}, w.gil: {}} {
		if r := w.look(who, wire.Look{Share: share}).Review; r.Presents != want.presents || r.Decides != want.decides || len(r.Steps) != 2 || r.Versions[0].State != wire.ReviewApproved || len(r.People) != want.people {
			t.Errorf("%+v", r)
		}
	}
	// Not what follows, where the team isn't shown it.
	next := w.clip(w.lea, "hers, again", func(v *wire.VideoTask) { v.Source = clip })
	w.share(w.lea, next, wire.NewShare{Audience: wire.ShareWithPeople, To: []string{w.ids[w.ann]}})
	w.must(w.step(w.lea, of.ID, 2, wire.ReviewOpen), w.Shares().Revoke(t.Context(), w.lea, share))
	w.share(w.lea, clip, wire.NewShare{})
	if r := w.look(w.lea, wire.Look{Clip: next}).Review; r.Decides {
		t.Error("she decides what her team isn't shown")
	}
	if err := w.step(w.lea, of.ID, 2, wire.ReviewApproved); codeOf(err) != "not_allowed" {
		t.Errorf("a lead's own that her team isn't shown: %v", err)
	}
	// And clears what is said of another's.
	anns := w.share(w.ann, w.clip(w.ann, "Ann's"), wire.NewShare{})
	for who, want := range map[string]bool{w.lea: true, w.bob: false, w.gil: false} {
		if v := w.look(who, wire.Look{Share: anns}).Review.Versions[0]; v.Clears != want {
			t.Errorf("%+v", v)
		}
	}
	task := storetest.Taken(t, w.Videos(), w.lea, storetest.NewVideo("not made yet"))
	none := w.look(w.lea, wire.Look{Clip: task.ID}).Review.ID
	if err := w.step(w.lea, none, 1, wire.ReviewOpen); codeOf(err) != "conflict" {
		t.Errorf("a review of no clip: %v", err)
	}
	for field, s := range map[string]wire.ReviewStep{"state": {State: "best"}, "note": {State: wire.ReviewOpen, Note: strings.Repeat("x", wire.MaxReviewNote+1)}} {
		var p *wire.Problem
		s.Review, s.Version = of.ID, 1
		if _, err := w.Reviews().Step(t.Context(), w.lea, s); !errors.As(err, &p) || p.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
