package store

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"math"

	"screentest/shared/wire"
)

// Export writes a conversation as a JSON file (see transfer), or, for "", all
// of the owner's and the library, the oldest conversation first. Nothing has
// been written if the conversation is not there. Each page of messages is read
// by itself: a slow reader of the file holds nothing up.
func (db *DB) Export(ctx context.Context, owner, conversation string, to io.Writer) error {
	ids := []string{conversation}
	var library []wire.LibraryEntry
	if conversation == "" {
		var err error
		if ids, err = db.conversationIDs(ctx, owner); err != nil {
			return err
		}
		lib, err := db.Library(ctx, owner)
		if err != nil {
			return err
		}
		library = lib.Entries
	} else if _, err := db.Conversation(ctx, owner, conversation); err != nil {
		return err
	}
	w := &exporter{w: bufio.NewWriterSize(to, 64<<10)}
	w.text(`{"format":`)
	w.value(exportFormat)
	w.text(`,"version":`)
	w.value(exportVersion)
	w.text(`,"exported_ms":`)
	w.value(db.now().UnixMilli())
	w.text(`,"conversations":[`)
	first := true
	for _, id := range ids {
		err := db.exportOne(ctx, owner, id, w, first)
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
func (db *DB) exportOne(ctx context.Context, owner, id string, w *exporter, first bool) error {
	page, err := db.exportPage(ctx, owner, id, 0)
	if isNotFound(err) {
		return errGone
	}
	if err != nil {
		return err
	}
	// The messages come page by page, so the object is put together by hand.
	head := page.head
	head.Messages = nil
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
	for last, begun := int64(0), false; ; {
		for _, m := range page.messages {
			if begun {
				w.text(",")
			}
			begun = true
			w.text("\n")
			w.value(exportedMessage(m))
		}
		for _, v := range page.votes {
			votes = append(votes, transferVote{v.Message, v.Winner, v.Models, v.VoteMS})
		}
		if last = page.last; last == 0 || w.err != nil {
			break
		}
		if page, err = db.exportPage(ctx, owner, id, last); isNotFound(err) {
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
	w.text("}")
	return w.err
}

type exportPage struct {
	head     transferConversation
	messages []wire.Message
	votes    []wire.Vote
	last     int64 // the last row of the page, 0 where there are no more
}

func (db *DB) exportPage(ctx context.Context, owner, id string, after int64) (out exportPage, err error) {
	err = db.readers.snapshot(ctx, func(q reading) error {
		n, s, err := readConversation(q, owner, id)
		if err != nil {
			return err
		}
		out.head = transferConversation{ID: id, Title: s.Title, Pinned: s.Pinned, Models: s.Models, CreatedMS: s.CreatedMS, UpdatedMS: s.UpdatedMS}
		lanes, err := readLanes(q, n, id)
		if err != nil {
			return err
		}
		if lanes != nil {
			out.head.Lanes = &transferLanes{lanes.Blind, lanes.Lanes}
		}
		p := page{conversation: n, limit: maxMessages, text: maxPageText}
		if err := p.after(q, after); err != nil {
			return err
		}
		if out.messages = p.messages; p.later {
			out.last = p.ns[len(p.ns)-1]
		}
		out.votes, err = p.votes(q, id)
		return err
	})
	return out, err
}

func (db *DB) conversationIDs(ctx context.Context, owner string) (ids []string, err error) {
	err = db.readers.at(ctx).each("SELECT id FROM conversations WHERE owner = ? AND (updated_ms, n) < (?, 0) ORDER BY updated_ms DESC, n DESC",
		[]any{parseOwner(owner), int64(math.MaxInt64)}, func(rows *sql.Rows) error {
			var id []byte
			err := rows.Scan(&id)
			ids = append(ids, formatID(id))
			return err
		})
	for i, j := 0, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids, err
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
