package chat

import (
	"encoding/json"
	"strconv"

	"screentest/shared/wire"
)

// unsentName holds, in the Storage, the message that was sent last for as long
// as the server has not taken it: a reload would lose it otherwise.
const unsentName = "screentest.unsent"

type unsent struct {
	Conversation string       `json:"conversation"`
	Message      string       `json:"message"`
	Text         string       `json:"text"`
	Images       []wire.Image `json:"images,omitempty"`
	// Refused is why the server did not take it; "" if it has not answered.
	Refused string `json:"refused,omitempty"`
}

// words say what became of it.
func (u unsent) words() string {
	if u.Refused != "" {
		return "Your last message wasn’t sent. " + u.Refused
	}
	return "Your last message didn’t reach the server."
}

func (ch *Chat) unsent() (u unsent) {
	if json.Unmarshal([]byte(ch.o.Storage.Get(unsentName)), &u) != nil {
		return unsent{} // none, or of another build
	}
	return u
}

// storeUnsent notes a message of the person's that is being sent.
func (ch *Chat) storeUnsent(u unsent) {
	if b, err := json.Marshal(u); err == nil {
		ch.o.Storage.Set(unsentName, string(b))
	}
}

// refused notes why the server did not take a message, for it is gone with the
// page.
func (ch *Chat) refused(message, why string) {
	if u := ch.unsent(); u.Message == message {
		u.Refused = why
		ch.storeUnsent(u)
	}
}

// arrived forgets a message that the server has.
func (ch *Chat) arrived(message string) {
	if ch.unsent().Message == message {
		ch.o.Storage.Remove(unsentName)
	}
}

// recall gives a message that never reached the server back to the composer,
// once its conversation has been fetched: here, or, where there is none, for a
// new one.
func (ch *Chat) recall(c *Conversation) {
	u := ch.unsent()
	if u.Conversation != c.ID || c.Phase != Ready && c.Phase != Missing {
		return
	}
	for _, m := range c.messages {
		if c.Phase == Ready && m.unsent != nil && m.unsent.User.ID == u.Message {
			return // this tab is still sending it
		}
	}
	ch.o.Storage.Remove(unsentName)
	switch {
	case c.Phase == Missing:
		ch.restoreElsewhere(u)
	case c.messages[u.Message] != nil: // it had reached the server after all
	default:
		ch.restore(c.ID, u, u.words()+" It’s back in the message field.")
	}
}

// recallLost does the same at the page's start for a conversation that the
// server's list does not have.
func (ch *Chat) recallLost() {
	u := ch.unsent()
	if u.Message == "" || ch.conversations[u.Conversation] != nil {
		return // there is none, or recall will see to it
	}
	if ch.List.find(u.Conversation) != nil {
		return
	}
	ch.o.Storage.Remove(unsentName)
	ch.restoreElsewhere(u)
}

func (ch *Chat) restoreElsewhere(u unsent) {
	ch.restore("", u, u.words()+" It’s in the message field of a new conversation.")
}

// restore puts a message before what was typed since.
func (ch *Chat) restore(conversation string, u unsent, words string) {
	name, text := draftName+conversation, u.Text
	if have := ch.o.Storage.Get(name); have != "" && have != text {
		text += "\n\n" + have
	}
	ch.o.Storage.Set(name, text)
	var images []*Attachment
	for n, i := range u.Images {
		images = append(images, &Attachment{Name: "Image " + strconv.Itoa(n+1), Image: i})
	}
	var since []*Attachment
	if json.Unmarshal([]byte(ch.o.Storage.Get(imagesName+conversation)), &since) == nil {
		images = append(images, since...)
	}
	if b, err := json.Marshal(images); err == nil && images != nil {
		ch.o.Storage.Set(imagesName+conversation, string(b))
	}
	if c := ch.Shown(); c.ID == conversation {
		c.draft = text
		c.readAttached()
	}
	ch.o.Tell(words)
	ch.o.Changed(PartComposer)
}
