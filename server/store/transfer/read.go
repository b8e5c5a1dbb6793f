package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"screentest/server/store/chat"
	"screentest/server/store/sqlite"
	"screentest/shared/wire"
)

// readTransfer reads and checks a file of the format of [file]. An error is
// a *wire.Problem whose field is the place in the file, but for those of
// reading itself.
func readTransfer(from io.Reader) (t file, err error) {
	r := &importReader{dec: json.NewDecoder(from), ids: map[string]string{}}
	r.dec.DisallowUnknownFields()
	err = r.object("", func(name string) error {
		switch name {
		case "format":
			return r.value(name, &t.Format)
		case "version":
			return r.value(name, &t.Version)
		case "exported_ms":
			return r.value(name, &t.ExportedMS)
		case "conversations":
			if t.Format != exportFormat || t.Version != exportVersion {
				return badImport("format", "This is not a file of conversations of version %d: its format and version do not come first, or are others.", exportVersion)
			}
			t.Conversations = []transferConversation{} // none is a list, too
			return r.list(name, maxImportedConversations, func(path string) error {
				c, err := r.conversation(path)
				t.Conversations = append(t.Conversations, c)
				return err
			})
		case "library":
			return r.list(name, wire.MaxEntries, func(path string) error {
				var e wire.LibraryEntry
				if err := r.value(path, &e); err != nil {
					return err
				}
				if err := r.unique(path+".id", "library "+e.ID); err != nil {
					return err
				}
				e, err := chat.CheckEntry(e)
				t.Library = append(t.Library, e)
				return at(path, err)
			})
		}
		return badImport(name, "There is no field of this name.")
	})
	if err == nil && t.Conversations == nil {
		err = badImport("conversations", "This is not a file of conversations: it has none.")
	}
	if err == nil {
		if _, more := r.dec.Token(); more != io.EOF {
			err = badImport("", "There is more in the file behind its end.")
		}
	}
	return t, err
}

func badImport(path, format string, args ...any) error {
	return sqlite.BadField("bad_import", path, format, args...)
}

// at puts the place in the file in front of the field that a check names.
func at(path string, err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	moved := *e
	if moved.Problem.Field = path + "." + e.Problem.Field; e.Problem.Field == "" {
		moved.Problem.Field = path
	}
	return &moved
}

// An importReader decodes a file piece by piece and knows where it is.
type importReader struct {
	dec      *json.Decoder
	ids      map[string]string // where each id was first
	messages int
}

// value decodes the next value.
func (r *importReader) value(path string, v any) error { return r.explain(path, r.dec.Decode(v)) }

// explain says where what encoding/json did not like is.
func (r *importReader) explain(path string, err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind):
		if kind.Field != "" {
			path += "." + kind.Field
		}
		return badImport(strings.TrimPrefix(path, "."), "This is a %s, which cannot stand here.", kind.Value)
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return badImport(path, "The file is not JSON, or is cut off, near byte %d.", r.dec.InputOffset())
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return badImport(path, "There is no field %s here.", strings.TrimPrefix(err.Error(), "json: unknown field "))
	case strings.HasPrefix(err.Error(), "json: "):
		return badImport(path, "This cannot be read.")
	}
	return err
}

func (r *importReader) delim(path string, want json.Delim) error {
	t, err := r.dec.Token()
	if err != nil {
		return r.explain(path, err)
	}
	if t != want {
		return badImport(path, "Here a %q is to begin or end.", want.String())
	}
	return nil
}

// object calls field for each field of the object that comes; each once.
func (r *importReader) object(path string, field func(name string) error) error {
	if err := r.delim(path, '{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for r.dec.More() {
		t, err := r.dec.Token()
		if err != nil {
			return r.explain(path, err)
		}
		name, _ := t.(string)
		if seen[name] {
			return badImport(strings.TrimPrefix(path+"."+name, "."), "This field is there twice.")
		}
		seen[name] = true
		if err := field(name); err != nil {
			return err
		}
	}
	return r.delim(path, '}')
}

