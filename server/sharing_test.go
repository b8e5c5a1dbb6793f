package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/rights"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// shows has somebody share something, and gives the share.
func (w *instance) shows(p *someone, n wire.NewShare) (made wire.Share) {
	w.t.Helper()
	body, err := json.Marshal(n)
	w.must(err)
	w.does(p, 200, "POST /api/shares", string(body), &made)
	return made
}

func (w *instance) listed(p *someone) (all wire.Shares) {
	w.t.Helper()
	w.does(p, 200, "GET /api/shares", "", &all)
	return all
}

// allowsLinks is what an admin says of links.
func (w *instance) allowsLinks(may bool) {
	w.t.Helper()
	w.does(w.admin, 200, "PUT /api/instance", fmt.Sprintf(`{"link_shares":%v}`, may), nil)
}

func (w *instance) asked(p *someone, prompt string) (s wire.Start) {
	w.t.Helper()
	s = turn(gateway.Chat, prompt)
	s.Charge = w.red
	play(w.t, p.tab, s)
	end(w.t, p.tab, s)
	return s
}

const hostile = `<script>alert("&")</script>`

// By name it appears in the lists of those it is for, who get a notice, and goes
// when it is taken back, without anybody loading a page.
func TestSharingByName(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	s := w.asked(w.member, "Compare "+hostile)
	w.must(w.member.tab.Call(t.Context(), wire.OpRename, wire.Rename{ID: s.Conversation, Title: hostile}, nil))
	before := map[*someone]int{} // that people came was told, too
	told := func(p *someone) int {
		n := -before[p]
		for _, push := range p.tab.Pushes() {
			if push.Event == wire.EventShares {
				n++
			}
		}
		return n
	}
	for _, p := range []*someone{w.member, w.mate, w.lead, w.stranger, w.admin} {
		before[p] = told(p)
	}
	var made wire.Share
	w.does(w.member, 200, "POST /api/shares", fmt.Sprintf(`{"kind":"conversation","id":%q,"audience":"people","to":%q,"live":true,"wire":false}`, s.Conversation, w.mate.id()), &made)
	if made.Link != w.url+wire.SharePath+made.ID || !made.Mine {
		t.Errorf("made is %+v", made)
	}
	eventually(t, func() bool { return told(w.mate) == 1 && told(w.member) == 1 }, func() string { return "the mate and the member are told of it" })
	mine, theirs := w.listed(w.member), w.listed(w.mate)
	if len(mine.Mine) != 1 || !slices.Equal(mine.Mine[0].To, []string{"mate"}) || mine.Mine[0].Subject != s.Conversation || mine.Mine[0].Title != hostile || len(mine.WithMe) != 0 {
		t.Errorf("the member's: %+v", mine)
	}
	if len(theirs.WithMe) != 1 || theirs.WithMe[0].Title != hostile || theirs.WithMe[0].Owner != "member" || theirs.WithMe[0].Mine || theirs.WithMe[0].Subject != "" || theirs.WithMe[0].To != nil {
		t.Errorf("the mate's: %+v", theirs)
	}
	var of wire.Shares
	w.does(w.member, 200, "GET /api/shares?kind=conversation&id="+s.Conversation, "", &of)
	if len(of.Mine) != 1 || of.Mine[0].ID != made.ID {
		t.Errorf("who sees it: %+v", of)
	}
	for _, p := range []*someone{w.lead, w.stranger, w.admin} {
		if got := w.listed(p); len(got.WithMe) > 0 || told(p) > 0 {
			t.Errorf("%s sees %+v, and was told %d times", p.name, got, told(p))
		}
	}
	var notices wire.Notices
	eventually(t, func() bool {
		w.must(w.mate.tab.Call(t.Context(), wire.OpNotices, wire.Page{}, &notices))
		return len(notices.Notices) == 1
	}, func() string { return fmt.Sprintf("the notices are %+v", notices) })
	if n := notices.Notices[0]; n.Kind != wire.NoticeShare || n.By != "member" || n.Path != wire.SharePath+made.ID || n.Text != hostile {
		t.Errorf("the notice is %+v", n)
	}

	over := make(chan struct{})
	release := w.shares.Hold(made.ID, w.mate.who.Owner, func() { close(over) })
	defer release()
	w.does(w.mate, 404, "DELETE /api/shares/"+made.ID, "", nil)
	began := time.Now()
	w.does(w.member, 204, "DELETE /api/shares/"+made.ID, "", nil)
	<-over
	if took := time.Since(began); took > time.Second {
		t.Errorf("who looked at it was sent away after %v", took)
	}
	eventually(t, func() bool { return told(w.mate) == 2 && len(w.listed(w.mate).WithMe) == 0 }, func() string { return "it is still there" })
	w.does(w.member, 404, "DELETE /api/shares/"+made.ID, "", nil)

	actions := w.audited()
	if !slices.Contains(actions, "share.made") || !slices.Contains(actions, "share.revoked") {
		t.Errorf("the audit has %q", actions)
	}
	if _, text := w.ask(w.admin.http, "GET", "/api/audit?limit=100", "", ""); bytes.Contains(text, []byte("script")) || !bytes.Contains(text, []byte(w.mate.id())) {
		t.Errorf("the audit says %s", text)
	}
}

