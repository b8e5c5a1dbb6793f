package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/account"
	"screentest/server/rights"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// The walk: every call and every address, by everybody that there can be, about
// what is their own, a team mate's and a stranger's. What is to come of it is
// told by the table of rights; a call or an address that isn't walked fails.

// things are what somebody has, and what can be done to others by who may.
type things struct {
	mark                                       string // stands in their texts, and nowhere else
	start                                      wire.Start
	prompt                                     string // of the library
	clip                                       string
	review, comment                            string // of the clip
	upload                                     string // its path
	image                                      string // of a message that was not sent
	session, passkey                           string
	notice, approval                           string
	share, clipShare                           string // with their spare person
	team                                       string // that they work in
	entry                                      wire.TeamTarget
	spareTeam, sparePerson, spareOwner, invite string
}

// marks are what nobody else may ever see.
func (h things) marks() []string {
	return []string{h.mark, h.start.Conversation, h.start.Run, h.start.Answer, h.start.User.ID, h.prompt, h.clip, h.upload, h.image, h.passkey, h.notice, h.share, h.clipShare, h.review, h.comment}
}

// walked is an instance whose people have things, with one who was deactivated.
type walked struct {
	*instance
	out *someone
}

func newWalked(t *testing.T) *walked {
	w := &walked{instance: newInstance(t, serveConfig{signIn: signInConfig{password: true, issuer: "http://127.0.0.1:1", clientID: "walk", groupsClaim: defaultGroupsClaim}})}
	w.out = w.comes(w.joins("deactivated"), "deactivated", w.red)
	all := []*someone{w.admin, w.out, w.guest, w.member, w.lead, w.mate, w.stranger}
	for _, p := range all {
		w.gives(p)
	}
	for _, p := range all {
		end(t, p.tab, p.has.start)
		awaitTask(t, p.tab, p.has.clip, "saved", saved)
		if res, body := w.ask(p.http, "POST", wire.PosterPathOf(p.has.clip, 0), "image/png", onePixel); res.StatusCode != http.StatusNoContent {
			t.Fatalf("%s: %s", res.Status, body)
		}
	}
	ctx := t.Context()
	w.must(w.store.ChangePerson(ctx, w.guest.who.Owner, wire.PersonChange{Role: ptr(wire.RoleGuest)}),
		w.store.ChangePerson(ctx, w.out.who.Owner, wire.PersonChange{Active: new(bool)}),
		w.people.Changed(ctx))
	within, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if ce, err := w.out.tab.Ended(within); err != nil || ce.Code != wire.StatusSignedOut {
		t.Errorf("the socket of who was deactivated: %v, %v", ce, err)
	}
	w.out.tab = nil
	return w
}

