package chat

import "screentest/shared/gateway"

// Refusal is why a draft was not sent. The draft stays.
type Refusal struct {
	Issues []gateway.Issue
	// Lane is the one that is to blame, of Many.
	Lane int
	Many bool
}

func refuse(field, code, message, hint string) *Refusal {
	return &Refusal{Issues: []gateway.Issue{{Field: field, Code: code, Message: message, Hint: hint}}}
}

// stillRunning is why nothing is sent beside an answer that is under way.
func stillRunning() *Refusal {
	return refuse("", "running", "An answer is still being made, so this was not sent.",
		"Send it when that has ended, or stop that with Esc; what you wrote stays here.")
}

// Refused is the Refusal as long as it is true: that an answer is under way is
// no reason any more once it has ended.
func (c *Conversation) Refused() *Refusal {
	if r := c.Refusal; r != nil && len(r.Issues) > 0 && r.Issues[0].Code == "running" && !c.Running() {
		return nil
	}
	return c.Refusal
}

// notReady refuses a turn before the server has answered, or before the
// conversation is here.
func (c *Conversation) notReady() *Refusal {
	switch {
	case !c.chat.session.Greeted:
		return refuse("", "not_connected", "The server has not answered yet.", "Wait a moment, then send again.")
	case c.Phase != Ready:
		return refuse("", "not_loaded", "This conversation has not been loaded.", "Wait until it is there, or begin a new one.")
	}
	return nil
}

// keyMissing refuses a turn that the gateway would refuse for want of a key.
func (ch *Chat) keyMissing() *Refusal {
	if g := ch.session.Hello.Gateway; g.HasKey || g.Sandbox {
		return nil
	}
	return refuse("", "no_key", "This gateway wants a key, and none has been entered.", "Enter it in Settings.")
}