// A link is there while an admin allows links, is shown once, and kept nowhere.
func TestSharingByLink(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	s := w.asked(w.member, "For the world")
	n := wire.NewShare{Kind: wire.ShareConversation, ID: s.Conversation, Audience: wire.ShareByLink, Live: true}
	body, _ := json.Marshal(n)
	if p := w.does(w.member, 403, "POST /api/shares", string(body), nil); p.Code != wire.CodeNotAllowed || p.Field != "audience" || p.Hint == "" {
		t.Errorf("links aren't allowed: %+v", p)
	}
	w.allowsLinks(true)
	greeted(t, w.member, "links are allowed", func(h wire.Hello) bool { return h.LinkShares })
	made := w.shows(w.member, n)
	token, ok := strings.CutPrefix(made.Link, w.url+wire.SharePath)
	if !ok || len(token) < 20 || token == made.ID {
		t.Fatalf("the link is %q", made.Link)
	}
	for who, owner := range map[string]string{"nobody": "", "a stranger": w.stranger.who.Owner} {
		if v, err := w.shares.See(t.Context(), token, owner); err != nil || v.Subject != s.Conversation || !v.ByLink {
			t.Errorf("%s sees %+v, %v", who, v, err)
		}
		if _, err := w.shares.See(t.Context(), made.ID, owner); err == nil {
			t.Errorf("%s sees it by its id", who)
		}
	}
	if l := w.listed(w.member); len(l.Mine) != 1 || l.Mine[0].Link != "" {
		t.Errorf("the link is told again: %+v", l.Mine)
	}
	var copied wire.Target
	w.does(w.stranger, 200, "POST /api/shares/"+token+"/copy", "", &copied)
	var opened wire.Opened
	w.must(w.stranger.tab.Call(t.Context(), wire.OpOpen, wire.Page{Conversation: copied.ID}, &opened))
	if c := opened.Summary.Copied; c == nil || c.Share != "" || c.Owner != "member" {
		t.Errorf("the copy comes from %+v", c)
	}
	w.inNoFile(token)

	over := make(chan struct{})
	defer w.shares.Hold(made.ID, "", func() { close(over) })()
	w.allowsLinks(false)
	select {
	case <-over:
	case <-time.After(time.Second):
		t.Error("who looks at it by the link goes on")
	}
	w.allowsLinks(true)
	if _, err := w.shares.See(t.Context(), token, ""); err == nil {
		t.Error("it is back")
	}
	w.does(w.stranger, 404, "POST /api/shares/"+token+"/copy", "", nil)
}

