package model

// held is a text that was sent before all older messages of its conversation
// were here. The model is to be given them all, so it goes as soon as they are.
type held struct {
	conversation *Conversation
	text         string
}

// hold keeps a text to be sent when the rest of the conversation has come, and
// has that fetched now.
func (d *Desk) hold(c *Conversation, text string) {
	d.held = &held{c, text}
	d.Refusal = refuse("", "not_loaded", "The older messages of this conversation are still on their way, and the model is to be given them all.",
		"It is sent as soon as they are here.")
	d.hasten(c)
}

// hasten fetches what a held text waits for.
func (d *Desk) hasten(c *Conversation) {
	if d.held == nil || d.held.conversation != c {
		return
	}
	if c.Earlier {
		d.Outline(c)
		return
	}
	for i := range c.Lanes {
		if path := c.Path(i); missing(path) {
			d.need(c, path, nil) // and again with each answer
			return
		}
	}
	text := d.held.text
	d.held = nil
	if c == d.Current {
		d.Refusal = nil
		d.changed(PartComposer)
		d.resend(text)
	}
}

// giveUp says that what a held text waits for did not come.
func (d *Desk) giveUp(c *Conversation) {
	if d.held == nil || d.held.conversation != c {
		return
	}
	d.held = nil
	if c == d.Current {
		d.Refusal = refuse("", "not_loaded", "The older messages of this conversation could not be fetched, and the model is to be given them all.", "Send again.")
		d.changed(PartComposer)
	}
}

// missing says whether a text of the path has not come yet.
func missing(path []*Message) bool {
	for _, m := range path {
		if m.Stub {
			return true
		}
	}
	return false
}
