package transfer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"

	"screentest/server/store/chat"
	"screentest/shared/wire"
)

// A Transfer exports and imports conversations and the library.
type Transfer struct {
	chat *chat.Chat
	now  func() time.Time
}

// New exports and imports what is in chat.
func New(chat *chat.Chat, now func() time.Time) *Transfer { return &Transfer{chat, now} }

// Export writes a conversation as a JSON file (see [file]), or, for "", all
// of the owner's and the library, the oldest conversation first. Nothing has
// been written if the conversation is not there. Each page of messages is read
// by itself: a slow reader of the file holds nothing up.
func (t *Transfer) Export(ctx context.Context, owner, conversation string, to io.Writer) error {
	ids := []string{conversation}
	var library []wire.LibraryEntry
	if conversation == "" {
		var err error
		if ids, err = t.chat.ConversationIDs(ctx, owner); err != nil {
			return err
		}
		lib, err := t.chat.Library(ctx, owner)
		if err != nil {
			return err
		}
		library = lib.Entries
	} else if _, err := t.chat.Conversation(ctx, owner, conversation); err != nil {
		return err
	}
	w := &exporter{w: bufio.NewWriterSize(to, 64<<10)}
	w.text(`{"format":`)
	w.value(exportFormat)
	w.text(`,"version":`)
	w.value(exportVersion)
	w.text(`,"exported_ms":`)
	w.value(t.now().UnixMilli())
	w.text(`,"conversations":[`)
	first := true
	for _, id := range ids {
		err := t.exportOne(ctx, owner, id, w, first)
		if errors.Is(err, errGone) {
			continue // deleted since the list was read
		}
		if err != nil {
			return err
		}
		first = false
	}
	w.text("\n]")
	if len(library) > 0 {
		w.text(",\n\"library\":")
		w.value(library)
	}
	w.text("}\n")
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

var errGone = errors.New("the conversation was deleted")

// exportOne writes a conversation, or nothing and errGone.
func (t *Transfer) exportOne(ctx context.Context, owner, id string, w *exporter, first bool) error {
	page, err := t.chat.ReadOn(ctx, owner, id, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	if err != nil {
		return err
	}
	// The messages come page by page, so the object is put together by hand.
	s := page.Summary
	head := transferConversation{ID: id, Title: s.Title, Pinned: s.Pinned, Models: s.Models, CreatedMS: s.CreatedMS, UpdatedMS: s.UpdatedMS}
	if l := page.Lanes; l != nil {
		head.Lanes = &transferLanes{l.Blind, l.Lanes}
	}
	open, err := json.Marshal(head)
	if err != nil {
		return err
	}
	if !first {
		w.text(",")
	}
	const end = `"messages":null}`
	w.text("\n" + string(open[:len(open)-len(end)]) + `"messages":[`)
	var votes []transferVote
	var images []string
	for last, begun := int64(0), false; ; {
		for _, m := range page.Messages {
			if begun {
				w.text(",")
			}
			begun = true
			w.text("\n")
			w.value(exportedMessage(m))
			for _, i := range m.Images {
				if !slices.Contains(images, i.ID) {
					images = append(images, i.ID)
				}
			}
		}
		for _, v := range page.Votes {
			votes = append(votes, transferVote{v.Message, v.Winner, v.Models, v.Bad, v.Tags, v.Blind, v.VoteMS})
		}
		if last = page.Last; last == 0 || w.err != nil {
			break
		}
		if page, err = t.chat.ReadOn(ctx, owner, id, last); errors.Is(err, fs.ErrNotExist) {
			break // deleted meanwhile; what there was is a whole file
		} else if err != nil {
			return err
		}
	}
	w.text("]")
	if len(votes) > 0 {
		w.text(`,"votes":`)
		w.value(votes)
	}
	if err := t.exportImages(ctx, owner, id, images, w); err != nil {
		return err
	}
	w.text("}")
	return w.err
}

// exportImages writes the bytes of a conversation's images.
func (t *Transfer) exportImages(ctx context.Context, owner, conversation string, ids []string, w *exporter) error {
	begun := false
	for _, id := range ids {
		_, data, err := t.chat.ImageOfConversation(ctx, owner, conversation, id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		if begun {
			w.text(",\n")
		} else {
			w.text(",\"images\":[\n")
		}
		begun = true
		w.value(transferImage{id, data})
	}
	if begun {
		w.text("]")
	}
	return nil
}

// An exporter writes until the first error.
type exporter struct {
	w   *bufio.Writer
	err error
}

func (e *exporter) text(s string) {
	if e.err == nil {
		_, e.err = e.w.WriteString(s)
	}
}

func (e *exporter) value(v any) {
	p, err := json.Marshal(v)
	if e.err == nil {
		e.err = err
	}
	if e.err == nil {
		_, e.err = e.w.Write(p)
	}
}
