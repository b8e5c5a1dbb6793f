package leaving

import (
	"database/sql"
	"errors"

	"github.com/google/uuid"

	"screentest/server/store/engine"
)

// What is handed over keeps its ids, but for those that the heir has in use: of
// an export that both have imported, say. These get others, and what names them
// names those then. What it cost stays in the ledger of who paid; a conversation, an answer
// and a clip tell their heir.

// freeID gives the row n of a table another id where the heir has a row of its
// id. was and now are equal where it keeps it.
func (s *step) freeID(table string, n int64) (was, now []byte, err error) {
	var taken bool
	if err := s.w.Scan("SELECT t.id, EXISTS (SELECT 1 FROM "+table+" WHERE owner = ? AND id = t.id) FROM "+table+" t WHERE t.n = ?", []any{s.heir, n}, &was, &taken); err != nil || !taken {
		return was, was, err
	}
	id := uuid.New()
	return was, id[:], s.exec("UPDATE "+table+" SET id = ? WHERE n = ?", id[:], n)
}

// handOverConversation hands over the messages of a conversation, and then
// itself. Until then neither of the two sees it.
func (s *step) handOverConversation(n int64) error {
	// The owner's own number is a condition of the query, so that one which is
	// gone on with begins where it was.
	err := s.each("SELECT n FROM messages WHERE conversation = ? AND owner = ? ORDER BY n", func(m int64) error { return s.handOverMessage(n, m) }, n, s.person)
	if err != nil {
		return err
	}
	if err := s.tellConversation(n); err != nil {
		return err
	}
	if _, _, err := s.freeID("conversations", n); err != nil {
		return err
	}
	if err := s.exec("UPDATE lanes SET owner = ? WHERE conversation = ?", s.heir, n); err != nil {
		return err
	}
	for _, query := range []string{
		"UPDATE shares SET owner = ? WHERE conversation = ?", // seen again from here on, if the heir doesn't take them back
		"DELETE FROM share_people WHERE person = ? AND share IN (SELECT n FROM shares WHERE conversation = ?)",
	} {
		if err := s.exec(query, s.heir, n); err != nil {
			return err
		}
	}
	if err := s.exec("DELETE FROM search_rows WHERE conversation = ?", n); err != nil {
		return err
	}
	if err := s.exec("UPDATE conversations SET owner = ?, pinned = 0 WHERE n = ?", s.heir, n); err != nil {
		return err
	}
	return s.index.NoteConversation(s.w, s.heir, n)
}

func (s *step) handOverMessage(conversation, n int64) error {
	was, now, err := s.freeID("messages", n)
	if err != nil {
		return err
	}
	if string(was) != string(now) {
		for _, query := range []string{
			"UPDATE messages SET parent = ?2 WHERE conversation = ?3 AND parent = ?1",
			"UPDATE votes SET winner = ?2 WHERE conversation = ?3 AND winner = ?1",
		} {
			if err := s.exec(query, was, now, conversation); err != nil {
				return err
			}
		}
		if err := s.exec("UPDATE lanes SET lanes = replace(lanes, ?, ?) WHERE conversation = ?", engine.FormatID(was), engine.FormatID(now), conversation); err != nil {
			return err
		}
	}
	runs, err := engine.Column[int64](s.w, "SELECT n FROM runs WHERE message = ?", n)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if err := s.handOverRun(run); err != nil {
			return err
		}
	}
	for _, query := range []string{
		"DELETE FROM search_rows WHERE message = ?2 AND ?1 > 0", // it is put in again as the heir's
		"UPDATE votes SET owner = ? WHERE message = ?",
		"UPDATE messages SET owner = ? WHERE n = ?",
	} {
		if err := s.exec(query, s.heir, n); err != nil {
			return err
		}
	}
	return nil
}

