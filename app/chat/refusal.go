package chat

import (
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

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

// NoModel says that there is no model to ask: the gateway lists none.
func (r *Refusal) NoModel() bool { return r != nil && r.Issues[0].Code == "no_model" }

// stillRunning is why nothing is sent beside an answer that is under way.
func stillRunning() *Refusal {
	return refuse("", "running", "An answer is still running, so this wasn’t sent.",
		"Send it afterwards, or stop the answer with Esc. Your text stays here.")
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
		return refuse("", "not_connected", "The server hasn’t answered yet.", "Your message is sent once it has.")
	case c.Phase == Loading && !c.nowhere():
		return refuse("", "not_loaded", "This conversation isn’t loaded yet.", "Your message is sent once it’s here.")
	case c.Phase != Ready:
		return refuse("", "not_loaded", "This conversation isn’t loaded.", "Wait for it or start a new one.")
	}
	return nil
}

// mayNotSend refuses every turn of a guest, and one that the gateway would refuse
// for want of a key.
func (ch *Chat) mayNotSend() *Refusal {
	if ch.session.Guest() {
		return refuse("", wire.CodeNotAllowed, "Guests can see what’s shared with them but not send requests.", "Ask an admin of this instance to make you a member.")
	}
	if g := ch.session.Hello.Gateway; g.HasKey || g.Sandbox {
		return nil
	}
	if c := ch.session.Charge(); c.ID != "" && c.ID != wire.ChargePersonal {
		words, hint := "There’s no gateway key yet.", "Ask an admin of this instance to enter one."
		if len(ch.session.Charges()) > 1 { // else the page speaks of no teams
			words, hint = "The team "+c.Name+" has no key for the gateway yet.", "Ask an admin or who leads the team to enter one."
		}
		if ch.session.Me().Leads(c.ID) {
			hint = "Enter it in Settings."
		}
		return refuse("", "no_key", words, hint)
	}
	return refuse("", "no_key", "This gateway wants a key, and none has been entered.", "Enter it in Settings.")
}

// notAllowed refuses a model that what is charged doesn't pay for.
func (ch *Chat) notAllowed(model string) *Refusal {
	c := ch.session.Charge()
	if gateway.ModelAllowed(c.Models, model) {
		return nil
	}
	if len(ch.session.Charges()) < 2 { // the page speaks of no teams
		return refuse("model", wire.CodeModelNotAllowed, model+" isn’t allowed here.", "Choose another one, or ask an admin of this instance.")
	}
	return refuse("model", wire.CodeModelNotAllowed, "The team "+c.Name+" doesn’t pay for "+model+".",
		"Choose another model, or change who pays, beside the price.")
}
