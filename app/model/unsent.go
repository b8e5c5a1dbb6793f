package model

import "encoding/json"

// unsentName holds, in the Storage, the message that was sent last for as long
// as the server has not taken it: a reload would lose it otherwise.
const unsentName = "screentest.unsent"

type unsent struct {
	Conversation string `json:"conversation"`
	Message      string `json:"message"`
	Text         string `json:"text"`
	// Refused is why the server did not take it; "" if it has not answered.
	Refused string `json:"refused,omitempty"`
}

// words say what became of it.
func (u unsent) words() string {
	if u.Refused != "" {
		return "Your last message was not sent. " + u.Refused
	}
	return "Your last message did not reach the server."
}

func (d *Desk) unsent() (u unsent) {
	if json.Unmarshal([]byte(d.storage.Get(unsentName)), &u) != nil {
		return unsent{} // none, or of another build
	}
	return u
}

// keepUnsent notes a message of the person's that is being sent.
func (d *Desk) keepUnsent(u unsent) {
	if b, err := json.Marshal(u); err == nil {
		d.storage.Set(unsentName, string(b))
	}
}

// refused notes why the server did not take a message, for it is gone with the
// page.
func (d *Desk) refused(message, why string) {
	if u := d.unsent(); u.Message == message {
		u.Refused = why
		d.keepUnsent(u)
	}
}

// taken forgets a message that the server has.
func (d *Desk) taken(message string) {
	if d.unsent().Message == message {
		d.storage.Remove(unsentName)
	}
}

// recall gives a message that never reached the server back to the composer,
// once its conversation has been fetched: here, or, where there is none, for a
// new one.
func (d *Desk) recall(c *Conversation) {
	u := d.unsent()
	if u.Conversation != c.ID || c.Phase != Ready && c.Phase != Missing {
		return
	}
	for _, m := range c.messages {
		if c.Phase == Ready && m.unsent != nil && m.unsent.User.ID == u.Message {
			return // this tab is still sending it
		}
	}
	d.storage.Remove(unsentName)
	switch {
	case c.Phase == Missing:
		d.restoreElsewhere(u)
	case c.messages[u.Message] != nil: // it had reached the server after all
	default:
		d.restore(c.ID, u.Text, u.words()+" It stands in the composer again.")
	}
}

// recallLost does the same at the page's start for a conversation that the
// server's list does not have.
func (d *Desk) recallLost() {
	u := d.unsent()
	if u.Message == "" || d.conversations[u.Conversation] != nil {
		return // there is none, or recall will see to it
	}
	for _, s := range d.List {
		if s.ID == u.Conversation {
			return
		}
	}
	d.storage.Remove(unsentName)
	d.restoreElsewhere(u)
}

func (d *Desk) restoreElsewhere(u unsent) {
	d.restore("", u.Text, u.words()+" It stands in the composer of a new conversation.")
}

// restore puts a text before what was typed since.
func (d *Desk) restore(conversation, text, words string) {
	name := draftName + conversation
	if have := d.storage.Get(name); have != "" && have != text {
		text += "\n\n" + have
	}
	d.storage.Set(name, text)
	d.Recalled++
	d.Tell(words)
	d.changed(PartComposer)
}
