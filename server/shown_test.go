package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// What people show each other, through the real server and its store.

const linkToken = "a-token-of-a-link-that-nobody-guesses-0123"

// showsAs shares a conversation of somebody's and returns its key.
func (w *instance) showsAs(p *someone, conversation, audience string, to ...string) (key, id string) {
	w.t.Helper()
	token := ""
	if audience == wire.ShareByLink {
		token = linkToken
	}
	id, err := w.store.Shares().Make(w.t.Context(), p.who.Owner, wire.NewShare{Kind: wire.ShareConversation, ID: conversation, Audience: audience, To: to, Live: true}, token, nil)
	w.must(err)
	if token != "" {
		return token, id
	}
	return id, id
}

func (w *instance) allowLinks(allowed bool) {
	w.t.Helper()
	p := w.people.Policies()
	p.LinkShares = allowed
	w.must(w.people.SetPolicies(w.t.Context(), p))
	w.shares.Recheck(nil, true)
}

// page is a shared page as somebody gets it.
func (w *instance) page(p *someone, key string) (*http.Response, string) {
	w.t.Helper()
	res, body := w.ask(p.http, "GET", "/s/"+key, "", "")
	return res, string(body)
}

// A shownStream is what a page that is open hears.
type shownStream struct {
	t     *testing.T
	lines *bufio.Reader
	all   strings.Builder
}

var fromPattern = regexp.MustCompile(`data-from="([^"]*)"`)

// follows opens a page and follows it.
func (w *instance) follows(p *someone, key string) *shownStream {
	w.t.Helper()
	res, body := w.page(p, key)
	from := fromPattern.FindStringSubmatch(body)
	if res.StatusCode != 200 || from == nil {
		w.t.Fatalf("%s: %s: %s", p.name, res.Status, body)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), "GET", w.url+"/s/"+key+"/live?from="+from[1], nil)
	w.must(err)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err = (&http.Client{Jar: p.http.Jar, Transport: p.http.Transport}).Do(req)
	w.must(err)
	w.t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		w.t.Fatalf("%s: %s", p.name, res.Status)
	}
	s := &shownStream{t: w.t, lines: bufio.NewReader(res.Body)}
	s.until("retry: ")
	s.all.WriteString(body)
	return s
}

// until reads on to a line that has something in it.
func (s *shownStream) until(what string) {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		s.all.WriteString(line)
		if err != nil {
			s.t.Fatalf("%q doesn't come: %v; what came is\n%s", what, err, s.all.String())
		}
		if strings.Contains(line, what) {
			return
		}
	}
}

func TestWhatIsSharedIsFollowed(t *testing.T) {
	t.Parallel()
	w := newInstance(t, serveConfig{})
	other := turn(gateway.Chat, "other-canary")
	play(t, w.member.tab, other)
	w.allowLinks(true)
	s := turn(gateway.Chat, "[[pace: 150]] [[repeat: 300]] [[reasoning]] Why?")
	w.must(w.member.tab.Call(t.Context(), wire.OpStart, s, nil))
	link, _ := w.showsAs(w.member, s.Conversation, wire.ShareByLink)
	key, _ := w.showsAs(w.member, s.Conversation, wire.ShareWithPeople, w.mate.id())
	all := []*shownStream{w.follows(w.nobody, link), w.follows(w.mate, key), w.follows(w.member, key)}
	for _, stream := range all {
		stream.until(`["tail","tail-` + s.Answer)
		stream.until("took ")
	}
	r, err := w.store.Run(t.Context(), w.member.who.Owner, s.Run)
	w.must(err)
	if r.State != wire.Done {
		t.Errorf("the answer: %+v", r)
	}
	_, body := w.page(w.nobody, link)
	if !strings.Contains(body, "tokens in") || !strings.Contains(body, "Reasoning") || !strings.Contains(body, "Shared by member") {
		t.Errorf("the page: %s", body)
	}
	said := all[0].all.String() + body
	for _, no := range []string{"other-canary", "mate", "@example.com", w.gateways.Now().Base.Host, "sk-", w.red, other.Conversation, s.Run} {
		if strings.Contains(said, no) {
			t.Errorf("%q is in what is shown", no)
		}
	}
	if res, body := w.page(w.stranger, key); res.StatusCode != 404 || strings.Contains(body, "Why?") {
		t.Errorf("a stranger: %s %s", res.Status, body)
	}
	if res, _ := w.page(w.nobody, key); res.StatusCode != 303 || !strings.HasPrefix(res.Header.Get("Location"), "/signin?to=") {
		t.Errorf("nobody: %s", res.Status)
	}
	w.inNoLog(linkToken)
}

// inNoLog fails if a secret is in the log.
func (w *instance) inNoLog(secret string) {
	w.t.Helper()
	if strings.Contains(w.log.String(), secret) {
		w.t.Error("it is in the log")
	}
}

