package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"screentest/server/people"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// A notice is told to all tabs of who it is for and to nobody else, says who did
// it, and is kept until it is seen, in all tabs at once.
func TestNoticesAreTold(t *testing.T) {
	t.Parallel()
	w := newInstance(t, serveConfig{})
	ctx := t.Context()
	second, err := wiretest.Dial(ctx, w.url, w.member.http)
	w.must(err)
	defer second.Close()
	by := people.With(ctx, w.lead.who)
	w.notices.Notify(by, []string{w.member.who.Owner, w.lead.who.Owner, w.member.who.Owner, w.mate.who.Owner},
		wire.Notice{Kind: wire.NoticeShare, Path: "//evil.example.com", Subject: "1", By: "somebody else", Seen: true, Text: "shares\n\t“Harbour” " + strings.Repeat("ü", 300)})
	var n wire.Notice
	for _, tab := range []*wiretest.Client{w.member.tab, second} {
		n, err = wiretest.News(ctx, tab, wire.EventNotice, func(wire.Notice) bool { return true })
		w.must(err)
		if n.By != "lead" || n.Path != "/" || n.Seen || !strings.HasPrefix(n.Text, "shares “Harbour” üü") || len(n.Text) > wire.MaxNotice || n.Subject != "1" {
			t.Errorf("%+v", n)
		}
	}
	list := func(p *someone) (v wire.Notices) {
		w.must(p.tab.Call(ctx, wire.OpNotices, wire.Page{}, &v))
		return v
	}
	if v := list(w.member); v.Unseen != 1 || len(v.Notices) != 1 || v.Notices[0] != n {
		t.Errorf("%+v", v)
	}
	if v := list(w.lead); len(v.Notices) != 0 {
		t.Errorf("who did it is told %+v", v)
	}
	if err := w.mate.tab.Call(ctx, wire.OpNoticesSeen, wire.Target{ID: n.ID}, nil); codeOf(err) != wire.CodeNotFound {
		t.Errorf("another's is seen: %v", err)
	}
	w.must(w.member.tab.Call(ctx, wire.OpNoticesSeen, wire.Target{ID: n.ID}, nil))
	if _, err := wiretest.News(ctx, second, wire.EventSeen, func(v wire.Target) bool { return v.ID == n.ID }); err != nil {
		t.Errorf("the other tab isn't told: %v", err)
	}
	if v := list(w.member); v.Unseen != 0 || !v.Notices[0].Seen {
		t.Errorf("%+v", v)
	}
	if v := list(w.mate); v.Unseen != 1 {
		t.Errorf("the mate's: %+v", v)
	}
	for _, p := range []*someone{w.lead, w.stranger, w.admin, w.guest} {
		if slices.ContainsFunc(p.tab.Pushes(), func(p wire.Push) bool { return p.Event == wire.EventNotice || p.Event == wire.EventSeen }) {
			t.Errorf("%s was told", p.name)
		}
	}
}

// Where nobody has an account there are no notices.
func TestAloneThereAreNoNotices(t *testing.T) {
	t.Parallel()
	d := newPlayground(t, serveConfig{})
	c := dial(t, d.url, wiretest.NewHTTP())
	for _, op := range []wire.Op{wire.OpNotices, wire.OpNoticesSeen} {
		if err := c.Call(context.Background(), op, nil, nil); codeOf(err) != "unknown_call" {
			t.Errorf("%s: %v", op, err)
		}
	}
}