func (s *step) handOverRun(n int64) error {
	var subject []byte
	if err := s.w.Scan("SELECT id FROM runs WHERE n = ?", []any{n}, &subject); err != nil {
		return err
	}
	var cost int64
	var basis, source string
	err := s.w.Scan(`SELECT (SELECT sum(cost_nano_usd) FROM ledger WHERE owner = ?1 AND subject = ?2), basis, source
		FROM ledger WHERE owner = ?1 AND subject = ?2 ORDER BY n DESC LIMIT 1`, []any{s.person, subject}, &cost, &basis, &source)
	switch {
	case err == nil:
		if err := s.exec("UPDATE runs SET told_nano_usd = ?, told_basis = ?, told_source = ? WHERE n = ?", cost, basis, source, n); err != nil {
			return err
		}
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	if _, _, err := s.freeID("runs", n); err != nil {
		return err
	}
	for _, query := range []string{
		"UPDATE run_log SET owner = ? WHERE run = ?",
		"UPDATE run_requests SET owner = ? WHERE run = ?",
		"UPDATE runs SET owner = ? WHERE n = ?",
	} {
		if err := s.exec(query, s.heir, n); err != nil {
			return err
		}
	}
	return nil
}

// handOverClips first frees the ids that the heir has in use, while all clips
// that may name them are still of one owner, and then hands the clips over.
func (s *step) handOverClips(theirs string) error {
	err := s.each("SELECT t.n FROM video_tasks t CROSS JOIN video_tasks h ON h.owner = ? AND h.id = t.id WHERE t.owner = ?", func(n int64) error {
		if err := s.tellClip(n); err != nil { // while its id is the one that was booked
			return err
		}
		was, now, err := s.freeID("video_tasks", n)
		if err != nil {
			return err
		}
		for _, column := range []string{"source", "version_of"} {
			if err := s.exec("UPDATE video_tasks SET "+column+" = ? WHERE owner = ? AND "+column+" = ?", now, s.person, was); err != nil {
				return err
			}
		}
		return nil
	}, s.heir, s.person)
	if err != nil {
		return err
	}
	return s.each(theirs, func(n int64) error {
		if err := s.tellClip(n); err != nil {
			return err
		}
		key, err := s.keyOf(n)
		if err != nil {
			return err
		}
		for _, query := range []string{
			// A task of the gateway's is one owner's: the heir's own knows more of it.
			"UPDATE video_tasks SET remote = NULL WHERE n = ?2 AND EXISTS (SELECT 1 FROM video_tasks h WHERE h.owner = ?1 AND h.remote = video_tasks.remote)",
			"UPDATE video_requests SET owner = ? WHERE task = ?",
			"UPDATE video_outputs SET owner = ? WHERE task = ?",
			"UPDATE shares SET owner = ? WHERE task = ?",
			"DELETE FROM share_people WHERE person = ? AND share IN (SELECT n FROM shares WHERE task = ?)",
			"UPDATE video_tasks SET owner = ?, pinned = 0, version = version + 1 WHERE n = ?",
			"DELETE FROM search_rows WHERE video = ?2 AND ?1 > 0",
		} {
			if err := s.exec(query, s.heir, n); err != nil {
				return err
			}
		}
		// Who hands it over copies what is still to be copied of it.
		if err := s.exec("UPDATE video_tasks SET holder = ? WHERE n = ?", s.w.Holder(), n); err != nil {
			return err
		}
		if err := s.exec("UPDATE video_keys SET owner = ? WHERE n = ?", s.heir, key); err != nil {
			return err
		}
		return s.index.NoteVideo(s.w, s.heir, n)
	}, s.person)
}

// tellConversation notes what was booked for a conversation.
func (s *step) tellConversation(n int64) error {
	var cost sql.NullInt64
	var estimated bool
	if err := s.w.Scan(`SELECT sum(cost_nano_usd), coalesce(max(CASE source WHEN 'estimated' THEN 1 ELSE 0 END), 0) FROM ledger
		WHERE owner = ? AND conversation = (SELECT id FROM conversations WHERE n = ?)`, []any{s.person, n}, &cost, &estimated); err != nil || !cost.Valid {
		return err
	}
	return s.exec("UPDATE conversations SET told_nano_usd = told_nano_usd + ?, told_estimated = CASE WHEN ? THEN 1 ELSE told_estimated END WHERE n = ?", cost.Int64, estimated, n)
}

// tellClip notes what was booked for a clip, and whether that came back.
func (s *step) tellClip(n int64) error {
	var cost sql.NullInt64
	var returned bool
	if err := s.w.Scan(`SELECT sum(cost_nano_usd), coalesce(max(CASE kind WHEN 'return' THEN 1 ELSE 0 END), 0) FROM ledger
		WHERE owner = ? AND subject = (SELECT id FROM video_tasks WHERE n = ?)`, []any{s.person, n}, &cost, &returned); err != nil || !cost.Valid {
		return err
	}
	return s.exec("UPDATE video_tasks SET told_nano_usd = coalesce(told_nano_usd, 0) + ?, told_returned = CASE WHEN ? THEN 1 ELSE told_returned END WHERE n = ?", cost.Int64, returned, n)
}
