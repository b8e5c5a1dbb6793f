package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// clipOf is a clip of somebody's that is saved.
func (w *instance) clipOf(p *someone, c wire.VideoCreate) wire.VideoTask {
	w.t.Helper()
	w.must(p.tab.Call(w.t.Context(), wire.OpVideoCreate, c, nil))
	return awaitTask(w.t, p.tab, c.ID, "saved", saved)
}

// showsTeam shares a clip live with the red team.
func (w *instance) showsTeam(p *someone, clip string) string {
	w.t.Helper()
	var made wire.Share
	res, body := w.ask(p.http, "POST", "/api/shares", "application/json", fmt.Sprintf(`{"kind":"clip","id":%q,"audience":"team","to":[%q],"live":true}`, clip, w.red))
	if res.StatusCode/100 != 2 {
		w.t.Fatalf("%s: %s", res.Status, body)
	}
	w.must(json.Unmarshal(body, &made))
	return made.ID
}

func (w *instance) looks(p *someone, at wire.Look) (r wire.Review) {
	w.t.Helper()
	w.must(p.tab.Call(w.t.Context(), wire.OpLook, at, &r))
	return r
}

// told waits for a comment that somebody is told of.
func (w *instance) told(p *someone, what string, as func(wire.Comment) bool) wire.Comment {
	w.t.Helper()
	c, err := wiretest.News(w.t.Context(), p.tab, wire.EventComment, as)
	if err != nil {
		w.t.Fatalf("%s isn't told of %s: %v", p.name, what, err)
	}
	return c
}

// Three people look at a clip and say things at once: each is told all, in one
// order, and what is hostile stays text. Others are told nothing.
func TestAReviewOfThree(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	ctx := t.Context()
	clip := w.clipOf(w.member, clipRequest("a fox"))
	share := w.showsTeam(w.member, clip.ID)
	of := w.looks(w.member, wire.Look{Clip: clip.ID})
	three := []*someone{w.member, w.mate, w.lead}
	for _, p := range three[1:] {
		if r := w.looks(p, wire.Look{Share: share}); r.ID != of.ID || len(r.Versions) != 1 || r.Versions[0].Owner != "member" || !r.Decides || r.Presents || len(r.People) != 4 {
			t.Errorf("%s sees %+v", p.name, r)
		}
	}
	if err := w.stranger.tab.Call(ctx, wire.OpLook, wire.Look{Share: share}, nil); codeOf(err) != wire.CodeNotFound {
		t.Errorf("a stranger looks: %v", err)
	}
	hostile := []string{"<script>alert(1)</script>", "\u202ereversed\u202c & <b>", "**not bold** [x](javascript:alert(1))", strings.Repeat("W", wire.MaxComment)}
	const each = 8
	var all sync.WaitGroup
	for _, p := range three {
		all.Go(func() {
			for i := range each {
				c := wire.Comment{ID: uuid.NewString(), Review: of.ID, Version: 1, Text: hostile[i%len(hostile)], AtMS: 1000}
				var got wire.Comment
				if err := p.tab.Call(ctx, wire.OpComment, c, &got); err != nil || got.Text != c.Text || got.Name != p.name || got.Author != p.id() {
					t.Errorf("%+v, %v", got, err)
				}
			}
		})
	}
	all.Wait()
	var orders [][]string
	for _, p := range three {
		eventually(t, func() bool { return len(w.said(p)) == 3*each }, func() string { return fmt.Sprintf("%s was told of %d", p.name, len(w.said(p))) })
		orders = append(orders, w.said(p))
	}
	var listed []string
	for _, c := range w.looks(w.mate, wire.Look{Share: share}).Comments {
		listed = append(listed, c.ID)
	}
	for i, o := range orders {
		if !slices.Equal(o, listed) {
			t.Errorf("%s was told\n\t%q, the list is\n\t%q", three[i].name, o, listed)
		}
	}
	if len(w.said(w.stranger))+len(w.said(w.admin)) > 0 {
		t.Error("who doesn't look was told")
	}

	// Somebody is mentioned, and told where they see it; so is the clip's owner.
	c := wire.Comment{ID: uuid.NewString(), Review: of.ID, Version: 1, Text: "@lead look", Mentions: []string{w.lead.id(), w.stranger.id()}}
	var got wire.Comment
	w.must(w.mate.tab.Call(ctx, wire.OpComment, c, &got))
	if !slices.Equal(got.Mentions, []string{w.lead.id()}) {
		t.Errorf("mentioned are %q", got.Mentions)
	}
	for _, n := range []struct {
		to         *someone
		kind, path string
	}{{w.lead, wire.NoticeMention, "/review/" + share}, {w.member, wire.NoticeReview, "/video/" + clip.ID}} {
		if got, err := wiretest.News(ctx, n.to.tab, wire.EventNotice, func(got wire.Notice) bool { return got.Kind == n.kind && got.Path == n.path && got.By == "mate" }); err != nil || strings.Contains(got.Text, "look") {
			t.Errorf("%s is told %+v, %v", n.to.name, got, err)
		}
	}
	// What is resolved, changed and deleted is seen so by all.
	w.must(w.lead.tab.Call(ctx, wire.OpCommentEdit, wire.CommentEdit{ID: c.ID, Resolved: ptr(true)}, nil))
	w.told(w.member, "what was resolved", func(n wire.Comment) bool { return n.ID == c.ID && n.Resolver == "lead" })
	w.must(w.mate.tab.Call(ctx, wire.OpCommentEdit, wire.CommentEdit{ID: c.ID, Text: ptr("else")}, nil))
	w.told(w.lead, "what was changed", func(n wire.Comment) bool { return n.ID == c.ID && n.Text == "else" })
	w.must(w.member.tab.Call(ctx, wire.OpCommentEdit, wire.CommentEdit{ID: c.ID, Deleted: true}, nil))
	w.told(w.mate, "what was deleted", func(n wire.Comment) bool { return n.ID == c.ID && n.Deleted && n.Text == "" })

	// Who looks away, or whose tab is closed, is told nothing.
	w.must(w.lead.tab.Call(ctx, wire.OpLookAway, wire.Target{ID: of.ID}, nil))
	w.mate.tab.Close()
	w.must(w.member.tab.Call(ctx, wire.OpComment, wire.Comment{ID: uuid.NewString(), Review: of.ID, Version: 1, Text: "last"}, nil))
	w.told(w.member, "their own", func(n wire.Comment) bool { return n.Text == "last" })
	w.must(w.lead.tab.Call(ctx, wire.OpPing, nil, nil)) // what was told them before has come
	if slices.ContainsFunc(w.lead.tab.Pushes(), func(p wire.Push) bool {
		return p.Event == wire.EventComment && strings.Contains(string(p.Data), `"last"`)
	}) {
		t.Error("who looked away was told")
	}
}