// gives gives somebody their things.
func (w *walked) gives(p *someone) {
	w.t.Helper()
	ctx, team := w.t.Context(), w.red
	if p == w.stranger {
		team = w.blue
	}
	h := things{mark: "canary-of-" + p.name, session: p.who.Session, team: team, prompt: uuid.NewString()}

	h.start = turn(gateway.Chat, h.mark+" asks")
	play(w.t, p.tab, h.start)
	w.must(p.tab.Call(ctx, wire.OpLibraryPut, wire.LibraryEntry{ID: h.prompt, Kind: wire.LibraryPrompt, Name: h.mark, Text: "x"}, nil),
		p.tab.Call(ctx, wire.OpLanes, wire.Lanes{Conversation: h.start.Conversation, Lanes: []wire.Lane{{Model: "vendor/model-a"}}}, nil))
	h.entry = wire.TeamTarget{Team: team, ID: uuid.NewString()}
	w.must(p.tab.Call(ctx, wire.OpTeamLibraryPut, teamEntry(team, h.entry.ID, 0), nil))
	clip := clipRequest(h.mark + " films")
	h.clip, h.comment = clip.ID, uuid.NewString()
	w.must(p.tab.Call(ctx, wire.OpVideoCreate, clip, nil))
	var said wire.Review
	w.must(p.tab.Call(ctx, wire.OpLook, wire.Look{Clip: h.clip}, &said))
	h.review = said.ID
	w.must(p.tab.Call(ctx, wire.OpComment, wire.Comment{ID: h.comment, Review: h.review, Version: 1, Text: h.mark}, nil))
	var up wire.Upload
	res, body := w.ask(p.http, "POST", wire.UploadsPath+"?name="+h.mark+".png", "image/png", onePixel)
	if res.StatusCode != http.StatusOK || json.Unmarshal(body, &up) != nil {
		w.t.Fatalf("%s: %s", res.Status, body)
	}
	h.upload = up.Path
	h.image = w.putImage(p, h.mark).ID
	var err error
	h.passkey, _, err = w.store.AddPasskey(ctx, account.Passkey{Owner: p.who.Owner, Name: h.mark, Credential: []byte(p.name), Data: []byte("{}")}, nil)
	w.must(err)

	h.notice = w.notified(p, h.mark)
	asked, _, err := w.store.Approvals().Ask(ctx, p.who.Owner, "", clipRequest("x"), wire.VideoTask{Team: team}) // leads and admins see it
	w.must(err)
	h.approval = asked.ID
	h.spareOwner = w.joins("spare-of-" + p.name)
	spare, err := w.people.Account(h.spareOwner)
	w.must(err)
	h.sparePerson = spare.Me.ID
	h.spareTeam, err = w.store.MakeTeam(ctx, wire.TeamChange{Name: ptr("Spare of " + p.name)})
	w.must(err)
	for to, n := range map[*string]wire.NewShare{&h.share: {Kind: wire.ShareConversation, ID: h.start.Conversation}, &h.clipShare: {Kind: wire.ShareClip, ID: h.clip}} {
		n.Audience, n.To, n.Live, n.Wire = wire.ShareWithPeople, wire.IDs{h.sparePerson}, true, n.Kind == wire.ShareConversation
		*to, _, err = w.shares.Make(ctx, p.who.Owner, p.name, n)
		w.must(err)
	}
	h.invite, err = w.store.MakeInvite(ctx, w.admin.who.Owner, uuid.NewString(), wire.Invite{Role: wire.RoleMember, Uses: 1, ExpiresMS: time.Now().Add(time.Hour).UnixMilli()})
	w.must(err)
	p.has = h
}

// notified gives somebody a notice that says something.
func (w *walked) notified(p *someone, says string) (id string) {
	w.notices.Notify(w.t.Context(), []string{p.who.Owner}, wire.Notice{Kind: wire.NoticeMention, Path: "/", Text: says})
	eventually(w.t, func() bool {
		list, err := w.notices.List(w.t.Context(), p.who.Owner, wire.Page{})
		w.must(err)
		for _, n := range list.Notices {
			id = n.ID
		}
		return id != ""
	}, func() string { return "the notice is not there" })
	return id
}

