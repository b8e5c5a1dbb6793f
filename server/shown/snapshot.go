package shown

import (
	"encoding/json"
	"errors"
	"strings"

	"screentest/shared/wire"
)

// A file is a conversation as the export has it, as far as it is shown. Its messages
// have the names that the wire has for them.
type file struct {
	Title string `json:"title"`
	Lanes *struct {
		Blind bool        `json:"blind"`
		Lanes []wire.Lane `json:"lanes"`
	} `json:"lanes"`
	Messages []wire.Message `json:"messages"`
}

func (f file) hidden() bool { return f.Lanes != nil && f.Lanes.Blind && len(f.Lanes.Lanes) > 1 }

// snapshotFile reads a conversation as it was when it was shared.
func snapshotFile(raw []byte) (file, error) {
	var all struct {
		Conversations []file `json:"conversations"`
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return file{}, err
	}
	if len(all.Conversations) != 1 {
		return file{}, errors.New("a snapshot of not one conversation")
	}
	return all.Conversations[0], nil
}

// snapshot is what a page shows of a conversation as it was; see window for before.
func snapshot(raw []byte, before string) (thread, error) {
	f, err := snapshotFile(raw)
	if err != nil {
		return thread{}, err
	}
	o := wire.Outline{}
	places := map[string]int{}
	messages := map[string]wire.Message{}
	var ids, roles strings.Builder
	for _, m := range f.Messages {
		if m.Role == "" || len(m.ID) != len("00000000-0000-0000-0000-000000000000") {
			continue
		}
		parent, there := places[m.Parent]
		if !there {
			parent = -1
		}
		places[m.ID] = o.Len()
		messages[m.ID] = m
		ids.WriteString(m.ID)
		roles.WriteByte(m.Role[0])
		o.Parents, o.Lanes, o.Lengths = append(o.Parents, parent), append(o.Lanes, m.Lane), append(o.Lengths, len(m.Text))
	}
	o.IDs, o.Roles = ids.String(), roles.String()
	var lanes *wire.Lanes
	if f.Lanes != nil {
		lanes = &wire.Lanes{Blind: f.Lanes.Blind, Lanes: f.Lanes.Lanes}
	}
	return threadOf(f.Title, lanes, o, before, "", func([]string) (map[string]wire.Message, error) {
		return messages, nil
	})
}
