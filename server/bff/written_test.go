package bff_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"screentest/shared/wire"
)

// An answer that a person wrote is told to the other tabs, and goes out as what it is
// and comes back.
func TestAnAnswerWrittenByHandGoesOutAndComesBack(t *testing.T) {
	w := keyed(t, nil)
	c, other := w.dial(), w.dial()
	s := turn()
	w.answered(c, s)
	m := wire.Message{ID: uuid.NewString(), Parent: s.User.ID, Role: "assistant", Text: "As I would have it."}
	call[wire.Summary](w, c, wire.OpWrite, wire.Written{Conversation: s.Conversation, Message: m})
	told(t, other, wire.EventConversation, func(sum wire.Summary) bool { return sum.ID == s.Conversation })

	md := w.do(nil, "GET", wire.ExportPath+s.Conversation+".md", "").body
	if !strings.Contains(md, "## Answer, written by hand · answer 2 of 2\n\nAs I would have it.") {
		t.Errorf("as Markdown:\n%s", md)
	}
	file := w.do(nil, "GET", wire.ExportPath+s.Conversation+".json", "").body
	var done wire.Imported
	res := w.do(nil, "POST", wire.ImportPath, file, "Content-Type", "application/json", "Origin", w.url)
	if err := json.Unmarshal([]byte(res.body), &done); err != nil || done.Messages != 3 || done.Runs != 1 {
		t.Fatalf("%s: %s", res.Status, res.body)
	}
	o := call[wire.Opened](w, c, wire.OpOpen, wire.Page{Conversation: done.Open})
	if last := o.Messages[2]; last.Text != m.Text || last.Role != "assistant" || last.Run != nil {
		t.Errorf("it comes back as %+v", last)
	}
}
