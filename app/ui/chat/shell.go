//go:build js && wasm

package chat

import "syscall/js"

// shell is the composer that stands in the document before the program has arrived.
// It has what is typed until the first address is known: the program may take a while
// to draw its own, and keys come at any time.
type shell struct{ field js.Value }

// text is what was typed so far, and is false once it was taken.
func (s *shell) text() (string, bool) {
	if !s.field.Truthy() || s.field.Get("value").Type() != js.TypeString {
		return "", false
	}
	return s.field.Get("value").String(), true
}

// take is what was typed, once.
func (s *shell) take() string {
	text, _ := s.text()
	s.field = js.Value{}
	return text
}

// keep is told what was typed on in the program's own composer. It returns false where
// that belongs to a conversation.
func (s *shell) keep(text string) bool {
	_, is := s.text()
	if is {
		s.field.Set("value", text)
	}
	return is
}

// draft is what the composer has.
func (p *Page) draft() string {
	if text, is := p.shell.text(); is {
		return text
	}
	return p.chat.Shown().Draft()
}
