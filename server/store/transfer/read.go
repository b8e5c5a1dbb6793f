package transfer

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"screentest/server/picture"
	"screentest/server/store/chat"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// readFile reads and checks a file. An error is a *wire.Problem whose field is
// the place in the file, but for those of reading itself.
func readFile(from io.Reader) (f file, err error) {
	err = json.UnmarshalRead(from, &f, json.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true), json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(func(*jsontext.Decoder, *transferConversation) error {
			if err := f.checkFormat(); err != nil {
				return err
			}
			return json.SkipFunc
		}),
		atMost[transferConversation](maxImportedConversations),
		atMost[transferMessage](wire.MaxImported),
		atMost[wire.LibraryEntry](wire.MaxEntries),
	)))
	if err != nil {
		return f, explain(err)
	}
	if err := f.checkFormat(); err != nil {
		return f, err
	}
	if f.Conversations == nil {
		return f, badImport("conversations", "This is not a file of conversations: it has none.")
	}
	c := checker{ids: map[string]string{}}
	for i := range f.Conversations {
		if err := c.conversation(fmt.Sprintf("conversations[%d]", i), &f.Conversations[i]); err != nil {
			return f, err
		}
	}
	for i, e := range f.Library {
		path := fmt.Sprintf("library[%d]", i)
		if err := c.unique(path+".id", "library "+e.ID); err != nil {
			return f, err
		}
		if f.Library[i], err = chat.CheckEntry(e); err != nil {
			return f, at(path, err)
		}
	}
	return f, nil
}

// checkFormat is asked before the first conversation is read, too, so that a
// large file of another kind is refused at once.
func (f *file) checkFormat() error {
	if f.Format != exportFormat || f.Version != exportVersion {
		return badImport("format", "This is not a file of conversations of version %d: its format and version do not come first, or are others.", exportVersion)
	}
	return nil
}

// atMost refuses more than most values of a type before they are read.
func atMost[T any](most int) *json.Unmarshalers {
	n := 0
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ *T) error {
		if n++; n > most {
			return badImport(place(d.StackPointer()), "There are more of these in the file than %d, which is the limit.", most)
		}
		return json.SkipFunc
	})
}

// explain says where what could not be decoded is.
func explain(err error) error {
	var known *engine.Error
	var syntax *jsontext.SyntacticError
	var kind *json.SemanticError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return badImport(place(syntax.JSONPointer), "This field is there twice.")
	case errors.As(err, &syntax):
		return badImport(place(syntax.JSONPointer), "The file is not JSON, or is cut off, near byte %d.", syntax.ByteOffset)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return badImport("", "The file is empty, or is cut off.")
	case errors.As(err, &kind) && errors.Is(err, json.ErrUnknownName):
		return badImport(place(kind.JSONPointer), "There is no field of this name.")
	case errors.As(err, &kind):
		return badImport(place(kind.JSONPointer), "This is %s, which cannot stand here.", kindName(kind.JSONKind))
	}
	return err
}

// kindName is what people call a kind of JSON value.
func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "a " + k.String()
}

var index = regexp.MustCompile(`\.(\d+)`)

// place is a place in the file as people write it: conversations[0].title.
func place(p jsontext.Pointer) string {
	return index.ReplaceAllString(strings.ReplaceAll(strings.TrimPrefix(string(p), "/"), "/", "."), "[$1]")
}

func badImport(path, format string, args ...any) error {
	return engine.BadField("bad_import", path, format, args...)
}

// at puts the place in the file in front of the field that a check names.
func at(path string, err error) error {
	var e *engine.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	moved := *e
	if moved.Problem.Field = path + "." + e.Problem.Field; e.Problem.Field == "" {
		moved.Problem.Field = path
	}
	return &moved
}

// A checker looks at what was decoded.
type checker struct {
	ids map[string]string // where each id was first
}

// unique wants an id that was not there before.
func (r *checker) unique(path, id string) error {
	if first, ok := r.ids[id]; ok {
		return badImport(path, "The same id is at %s.", first)
	}
	r.ids[id] = path
	return nil
}