// list calls item for each item of the list that comes.
func (r *importReader) list(path string, most int, item func(path string) error) error {
	if err := r.delim(path, '['); err != nil {
		return err
	}
	for i := 0; r.dec.More(); i++ {
		if i == most {
			return badImport(path, "There are more than %d, which is the limit.", most)
		}
		if err := item(fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return r.delim(path, ']')
}

// unique wants an id that was not there before.
func (r *importReader) unique(path, id string) error {
	if first, ok := r.ids[id]; ok {
		return badImport(path, "The same id is at %s.", first)
	}
	r.ids[id] = path
	return nil
}

func (r *importReader) id(path, id string) error {
	if _, ok := sqlite.ParseID(id); !ok {
		return badImport(path, "An id is a UUID in lower case.")
	}
	return r.unique(path, id)
}

func (r *importReader) conversation(path string) (c transferConversation, err error) {
	roles := map[string]string{} // of the messages so far, by id
	err = r.object(path, func(name string) error {
		path := path + "." + name
		switch name {
		case "id":
			return r.value(path, &c.ID)
		case "title":
			return r.value(path, &c.Title)
		case "pinned":
			return r.value(path, &c.Pinned)
		case "models":
			return r.value(path, &c.Models)
		case "created_ms":
			return r.value(path, &c.CreatedMS)
		case "updated_ms":
			return r.value(path, &c.UpdatedMS)
		case "lanes":
			return r.value(path, &c.Lanes)
		case "messages":
			return r.list(path, wire.MaxImported, func(path string) error {
				if r.messages++; r.messages > wire.MaxImported {
					return badImport(path, "The file has more than %d messages, which is the limit.", wire.MaxImported)
				}
				var m transferMessage
				if err := r.value(path, &m); err != nil {
					return err
				}
				c.Messages = append(c.Messages, m)
				return r.message(path, m, roles)
			})
		case "votes":
			return r.value(path, &c.Votes)
		}
		return badImport(path, "There is no field of this name.")
	})
	if err != nil {
		return c, err
	}
	switch n := utf8.RuneCountInString(c.Title); {
	case chat.CleanTitle(c.Title) != c.Title || n > chat.MaxTitle:
		return c, badImport(path+".title", "A title has 1 to %d characters, on one line.", chat.MaxTitle)
	case len(c.Models) > maxModels:
		return c, badImport(path+".models", "The models have at most %d bytes.", maxModels)
	case !isTime(c.CreatedMS):
		return c, badImport(path+".created_ms", "This is not a time in milliseconds.")
	case !isTime(c.UpdatedMS):
		return c, badImport(path+".updated_ms", "This is not a time in milliseconds.")
	}
	if err := r.id(path+".id", c.ID); err != nil {
		return c, err
	}
	if c.Lanes != nil {
		if _, err := chat.CheckLanes(wire.Lanes{Lanes: c.Lanes.Lanes}); err != nil {
			return c, at(path, err)
		}
	}
	return c, checkVotes(path, c.Votes, roles)
}

func isTime(ms int64) bool { return ms >= 0 && ms <= maxTime }

func checkVotes(path string, votes []transferVote, roles map[string]string) error {
	seen := map[string]bool{}
	for i, v := range votes {
		path := fmt.Sprintf("%s.votes[%d]", path, i)
		if _, err := chat.CheckVote(wire.Vote{Models: v.Models}); err != nil {
			return at(path, err)
		}
		switch role := roles[v.Message]; {
		case role == "" || role == "assistant" || seen[v.Message]:
			return badImport(path+".message", "A vote is on a message that was answered, one on each.")
		case v.Winner != "" && roles[v.Winner] != "assistant":
			return badImport(path+".winner", "This is no answer of the conversation.")
		case !isTime(v.VoteMS):
			return badImport(path+".vote_ms", "This is not a time in milliseconds.")
		}
		seen[v.Message] = true
	}
	return nil
}

// message checks a message and notes its role.
func (r *importReader) message(path string, m transferMessage, roles map[string]string) error {
	if err := r.id(path+".id", m.ID); err != nil {
		return err
	}
	above := roles[m.Parent]
	switch {
	case m.Parent != "" && above == "":
		return badImport(path+".parent", "No message before this one has this id.")
	case !slices.Contains([]string{"user", "assistant", "tool"}, m.Role):
		return badImport(path+".role", `A role is "user", "assistant" or "tool".`)
	case m.Role == "tool" && above != "assistant" && above != "tool":
		return badImport(path+".parent", "A function's result follows the answer that called the function.")
	case len(m.Text) > maxImportedText:
		return badImport(path+".text", "A text has at most %d MiB.", maxImportedText>>20)
	case m.Lane < 0 || m.Lane > chat.MaxLane:
		return badImport(path+".lane", "A lane is a number from 0 to %d.", chat.MaxLane)
	case !isTime(m.CreatedMS):
		return badImport(path+".created_ms", "This is not a time in milliseconds.")
	case (m.Role == "assistant") != (m.Run != nil):
		return badImport(path+".run", "An answer has a run, and no other message has one.")
	}
	if err := chat.CheckTool(path, wire.Message{Role: m.Role, ToolCall: m.ToolCall, Tool: m.Tool}); err != nil {
		return err
	}
	roles[m.ID] = m.Role
	if m.Run == nil {
		return nil
	}
	size := len(m.Text)
	for i, c := range m.Run.Calls {
		if size += len(c.Arguments); size > maxImportedText {
			return badImport(fmt.Sprintf("%s.run.calls[%d].arguments", path, i), "The text of an answer and the arguments of its calls have at most %d MiB together.", maxImportedText>>20)
		}
	}
	return r.run(path+".run", m.Run)
}

func (r *importReader) run(path string, t *transferRun) error {
	if err := r.id(path+".id", t.ID); err != nil {
		return err
	}
	for _, n := range []struct {
		field string
		value int64
	}{
		{"first_token_ms", t.FirstTokenMS}, {"duration_ms", t.DurationMS}, {"input_tokens", t.InputTokens}, {"output_tokens", t.OutputTokens}, {"started_ms", t.StartedMS},
	} {
		if !isTime(n.value) {
			return badImport(path+"."+n.field, "This is too large, or below 0.")
		}
	}
	for _, s := range []struct {
		field, value string
		least, most  int
	}{
		{"model", t.Model, 1, chat.MaxModel}, {"answered", t.Answered, 0, chat.MaxModel}, {"finish", t.Finish, 0, chat.MaxModel}, {"basis", t.Basis, 0, maxBasis},
	} {
		if len(s.value) < s.least || len(s.value) > s.most {
			return badImport(path+"."+s.field, "This has %d to %d bytes.", s.least, s.most)
		}
	}
	switch {
	case t.Endpoint != "chat" && t.Endpoint != "responses":
		return badImport(path+".endpoint", `An endpoint is "chat" or "responses".`)
	case !slices.Contains([]wire.RunState{wire.Done, wire.Stopped, wire.Failed, wire.Incomplete, wire.Interrupted}, t.State):
		return badImport(path+".state", "This is not a state that a run ends in.")
	case t.Lane < 0 || t.Lane > chat.MaxLane:
		return badImport(path+".lane", "A lane is a number from 0 to %d.", chat.MaxLane)
	case !slices.Contains([]string{"", "reported", "computed", "estimated"}, t.CostSource):
		return badImport(path+".cost_source", `A cost is "reported", "computed" or "estimated".`)
	case t.CostNanoUSD != 0 && t.CostSource == "":
		return badImport(path+".cost_source", "A cost has a source.")
	case len(t.Calls) > maxCalls:
		return badImport(path+".calls", "An answer has at most %d calls.", maxCalls)
	}
	if p := t.Problem; p != nil {
		size := len(p.Code) + len(p.Message) + len(p.Hint) + len(p.Field) + len(p.Request) + len(p.Raw)
		for _, s := range p.Allowed {
			size += len(s) + 1
		}
		if size > maxImportedProblem {
			return badImport(path+".problem", "What went wrong has at most %d KiB.", maxImportedProblem>>10)
		}
	}
	for i, c := range t.Calls {
		if len(c.ID) > wire.MaxToolName || len(c.Name) > wire.MaxToolName {
			return badImport(fmt.Sprintf("%s.calls[%d]", path, i), "The id and the name of a call have at most %d bytes.", wire.MaxToolName)
		}
	}
	return nil
}