// However somebody comes to see a share no more, their page hears of it at once, and
// of nothing else.
func TestWhatIsSharedEnds(t *testing.T) {
	t.Parallel()
	w := newInstance(t, serveConfig{})
	w.allowLinks(true)
	ctx := t.Context()
	s := turn(gateway.Chat, "[[pace: 20]] [[repeat: 100000]] shown-canary")
	w.must(w.member.tab.Call(ctx, wire.OpStart, s, nil))
	link, _ := w.showsAs(w.member, s.Conversation, wire.ShareByLink)
	byTeam, _ := w.showsAs(w.member, s.Conversation, wire.ShareWithTeam, w.red)
	byName, named := w.showsAs(w.member, s.Conversation, wire.ShareWithPeople, w.lead.id(), w.guest.id(), w.admin.id())

	mateByTeam, nobodyByLink := w.follows(w.mate, byTeam), w.follows(w.nobody, link)
	leadByName, guestByName, adminByName := w.follows(w.lead, byName), w.follows(w.guest, byName), w.follows(w.admin, byName)
	ends := func(what string, v *shownStream, event string, do func()) {
		t.Helper()
		v.until("data: ")
		begun := time.Now()
		do()
		v.until("event: " + event)
		if took := time.Since(begun); took > time.Second {
			t.Errorf("%s: it took %v", what, took)
		}
		rest, err := io.ReadAll(v.lines)
		if err != nil || strings.Contains(string(rest), "put") {
			t.Errorf("%s: then came %q, %v", what, rest, err)
		}
	}
	unseen := func(p *someone, key string, status int) {
		t.Helper()
		if res, body := w.page(p, key); res.StatusCode != status || strings.Contains(body, "shown-canary") {
			t.Errorf("%s then gets %s: %s", p.name, res.Status, body)
		}
	}
	ends("a mate leaves the team", mateByTeam, "gone", func() {
		w.must(w.store.TakeFromTeam(ctx, w.red, w.mate.id()), w.people.Changed(ctx))
	})
	unseen(w.mate, byTeam, 404)
	ends("a guest is deactivated", guestByName, "again", func() {
		w.must(w.store.ChangePerson(ctx, w.guest.who.Owner, wire.PersonChange{Active: new(bool)}), w.people.Changed(ctx))
	})
	unseen(w.guest, byName, 303)
	ends("an admin signs out", adminByName, "again", func() {
		w.does(w.admin, 204, "POST /api/signout", "", nil)
	})
	unseen(w.admin, byName, 303)
	ends("it is revoked", leadByName, "gone", func() {
		w.must(w.store.Shares().Revoke(ctx, w.member.who.Owner, named))
		w.shares.Recheck(nil, true)
	})
	unseen(w.lead, byName, 404)
	ends("links are allowed no more", nobodyByLink, "gone", func() {
		w.allowLinks(false)
		_, err := w.store.Shares().RevokeLinks(ctx)
		w.must(err)
		w.shares.Recheck(nil, true)
	})
	unseen(w.nobody, link, 404)
	w.must(w.member.tab.Call(ctx, wire.OpStop, wire.Target{ID: s.Run}, nil))
}

// A server that ends doesn't wait for those who look on.
func TestAServerEndsWithViewers(t *testing.T) {
	t.Parallel()
	w := newInstance(t, serveConfig{})
	w.allowLinks(true)
	s := turn(gateway.Chat, "quick")
	play(t, w.member.tab, s)
	link, _ := w.showsAs(w.member, s.Conversation, wire.ShareByLink)
	v := w.follows(&someone{name: "somebody", http: wiretest.NewHTTP()}, link)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	begun := time.Now()
	w.must(w.shown.Close(ctx))
	v.until("event: again")
	if took := time.Since(begun); took > time.Second {
		t.Errorf("it took %v", took)
	}
	if res, body := w.page(w.nobody, link); res.StatusCode == 200 {
		t.Errorf("then there is %s", body)
	}
}

// What is shared as it was stays so, and a clip plays for who has the link.
func TestSnapshotsAndClipsAreShown(t *testing.T) {
	t.Parallel()
	w := newInstance(t, serveConfig{})
	w.allowLinks(true)
	ctx := t.Context()
	s := turn(gateway.Chat, "[[markdown]] as it was")
	play(t, w.member.tab, s)
	end(t, w.member.tab, s)
	_, token, err := w.shares.Make(ctx, w.member.who.Owner, "member", wire.NewShare{Kind: wire.ShareConversation, ID: s.Conversation, Audience: wire.ShareByLink, Wire: true})
	w.must(err)
	next := turn(gateway.Chat, "later-canary")
	next.Conversation, next.User.Parent = s.Conversation, s.Answer
	play(t, w.member.tab, next)
	end(t, w.member.tab, next)
	res, body := w.page(w.nobody, token)
	if res.StatusCode != 200 || !strings.Contains(body, "as it was") || !strings.Contains(body, "<table>") || strings.Contains(body, "later-canary") || strings.Contains(body, "data-from") {
		t.Errorf("%s: %s", res.Status, body)
	}
	if res, text := w.page(w.nobody, token+"/wire/"+s.Run); res.StatusCode != 200 || !strings.Contains(text, `"model"`) || strings.Contains(text, w.gateways.Now().Base.Host) {
		t.Errorf("its wire: %s: %.500s", res.Status, text)
	}
	if res, _ := w.page(w.nobody, token+"/wire/"+next.Run); res.StatusCode != 404 {
		t.Errorf("the wire of what came later: %s", res.Status)
	}

	clip := clipRequest("an otter swims")
	w.must(w.member.tab.Call(ctx, wire.OpVideoCreate, clip, nil))
	_, token, err = w.shares.Make(ctx, w.member.who.Owner, "member", wire.NewShare{Kind: wire.ShareClip, ID: clip.ID, Audience: wire.ShareByLink, Live: true})
	w.must(err)
	v := w.follows(w.nobody, token)
	v.until("<video")
	awaitTask(t, w.member.tab, clip.ID, "saved", saved)
	req, err := http.NewRequestWithContext(ctx, "GET", w.url+"/s/"+token+"/media/0/0", nil)
	w.must(err)
	req.Header.Set("Range", "bytes=0-99")
	res, err = w.nobody.http.Do(req)
	w.must(err)
	defer res.Body.Close()
	if res.StatusCode != 206 || res.ContentLength != 100 || res.Header.Get("Content-Type") != "video/mp4" || !strings.HasPrefix(res.Header.Get("Cache-Control"), "private") {
		t.Errorf("the file: %s %v", res.Status, res.Header)
	}
}