func TestWhatCannotBeShared(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	s := w.asked(w.member, "Mine")
	const of = `{"kind":"conversation","id":"%s",%s}`
	many := `"` + strings.Repeat(w.mate.id()+`","`, wire.MaxSharePeople) + w.mate.id() + `"`
	for fields, want := range map[string]struct {
		status      int
		field, says string
	}{
		`"audience":"all"`:                         {400, "audience", "people, team, everyone or link"},
		`"audience":"people"`:                      {400, "to", "1 to 200"},
		`"audience":"people","to":[` + many + `]`:  {400, "to", "1 to 200"},
		`"audience":"people","to":["x"]`:           {404, "to[0]", "person"},
		`"audience":"team","to":[]`:                {400, "to", "one team"},
		`"audience":"team","to":"` + w.blue + `"`:  {404, "to", "team"},
		`"audience":"everyone","to":["x"]`:         {400, "to", "Nobody"},
		`"audience":"everyone","hours":-1`:         {400, "hours", "8760"},
		`"audience":"everyone","hours":8761`:       {400, "hours", "8760"},
		`"audience":"people","to":7`:               {400, "to", ""},
		`"kind":"secret","audience":"everyone"`:    {400, "kind", "conversation or clip"},
		`"kind":"clip","audience":"everyone"`:      {404, "id", "clip"},
		`"audience":"everyone","id":"not an id"`:   {404, "id", "conversation"},
		`"audience":"people","to":"` + "me" + `"`:  {404, "to[0]", "person"},
		`"audience":"people","to":["%member-id%"]`: {400, "to[0]", "yours"},
	} {
		fields = strings.ReplaceAll(fields, "%member-id%", w.member.id())
		p := w.does(w.member, want.status, "POST /api/shares", fmt.Sprintf(of, s.Conversation, fields), nil)
		if p.Field != want.field || !strings.Contains(p.Message+p.Hint, want.says) {
			t.Errorf("%.80s: %+v", fields, p)
		}
	}
	// Of somebody else's it is as of nobody's.
	p := w.does(w.mate, 404, "POST /api/shares", fmt.Sprintf(of, s.Conversation, `"audience":"everyone"`), nil)
	q := w.does(w.mate, 404, "POST /api/shares", fmt.Sprintf(of, w.red, `"audience":"everyone"`), nil)
	if p.Message != q.Message || p.Field != "id" || rights.OfAddress("POST /api/shares") != rights.Send {
		t.Errorf("%+v; of nobody's: %+v", p, q)
	}
	if l := w.listed(w.member); len(l.Mine) > 0 {
		t.Errorf("something was shared: %+v", l.Mine)
	}
}

