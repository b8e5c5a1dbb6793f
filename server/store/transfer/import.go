package transfer

import (
	"context"
	"io"
	"runtime/debug"
	"slices"

	"github.com/google/uuid"

	"screentest/server/picture"
	"screentest/server/store/chat"
	"screentest/shared/wire"
)

// Import stores what Export wrote, all of it or nothing. A conversation of
// which an id is in use gets new ones; so does a library entry, unless the same
// is there. Of too many pinned conversations the last changed are pinned. A
// *wire.Problem says what is wrong with the file, and where.
//
// It is stored in small steps, so that what others write gets in between, see
// [chat.Staging].
func (t *Transfer) Import(ctx context.Context, owner string, from io.Reader) (wire.Imported, error) {
	count := &counting{r: from}
	done, err := t.importAll(ctx, owner, count)
	if count.n >= largeImport {
		debug.FreeOSMemory() // a server with nothing to do would keep it for long
	}
	return done, err
}

// largeImport is a file that takes so much memory to read that it is given back
// at once, in bytes.
const largeImport = 4 << 20

// counting counts what is read.
type counting struct {
	r io.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (t *Transfer) importAll(ctx context.Context, owner string, from io.Reader) (done wire.Imported, err error) {
	file, err := readFile(from)
	if err != nil {
		return done, err
	}
	s, err := t.chat.Stage(ctx, owner)
	if err != nil {
		return done, err
	}
	defer s.Close() // undoes what was not published
	for i := range file.Conversations {
		id, err := stage(s, file.Conversations[i], &done)
		if err != nil {
			return wire.Imported{}, err
		}
		if i == 0 {
			done.Open = id
		}
		file.Conversations[i] = transferConversation{} // lets go of its texts
	}
	if done.Entries, err = s.Publish(file.Library); err != nil {
		return wire.Imported{}, err
	}
	return done, nil
}

// stage stages one conversation, counts it, and returns its id here.
func stage(s *chat.Staging, c transferConversation, done *wire.Imported) (id string, err error) {
	taken, err := anyTaken(s, c)
	if err != nil {
		return "", err
	}
	name := func(id string) string { return id }
	if taken {
		name = renaming()
		done.Renewed++
	}
	return name(c.ID), stageAs(s, c, name, done)
}

// stageAs stages a conversation with ids by their names here, and counts it.
func stageAs(s *chat.Staging, c transferConversation, name func(string) string, done *wire.Imported) error {
	done.Conversations++
	err := s.Conversation(wire.Summary{ID: name(c.ID), Title: c.Title, Pinned: c.Pinned, Models: c.Models, CreatedMS: c.CreatedMS, UpdatedMS: c.UpdatedMS})
	for _, i := range c.Images {
		if err != nil {
			return err
		}
		var found wire.Image
		if found, err = picture.Look(i.Data); err == nil { // it was looked at when the file was read
			err = s.Image(found, i.Data)
		}
	}
	for i := range c.Messages {
		if err != nil {
			return err
		}
		done.Messages++
		if c.Messages[i].Run != nil {
			done.Runs++
		}
		err = s.Message(c.Messages[i].message(name))
	}
	for _, v := range c.Votes {
		if err != nil {
			return err
		}
		done.Votes++
		vote := wire.Vote{Message: name(v.Message), Models: v.Models, Bad: v.Bad, Tags: v.Tags, Blind: v.Blind, VoteMS: v.VoteMS}
		if v.Winner != "" {
			vote.Winner = name(v.Winner)
		}
		err = s.Vote(vote)
	}
	if c.Lanes != nil && err == nil {
		lanes := wire.Lanes{Blind: c.Lanes.Blind, Lanes: slices.Clone(c.Lanes.Lanes)}
		for i, l := range lanes.Lanes {
			if l.Leaf != "" {
				lanes.Lanes[i].Leaf = name(l.Leaf)
			}
		}
		err = s.Lanes(lanes)
	}
	return err
}

// anyTaken says whether an id of c is in use.
func anyTaken(s *chat.Staging, c transferConversation) (taken bool, err error) {
	taken, err = s.Taken(chat.ConversationID, c.ID)
	for _, m := range c.Messages {
		if taken || err != nil {
			break
		}
		taken, err = s.Taken(chat.MessageID, m.ID)
		if m.Run != nil && !taken && err == nil {
			taken, err = s.Taken(chat.RunID, m.Run.ID)
		}
	}
	return taken, err
}

// renaming gives each id a new one, the same each time.
func renaming() func(string) string {
	names := map[string]string{}
	return func(id string) string {
		if names[id] == "" {
			names[id] = uuid.NewString()
		}
		return names[id]
	}
}