// onePixel is a PNG.
var onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa75\x81\x84\x00\x00\x00\x00IEND\xaeB`\x82"

// everybody are those who ask.
func (w *walked) everybody() []*someone {
	return []*someone{w.nobody, w.out, w.guest, w.member, w.lead, w.admin}
}

// Kinds of what comes of somebody else's things, where one may ask at all.
const (
	unseen = "not found" // as if there were no such thing
	apart  = "apart"     // of others it gives and changes nothing
	asWell = "as well"   // whose it is makes no difference: it is the instance's
	ofTeam = "of team"   // it is their team's: mates see it, and nobody else
)

// refusals are the codes that the table refuses with.
var refusals = []string{wire.CodeSignedOut, wire.CodeNotAllowed, wire.CodeNotFound}

// judge says what is wrong with an answer. want is the table's verdict, own says
// that the things are the asker's own; code and body are what came.
func judge(want *wire.Problem, own bool, others, code string, body []byte, whose, asker things) string {
	leaked := ""
	for _, mark := range whose.marks() {
		if !own && mark != "" && bytes.Contains(body, []byte(mark)) {
			leaked = mark
		}
	}
	switch {
	case want != nil && code != want.Code:
		return fmt.Sprintf("%q, want %q", code, want.Code)
	case want == nil && (own || others == asWell) && slices.Contains(refusals, code):
		return fmt.Sprintf("%q, want it done", code)
	case want == nil && !own && others == unseen && code != wire.CodeNotFound && code != "run_not_found":
		return fmt.Sprintf("%q, want %q", code, wire.CodeNotFound)
	case want == nil && others == ofTeam && whose.team != asker.team && code != wire.CodeNotFound:
		return fmt.Sprintf("%q, want %q", code, wire.CodeNotFound)
	case want == nil && !own && others == apart && (code == wire.CodeSignedOut || code == wire.CodeNotAllowed):
		return fmt.Sprintf("%q, want no difference", code)
	case leaked != "" && others != asWell && leaked != asker.mark:
		return "it tells of " + leaked
	}
	return ""
}

// Every call by everybody who can be there.
func TestTheWalkOfCalls(t *testing.T) {
	t.Parallel()
	w := newWalked(t)
	named := map[wire.Op]bool{}
	for _, c := range walkCalls() {
		named[c.op] = true
	}
	for op := range rights.Calls() {
		if !named[op] {
			t.Errorf("the call %q isn't walked", op)
		}
	}
	before := w.belongings(w.mate, w.stranger)
	for _, p := range w.everybody() {
		if p.tab == nil {
			if c, err := wiretest.Dial(t.Context(), w.url, p.http); err == nil {
				c.Close()
				t.Errorf("%s has a socket", p.name)
			} else if !strings.Contains(err.Error(), "401") {
				t.Errorf("%s asks for a socket: %v", p.name, err)
			}
			continue
		}
		who := w.asking(p)
		for _, whose := range []*someone{w.mate, w.stranger, p} {
			for _, c := range walkCalls() {
				var out json.RawMessage
				code := ""
				err := p.tab.Call(t.Context(), c.op, c.args(whose.has), &out)
				var problem *wire.Problem
				switch {
				case errors.As(err, &problem):
					code = problem.Code
					out, _ = json.Marshal(problem)
				case err != nil:
					t.Fatalf("%s of %s by %s: %v", c.op, whose.name, p.name, err)
				}
				want := rights.Refuse(who, rights.OfCall(c.op), "")
				if wrong := judge(want, whose == p, c.others, code, echoless(out, c, whose.has), whose.has, p.has); wrong != "" {
					t.Errorf("%s of %s by %s: %s (%.200s)", c.op, whose.name, p.name, wrong, out)
				}
			}
		}
	}
	if after := w.belongings(w.mate, w.stranger); after != before {
		t.Errorf("what others have was changed:\n now %s\n was %s", after, before)
	}
	w.pushesStayAtHome()
}

// echoless is an answer without what was sent: an id that one gives to a thing of
// one's own is no news of another's.
func echoless(out []byte, c walkCall, h things) []byte {
	if c.others != apart {
		return out
	}
	sent, _ := json.Marshal(c.args(h))
	for _, mark := range h.marks() {
		if mark != "" && bytes.Contains(sent, []byte(mark)) {
			out = bytes.ReplaceAll(out, []byte(mark), nil)
		}
	}
	return out
}

// belongings are what people have, as they see it.
func (w *walked) belongings(of ...*someone) string {
	var all []any
	for _, p := range of {
		see := func(op wire.Op, args any) {
			var out json.RawMessage
			w.must(p.tab.Call(w.t.Context(), op, args, &out))
			all = append(all, out)
		}
		see(wire.OpConversations, wire.Page{})
		see(wire.OpOpen, wire.Page{Conversation: p.has.start.Conversation})
		see(wire.OpLibrary, nil)
		see(wire.OpVideoTask, wire.Target{ID: p.has.clip})
		see(wire.OpLedger, wire.LedgerQuery{})
		see(wire.OpKeep, nil)
		all = append(all, w.people.MySessions(p.who)[0].ID)
		keys, err := w.store.Passkeys(w.t.Context(), p.who.Owner)
		w.must(err)
		all = append(all, keys)
	}
	text, err := json.Marshal(all)
	w.must(err)
	return string(text)
}

// pushesStayAtHome looks through all that sockets were told.
func (w *walked) pushesStayAtHome() {
	w.t.Helper()
	all := []*someone{w.guest, w.member, w.lead, w.admin, w.mate, w.stranger}
	for _, p := range all {
		for _, push := range p.tab.Pushes() {
			if push.ID != 0 {
				continue // an answer: judged above
			}
			for _, other := range all {
				for _, mark := range other.has.marks() {
					if other != p && mark != "" && bytes.Contains(push.Data, []byte(mark)) {
						w.t.Errorf("%s was told %s of %s: %.200s", p.name, push.Event, other.name, push.Data)
					}
				}
			}
		}
	}
}