// A reader goes on in a copy of their own, which they pay for themselves; whose it
// was stays told, and the share while they see it.
func TestGoingOnInACopyOfWhatIsShared(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	s := w.asked(w.member, "The first question")
	made := w.shows(w.member, wire.NewShare{Kind: wire.ShareConversation, ID: s.Conversation, Audience: wire.ShareWithTeam, To: wire.IDs{w.red}})
	var copied wire.Target
	w.does(w.mate, 200, "POST /api/shares/"+made.ID+"/copy", fmt.Sprintf(`{"message":%q}`, s.Answer), &copied)
	open := func() (o wire.Opened) {
		w.must(w.mate.tab.Call(t.Context(), wire.OpOpen, wire.Page{Conversation: copied.ID}, &o))
		return o
	}
	o := open()
	if len(o.Messages) != 2 || o.Messages[0].Text != "The first question" || o.Messages[1].Run == nil || o.Messages[1].Run.CostNanoUSD == 0 {
		t.Fatalf("copied is %+v", o.Messages)
	}
	if c := o.Summary.Copied; c == nil || *c != (wire.Copied{Share: made.ID, Title: "The first question", Owner: "member"}) {
		t.Errorf("it comes from %+v", c)
	}
	if page, err := w.spend(w.mate, wire.Of{}); err != nil || page.Range.Rows != 0 {
		t.Errorf("the mate has spent %+v, %v", page.Range, err)
	}
	next := turn(gateway.Chat, "And then?")
	next.Conversation, next.User.Parent, next.Charge = copied.ID, o.Messages[1].ID, w.red
	play(t, w.mate.tab, next)
	end(t, w.mate.tab, next)
	if page, err := w.spend(w.mate, wire.Of{}); err != nil || page.Range.Rows != 1 {
		t.Errorf("the mate has spent %+v, %v", page.Range, err)
	}
	w.does(w.stranger, 404, "POST /api/shares/"+made.ID+"/copy", "{}", nil)
	w.does(w.mate, 400, "POST /api/shares/"+made.ID+"/copy", `{"lane":7}`, nil)
	w.does(w.mate, 404, "POST /api/shares/"+made.ID+"/reuse", "", nil)

	// What came after the snapshot isn't in it.
	more := turn(gateway.Chat, "A secret afterthought")
	more.Conversation, more.User.Parent, more.Charge = s.Conversation, s.Answer, w.red
	play(t, w.member.tab, more)
	end(t, w.member.tab, more)
	var again wire.Target
	w.does(w.mate, 200, "POST /api/shares/"+made.ID+"/copy", "", &again)
	if _, text := w.ask(w.mate.http, "GET", "/api/conversations/"+again.ID+".json", "", ""); bytes.Contains(text, []byte("afterthought")) {
		t.Errorf("the copy of a snapshot has %s", text)
	}
	w.does(w.member, 204, "DELETE /api/shares/"+made.ID, "", nil)
	if c := open().Summary.Copied; c == nil || c.Share != "" || c.Owner != "member" {
		t.Errorf("it comes from %+v", c)
	}
}

// A clip's settings are given without addresses and the gateway's ids; what is made
// with them says so.
func TestUsingTheSettingsOfASharedClip(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	c := clipRequest("A fox at dawn")
	c.Charge = w.red
	w.must(w.member.tab.Call(t.Context(), wire.OpVideoCreate, c, nil))
	task := awaitTask(t, w.member.tab, c.ID, "saved", saved)
	made := w.shows(w.member, wire.NewShare{Kind: wire.ShareClip, ID: c.ID, Audience: wire.ShareWithTeam, To: wire.IDs{w.red}, Live: true})
	var r wire.Reuse
	w.does(w.mate, 200, "POST /api/shares/"+made.ID+"/reuse", "", &r)
	raw, _ := json.Marshal(r)
	if r.Copied.Owner != "member" || r.Create.CopiedFrom != made.ID || r.Create.ID != "" || r.Create.Charge != "" || !bytes.Contains(r.Create.Body, []byte("A fox at dawn")) {
		t.Errorf("the settings are %s", raw)
	}
	for _, secret := range []string{task.ID, task.Remote, task.UUID, "http", w.red} {
		if secret != "" && bytes.Contains(raw, []byte(secret)) {
			t.Errorf("they tell of %s: %s", secret, raw)
		}
	}
	w.does(w.stranger, 404, "POST /api/shares/"+made.ID+"/reuse", "", nil)
	w.does(w.mate, 404, "POST /api/shares/"+made.ID+"/copy", "", nil)

	for from, want := range map[*someone]bool{w.mate: true, w.stranger: false} {
		r.Create.ID, r.Create.Charge = clipRequest("").ID, w.red
		if from == w.stranger {
			r.Create.Charge = w.blue
		}
		var own wire.VideoTask
		w.must(from.tab.Call(t.Context(), wire.OpVideoCreate, r.Create, &own))
		var opened wire.VideoOpened
		w.must(from.tab.Call(t.Context(), wire.OpVideoTask, wire.Target{ID: own.ID}, &opened))
		if got := opened.Task.Copied; (got != nil) != want || want && *got != (wire.Copied{Share: made.ID, Title: "A fox at dawn", Owner: "member"}) {
			t.Errorf("%s's clip comes from %+v", from.name, got)
		}
	}
}

