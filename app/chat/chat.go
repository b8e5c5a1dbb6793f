package chat

import (
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Part names what is to be drawn again.
type Part uint

// The parts.
const (
	PartList     Part = 1 << iota // the list of conversations
	PartThread                    // the messages of the conversation shown, or their states
	PartLanes                     // which lanes there are, what answers next in each and with which parameters
	PartComposer                  // why the draft was not sent, or whether it may be
	PartBar                       // the title
	PartLibrary                   // the saved prompts and settings
	PartUndo                      // what is offered to be undone
	PartAll      = PartList | PartThread | PartLanes | PartComposer | PartBar | PartLibrary | PartUndo
)

// maxRecent bounds the conversations in memory besides the one shown and those with an
// answer under way.
const maxRecent = 8

// Options are what a Chat needs from outside.
type Options struct {
	Session *session.Session
	Server  session.Server
	Storage Storage
	Now     func() time.Time
	// Midnight is when the viewer's day began that is so many days back: 0 is
	// today. Go has no time zones in the browser, and a day there may begin at
	// one o'clock.
	Midnight func(back int) time.Time
	NewID    func() string // a UUID
	// After calls f on the Chat's goroutine when d has passed, unless the
	// returned function is called before.
	After func(d time.Duration, f func()) (cancel func())
	// Changed has the parts drawn again.
	Changed func(Part)
	// Grew says that the text of a running answer in the conversation shown
	// grew. It is called often: nothing is to be drawn again for it but that
	// text.
	Grew func()
	// Tell shows a sentence for a while.
	Tell func(words string)
	// Resend has a text sent again that Send kept waiting until the rest of the
	// conversation was here, unless something else is in the composer by now.
	Resend func(text string)
}

// Chat is what the tab knows of conversations. See the package's comment.
type Chat struct {
	o       Options
	session *session.Session

	// List is the list of conversations.
	List List
	// Library is what the person saved.
	Library Library
	// Team is what the people of a team saved.
	Team TeamLibrary
	// Current is the conversation that is shown; nil is one that has yet to
	// be begun.
	Current *Conversation

	fresh         *Conversation // what a new conversation begins with; see Shown
	closed        *Closed
	choice        string // model for a conversation not yet begun
	conversations map[string]*Conversation
	recent        []string // of conversations, the one shown last
	streams       map[string]*streamOf
	results       map[callKey]string // what is written as the calls' results
}

// New returns a Chat that has asked for nothing yet.
func New(o Options) *Chat {
	ch := &Chat{
		o: o, session: o.Session,
		choice:        o.Storage.Get(modelName),
		conversations: map[string]*Conversation{},
		streams:       map[string]*streamOf{},
		results:       map[callKey]string{},
	}
	ch.List.chat, ch.Library.chat, ch.Team.chat = ch, ch, ch
	ch.fresh = ch.newFresh()
	ch.recallFresh()
	return ch
}

// Shown is the conversation shown, or, where that has yet to be begun, what it
// will begin with.
func (ch *Chat) Shown() *Conversation {
	if ch.Current != nil {
		return ch.Current
	}
	return ch.fresh
}

// Lane returns a lane of the conversation shown; see Conversation.Lane.
func (ch *Chat) Lane(i int) *Lane { return ch.Shown().Lane(i) }

// Focused is the lane in focus.
func (ch *Chat) Focused() *Lane { return ch.Lane(ch.Shown().Focused) }

func (ch *Chat) currentID() string {
	if ch.Current == nil {
		return ""
	}
	return ch.Current.ID
}

// Show goes to a conversation; "" is a new one.
func (ch *Chat) Show(id string) {
	ch.o.Changed(PartAll)
	ch.Current = nil
	if id != "" {
		ch.show(id)
	}
	c := ch.Shown()
	c.Refusal, c.Focused = nil, 0
	c.readDraft()
}

func (ch *Chat) show(id string) {
	c := ch.conversations[id]
	fresh := c == nil || c.Phase == Broken || c.Phase == Missing
	if fresh {
		c = ch.newConversation(id)
		if s := ch.List.find(id); s != nil {
			c.Summary = *s
		}
		ch.conversations[id] = c
	}
	ch.Current = c
	ch.remember(id)
	if fresh {
		c.fetch()
	} else {
		ch.o.After(fillFirst, c.fill)
	}
}

// remember keeps a conversation and lets go of what was not shown for long.
func (ch *Chat) remember(id string) {
	recent := []string{id}
	for _, r := range ch.recent {
		c := ch.conversations[r]
		switch {
		case r == id || c == nil:
		case len(recent) <= maxRecent || c.Running():
			recent = append(recent, r)
		default:
			delete(ch.conversations, r)
		}
	}
	ch.recent = recent
}

// Running says that an answer is under way in the conversation shown.
func (ch *Chat) Running() bool { return ch.Current != nil && ch.Current.Running() }

// Stop ends the answers under way in the conversation shown; what they have
// said is kept.
func (ch *Chat) Stop() {
	if c := ch.Current; c != nil {
		for _, m := range c.running() {
			c.halt(m)
		}
	}
}

// Reconnected asks for everything that may have changed while there was no
// connection, and goes on reading logs from the byte that was reached.
func (ch *Chat) Reconnected() {
	ch.List.Fetch()
	for _, s := range ch.streams {
		s.asking = false
		ch.read(s)
	}
	for id, c := range ch.conversations {
		switch {
		case c == ch.Current:
			if c.Phase == Ready {
				c.fetch()
			}
		case !c.Running():
			delete(ch.conversations, id) // fetched again when it is shown
		}
	}
}

// News takes what the server tells unasked.
func (ch *Chat) News(news session.News) {
	switch n := news.(type) {
	case session.Greeting:
		ch.o.Changed(PartAll)
		ch.Shown().hasten()
	case wire.Summary:
		if n.ID != "" {
			ch.summary(n)
		}
	case session.Deleted:
		c := ch.conversations[n.ID]
		ch.forget(n.ID)
		ch.o.Changed(PartList)
		if c != nil {
			c.changed(PartAll)
		}
	case wire.Lanes:
		ch.hearLanes(n)
	case wire.Vote:
		if c := ch.conversations[n.Conversation]; c != nil {
			c.hearVote(n)
		}
	case wire.LibraryEntry:
		ch.Library.put(n)
	case wire.TeamEntry:
		ch.Team.put(n)
	case wire.Run:
		ch.run(n)
	}
}

func (ch *Chat) summary(s wire.Summary) {
	if ch.List.deleting(s.ID) {
		return
	}
	ch.List.put(s)
	if c := ch.conversations[s.ID]; c != nil {
		c.Summary = s
		c.changed(PartBar)
	}
	ch.o.Changed(PartList)
}

// forget lets go of a deleted conversation and of all that was written for it.
func (ch *Chat) forget(id string) {
	ch.List.drop(id)
	ch.o.Storage.Remove(draftName + id)
	ch.o.Storage.Remove(imagesName + id)
	ch.o.Storage.Remove(rawName + id)
	c := ch.conversations[id]
	if c == nil {
		return
	}
	c.Phase = Missing
	delete(ch.conversations, id)
	for _, m := range c.messages {
		if m.Run == nil {
			continue
		}
		for _, call := range m.Run.Calls {
			ch.o.Storage.Remove(callKey{m.ID, call.ID}.stored())
		}
	}
	for run, s := range ch.streams {
		if s.conversation == c {
			delete(ch.streams, run)
		}
	}
}

// forgetLost does so for a conversation that was deleted while this tab could
// not hear of it. What was written for the one that is shown is not lost with
// it.
func (ch *Chat) forgetLost(id string) {
	draft := ch.o.Storage.Get(draftName + id)
	ch.forget(id)
	if draft != "" && id == ch.currentID() {
		ch.restore("", unsent{Text: draft}, "This conversation was deleted elsewhere. Your draft is in a new one.")
	}
}