// said are the comments that somebody was told of, in that order.
func (w *instance) said(p *someone) (ids []string) {
	for _, push := range p.tab.Pushes() {
		var c wire.Comment
		if push.Event == wire.EventComment && json.Unmarshal(push.Data, &c) == nil {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// An extended clip, an upscaled one and one made again with its settings are the
// next versions, which others see once they are in review; who looks is told.
func TestNextVersionsAreSeen(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	ctx := t.Context()
	first := clipRequest("a fox")
	clip := w.clipOf(w.member, first)
	share := w.showsTeam(w.member, clip.ID)
	of := w.looks(w.mate, wire.Look{Share: share}).ID
	w.looks(w.member, wire.Look{Clip: clip.ID})
	seen := func(p *someone, at wire.Look) (states []string) {
		for _, v := range w.looks(p, at).Versions {
			states = append(states, fmt.Sprint(v.Version, v.State))
		}
		return states
	}
	again := first
	again.ID, again.VersionOf = uuid.NewString(), clip.ID
	extend := wire.VideoCreate{ID: uuid.NewString(), Body: gateway.VideoRequest{Model: "beta-video-480p-extend", Prompt: "and on", Seconds: "6", TaskID: clip.UUID}.Body(), Source: clip.ID}
	upscale := wire.VideoCreate{ID: uuid.NewString(), Body: gateway.VideoRequest{Model: "beta-video-upscale-480p-720p", Prompt: "a fox", Seconds: "1", TaskID: clip.UUID}.Body(), Source: clip.ID}
	others := clipRequest("not of this")
	others.VersionOf = clip.ID // somebody else's
	w.clipOf(w.mate, others)
	for _, c := range []wire.VideoCreate{again, extend, upscale} {
		before := w.events(w.mate, wire.EventVersions)
		w.clipOf(w.member, c)
		eventually(t, func() bool { return w.events(w.mate, wire.EventVersions) > before }, func() string { return "who looks isn't told of another version" })
	}
	if got := seen(w.member, wire.Look{Clip: upscale.ID}); !slices.Equal(got, []string{"1draft", "2draft", "3draft", "4draft"}) {
		t.Fatalf("its owner sees %q", got)
	}
	if got := seen(w.mate, wire.Look{Share: share}); !slices.Equal(got, []string{"1draft"}) {
		t.Errorf("others see drafts: %q", got)
	}
	w.must(w.member.tab.Call(ctx, wire.OpComment, wire.Comment{ID: uuid.NewString(), Review: of, Version: 3, Text: "to myself"}, nil))
	w.told(w.member, "what they say of a draft", func(c wire.Comment) bool { return c.Text == "to myself" })
	before := w.events(w.mate, wire.EventVersions)
	w.must(w.member.tab.Call(ctx, wire.OpReviewStep, wire.ReviewStep{Review: of, Version: 3, State: wire.ReviewOpen}, nil))
	eventually(t, func() bool { return w.events(w.mate, wire.EventVersions) > before }, func() string { return "who looks isn't told of what is in review" })
	if n := len(w.said(w.mate)); n > 0 {
		t.Errorf("what was said of a draft was told %d times", n)
	}
	r := w.looks(w.mate, wire.Look{Share: share})
	if got := r.Versions; len(got) != 2 || got[1].Version != 3 || got[1].State != wire.ReviewOpen || len(r.Comments) != 1 || got[1].Media[0] != "/s/"+share+"/media/3/0" {
		t.Errorf("in review others see %+v", r)
	}
	// The clip of a version is played by who sees it, and by nobody else.
	for _, c := range []struct {
		by      *someone
		version string
		status  int
	}{{w.mate, "3", 200}, {w.mate, "1", 200}, {w.mate, "2", 404}, {w.mate, "9", 404}, {w.stranger, "3", 404}} {
		if res, body := w.ask(c.by.http, "GET", "/s/"+share+"/media/"+c.version+"/0", "", ""); res.StatusCode != c.status || c.status == 200 && len(body) < 1000 {
			t.Errorf("version %s by %s: %s, %d bytes", c.version, c.by.name, res.Status, len(body))
		}
	}
	if n, err := wiretest.News(ctx, w.lead.tab, wire.EventNotice, func(n wire.Notice) bool { return n.Kind == wire.NoticeReview }); err != nil || n.Path != "/review/"+share || n.By != "member" {
		t.Errorf("who is asked is told %+v, %v", n, err)
	}
	// Its clip goes into the trash: it is seen no more.
	before = w.events(w.mate, wire.EventVersions)
	w.must(w.member.tab.Call(ctx, wire.OpVideoDelete, wire.Target{ID: extend.ID}, nil))
	eventually(t, func() bool { return w.events(w.mate, wire.EventVersions) > before }, func() string { return "who looks isn't told of what is in the trash" })
	if got := seen(w.mate, wire.Look{Share: share}); !slices.Equal(got, []string{"1draft"}) {
		t.Errorf("what is in the trash is seen: %q", got)
	}

	// What is shared goes there, and is taken out again: who sees it is told both.
	for _, op := range []wire.Op{wire.OpVideoDelete, wire.OpVideoUndelete} {
		before = w.events(w.mate, wire.EventShares)
		w.must(w.member.tab.Call(ctx, op, wire.Target{ID: clip.ID}, nil))
		eventually(t, func() bool { return w.events(w.mate, wire.EventShares) > before }, func() string { return fmt.Sprintf("who sees it isn't told of %s", op) })
	}
}

func (w *instance) events(p *someone, event wire.Event) (n int) {
	for _, push := range p.tab.Pushes() {
		if push.Event == event {
			n++
		}
	}
	return n
}

// Who may see a share no more is told so within a second, and nothing else.
func TestSightIsLostWhileLooking(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *instance, share string) error{
		"taken back": func(w *instance, share string) error {
			return w.shares.Revoke(w.t.Context(), w.member.who.Owner, share)
		},
		"out of the team": func(w *instance, _ string) error {
			w.does(w.admin, 204, "DELETE /api/teams/"+w.red+"/people/"+w.mate.id(), "", nil)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newOffice(t)
			ctx := t.Context()
			clip := w.clipOf(w.member, clipRequest("a fox"))
			share := w.showsTeam(w.member, clip.ID)
			of := w.looks(w.mate, wire.Look{Share: share}).ID
			say := func(text string) {
				t.Helper()
				w.must(w.member.tab.Call(ctx, wire.OpComment, wire.Comment{ID: uuid.NewString(), Review: of, Version: 1, Text: text}, nil))
			}
			say("before")
			w.told(w.mate, "what is said before", func(c wire.Comment) bool { return c.Text == "before" })
			told := w.events(w.mate, wire.EventShares)
			w.must(end(w, share))
			began := time.Now()
			eventually(t, func() bool { return w.events(w.mate, wire.EventShares) > told }, func() string { return "they aren't told that it is gone" })
			if took := time.Since(began); took > time.Second {
				t.Errorf("that took %s", took)
			}
			say("after")
			if err := w.mate.tab.Call(ctx, wire.OpLook, wire.Look{Share: share}, nil); codeOf(err) != wire.CodeNotFound {
				t.Errorf("they look on: %v", err)
			}
			if err := w.mate.tab.Call(ctx, wire.OpComment, wire.Comment{ID: uuid.NewString(), Review: of, Version: 1, Text: "x"}, nil); codeOf(err) != wire.CodeNotFound {
				t.Errorf("they comment on: %v", err)
			}
			if res, _ := w.ask(w.mate.http, "GET", "/api/reviews/"+of+".md", "", ""); res.StatusCode != http.StatusNotFound {
				t.Errorf("they export it: %s", res.Status)
			}
			if len(w.said(w.mate)) != 1 {
				t.Error("they are told what is said after")
			}
		})
	}
}

// A decision is told to all who look and, by a notice, to the clip's owner, and is
// in the audit by its ids alone; what it can't follow is refused in words.
func TestADecision(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	ctx := t.Context()
	clip := w.clipOf(w.member, clipRequest("a canary of a fox"))
	share := w.showsTeam(w.member, clip.ID)
	of := w.looks(w.member, wire.Look{Clip: clip.ID}).ID
	w.looks(w.lead, wire.Look{Share: share})
	step := func(p *someone, state, note string) (s wire.ReviewStep, err error) {
		err = p.tab.Call(ctx, wire.OpReviewStep, wire.ReviewStep{Review: of, Version: 1, State: state, Note: note}, &s)
		return s, err
	}
	if _, err := step(w.mate, wire.ReviewApproved, ""); codeOf(err) != "conflict" || !strings.Contains(err.Error(), "draft") {
		t.Errorf("a draft approved: %v", err)
	}
	if _, err := step(w.member, wire.ReviewOpen, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := step(w.member, wire.ReviewApproved, ""); codeOf(err) != wire.CodeNotAllowed {
		t.Errorf("approved by who made it: %v", err)
	}
	done, err := step(w.mate, wire.ReviewChanges, "too dark")
	if err != nil || done.By != "mate" || done.AtMS == 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if again, err := step(w.mate, wire.ReviewChanges, "too dark"); err != nil || again != done {
		t.Errorf("once more: %+v, %v", again, err)
	}
	for _, p := range []*someone{w.member, w.lead} {
		if _, err := wiretest.News(ctx, p.tab, wire.EventReview, func(s wire.ReviewStep) bool { return s == done }); err != nil {
			t.Errorf("%s isn't told: %v", p.name, err)
		}
	}
	if _, err := step(w.lead, wire.ReviewApproved, ""); codeOf(err) != "conflict" || !strings.Contains(err.Error(), "mate") {
		t.Errorf("decided by two: %v", err)
	}
	if n, err := wiretest.News(ctx, w.member.tab, wire.EventNotice, func(n wire.Notice) bool { return n.By == "mate" }); err != nil || !strings.Contains(n.Text, "asks for changes") || strings.Contains(n.Text, "dark") {
		t.Errorf("the owner is told %+v, %v", n, err)
	}
	eventually(t, func() bool {
		n := 0
		for _, a := range w.audited() { // which looks for the canary
			if a == "review.step" {
				n++
			}
		}
		return n == 2
	}, func() string { return "the audit has not two steps" })
}