func (r *checker) id(path, id string) error {
	if _, ok := engine.ParseID(id); !ok {
		return badImport(path, "An id is a UUID in lower case.")
	}
	return r.unique(path, id)
}

func (r *checker) conversation(path string, c *transferConversation) error {
	if err := r.id(path+".id", c.ID); err != nil {
		return err
	}
	images, err := r.images(path, c.Images)
	if err != nil {
		return err
	}
	roles := map[string]string{} // of the messages so far, by id
	for i := range c.Messages {
		path := fmt.Sprintf("%s.messages[%d]", path, i)
		if err := r.message(path, &c.Messages[i], roles); err != nil {
			return err
		}
		for k, image := range c.Messages[i].Images {
			if !images[image.ID] {
				return badImport(fmt.Sprintf("%s.images[%d].id", path, k), "The conversation has no image of this id among its images.")
			}
		}
	}
	switch n := utf8.RuneCountInString(c.Title); {
	case chat.CleanTitle(c.Title) != c.Title || n > chat.MaxTitle:
		return badImport(path+".title", "A title has 1 to %d characters, on one line.", chat.MaxTitle)
	case len(c.Models) > maxModels:
		return badImport(path+".models", "The models have at most %d bytes.", maxModels)
	case !isTime(c.CreatedMS):
		return badImport(path+".created_ms", "This is not a time in milliseconds.")
	case !isTime(c.UpdatedMS):
		return badImport(path+".updated_ms", "This is not a time in milliseconds.")
	}
	if c.Lanes != nil {
		if _, err := chat.CheckLanes(wire.Lanes{Lanes: c.Lanes.Lanes}); err != nil {
			return at(path, err)
		}
	}
	return checkVotes(path, c.Votes, roles)
}

// images are the ids of a conversation's images, each of which is what its content
// says.
func (r *checker) images(path string, list []transferImage) (map[string]bool, error) {
	ids := map[string]bool{}
	for i, image := range list {
		path := fmt.Sprintf("%s.images[%d]", path, i)
		found, err := picture.Look(image.Data)
		var p *wire.Problem
		switch {
		case errors.As(err, &p):
			return nil, badImport(path+".data", "%s", p.Message)
		case err != nil:
			return nil, err
		case found.ID != image.ID || ids[image.ID]:
			return nil, badImport(path+".id", "The id of an image is the SHA-256 of its bytes, in hex, and each is there once.")
		}
		ids[image.ID] = true
	}
	return ids, nil
}

func isTime(ms int64) bool { return ms >= 0 && ms <= maxTime }

func checkVotes(path string, votes []transferVote, roles map[string]string) error {
	seen := map[string]bool{}
	for i, v := range votes {
		path := fmt.Sprintf("%s.votes[%d]", path, i)
		if _, err := chat.CheckVote(wire.Vote{Models: v.Models, Winner: v.Winner, Bad: v.Bad, Tags: v.Tags}); err != nil {
			return at(path, err)
		}
		switch role := roles[v.Message]; {
		case role == "" || role == "assistant" || role == written || seen[v.Message]:
			return badImport(path+".message", "A vote is on a message that was answered, one on each.")
		case v.Winner != "" && roles[v.Winner] != "assistant":
			return badImport(path+".winner", "This is no model's answer of the conversation.")
		case !isTime(v.VoteMS):
			return badImport(path+".vote_ms", "This is not a time in milliseconds.")
		}
		seen[v.Message] = true
	}
	return nil
}

// written is the role of an answer that a person wrote, which calls no function and
// takes part in no vote.
const written = "written"

// message checks a message and notes its role.
func (r *checker) message(path string, m *transferMessage, roles map[string]string) error {
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
	case m.Role != "assistant" && m.Run != nil:
		return badImport(path+".run", "Only an answer has a run.")
	}
	checked := wire.Message{Role: m.Role, ToolCall: m.ToolCall, Tool: m.Tool, Images: m.Images}
	if err := cmp.Or(chat.CheckTool(path, checked), chat.CheckImages(path, checked)); err != nil {
		return err
	}
	roles[m.ID] = m.Role
	if m.Run == nil {
		if m.Role == "assistant" {
			roles[m.ID] = written
		}
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

func (r *checker) run(path string, t *transferRun) error {
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