// Who is deactivated shows nothing; who inherits shows it on, and may take it back;
// what is erased is shown no more.
func TestSharesOfWhoLeaves(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	s := w.asked(w.member, "Of who leaves")
	made := w.shows(w.member, wire.NewShare{Kind: wire.ShareConversation, ID: s.Conversation, Audience: wire.ShareWithTeam, To: wire.IDs{w.red}, Live: true})
	see := func(p *someone) bool {
		_, err := w.shares.See(t.Context(), made.ID, p.who.Owner)
		return err == nil
	}
	over := make(chan struct{})
	defer w.shares.Hold(made.ID, w.mate.who.Owner, func() { close(over) })()
	w.does(w.admin, 200, "PATCH /api/people/"+w.member.id(), `{"active":false}`, nil)
	select {
	case <-over:
	case <-time.After(time.Second):
		t.Error("who looks goes on")
	}
	if see(w.mate) {
		t.Error("what somebody shows who was deactivated is seen")
	}
	var e wire.Erasing
	w.does(w.admin, 200, "POST /api/people/"+w.member.id()+"/erase", `{"dry_run":true}`, &e)
	if e.Shares != 1 {
		t.Errorf("it would erase %+v", e)
	}
	w.does(w.admin, 200, "POST /api/people/"+w.member.id()+"/erase", fmt.Sprintf(`{"hand_over_to":%q}`, w.lead.id()), nil)
	eventually(t, func() bool { return see(w.mate) && see(w.lead) && !see(w.stranger) }, func() string { return "it isn't shown again" })
	mine := w.listed(w.lead)
	if len(mine.Mine) != 1 || len(mine.WithMe) != 0 {
		t.Fatalf("the heir has %+v", mine)
	}
	var copied wire.Target
	w.does(w.mate, 200, "POST /api/shares/"+made.ID+"/copy", "", &copied)
	w.does(w.lead, 204, "DELETE /api/shares/"+made.ID, "", nil)
	if see(w.mate) {
		t.Error("the heir has taken it back")
	}

	made = w.shows(w.lead, wire.NewShare{Kind: wire.ShareConversation, ID: mine.Mine[0].Subject, Audience: wire.ShareWithAll})
	w.does(w.admin, 200, "POST /api/people/"+w.lead.id()+"/erase", `{}`, nil)
	eventually(t, func() bool { return !see(w.mate) && len(w.listed(w.mate).WithMe) == 0 }, func() string { return "what was erased is shown" })
	var o wire.Opened
	eventually(t, func() bool {
		w.must(w.mate.tab.Call(t.Context(), wire.OpOpen, wire.Page{Conversation: copied.ID}, &o))
		return o.Summary.Copied != nil && strings.HasPrefix(o.Summary.Copied.Owner, "Erased person")
	}, func() string { return fmt.Sprintf("the copy names %+v", o.Summary.Copied) })
}

// Guests see what is shared with them, and share nothing.
func TestAGuestSharesNothing(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	s := w.asked(w.member, "For guests too")
	w.does(w.admin, 200, "PATCH /api/people/"+w.mate.id(), `{"role":"guest"}`, nil)
	made := w.shows(w.member, wire.NewShare{Kind: wire.ShareConversation, ID: s.Conversation, Audience: wire.ShareWithAll, Live: true})
	if l := w.listed(w.mate); len(l.WithMe) != 1 || l.WithMe[0].ID != made.ID {
		t.Errorf("the guest sees %+v", l)
	}
	for _, address := range []string{"POST /api/shares", "POST /api/shares/" + made.ID + "/copy"} {
		if p := w.does(w.mate, 403, address, "{}", nil); p.Code != wire.CodeNotAllowed {
			t.Errorf("%s: %+v", address, p)
		}
	}
}
