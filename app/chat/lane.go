package chat

import (
	"slices"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Lane is one way through a conversation's tree, with what answers next.
type Lane struct {
	// Number marks the lane's answers (wire.Message.Lane). It stays the same
	// when other lanes are closed.
	Number int
	Leaf   string // the last message of the way; "" before the first

	of     *Conversation
	model  string // answers next; "" is the one that answered last
	params Params
	// pinned: the person chose this version, so newer siblings don't take over.
	pinned bool
	path   pathOf
}

// pathOf is a lane's path, until its leaf or the tree changes.
type pathOf struct {
	leaf     string
	shape    int
	messages []*Message
}

// Lane returns the lane with this index. Where there is none, it is an empty one
// of no conversation, so that what is drawn or clicked a moment after a lane was
// closed does nothing.
func (c *Conversation) Lane(i int) *Lane {
	if i >= 0 && i < len(c.Lanes) {
		return c.Lanes[i]
	}
	return c.chat.newFresh().Lanes[0]
}

// Index is the place of the lane among those of its conversation; -1 when it was
// closed.
func (l *Lane) Index() int {
	if l.of.nowhere() {
		return -1
	}
	return slices.Index(l.of.Lanes, l)
}

// Path returns the lane's messages, oldest first, as far back as they are known.
// It is not to be changed, and is the same until the lane is led elsewhere or
// messages come.
func (l *Lane) Path() []*Message {
	p := &l.path
	if p.messages == nil || p.leaf != l.Leaf || p.shape != l.of.shape {
		*p = pathOf{l.Leaf, l.of.shape, l.of.pathTo(l.Leaf)}
	}
	return p.messages
}

// last is the last message of the lane, or nil.
func (l *Lane) last() *Message { return l.of.messages[l.Leaf] }

// pathTo is the lane's way up to and with m.
func (l *Lane) pathTo(m *Message) []*Message {
	path := l.Path()
	if i := slices.Index(path, m); i >= 0 {
		return path[:i+1]
	}
	return []*Message{m}
}

// question is the person's message that the lane answered last, with or without
// rounds of functions between.
func (l *Lane) question() string {
	path := l.Path()
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Role == "user" {
			return path[i].ID
		}
	}
	return ""
}

// Running says that an answer is under way at the end of the lane.
func (l *Lane) Running() bool {
	m := l.last()
	return m != nil && m.Running()
}

// Versions returns what stands beside m in the lane, m among it, oldest first:
// the lane's answers to the same message, or the messages of the person's that
// were sent in one another's place.
func (l *Lane) Versions(m *Message) []string {
	if m.Role == "assistant" {
		return l.of.versions(m.Lane, m)
	}
	return l.of.versions(l.Number, m)
}

// Turn leads the lane to another version of a message: by is -1 or 1.
func (l *Lane) Turn(id string, by int) {
	m := l.of.messages[id]
	if m == nil {
		return
	}
	versions := l.Versions(m)
	at := slices.Index(versions, id)
	if to := at + by; at >= 0 && to >= 0 && to < len(versions) {
		l.choose(versions[to])
		l.of.tellLanes(0)
		l.of.changed(PartThread | PartLanes | PartComposer)
	}
}

// choose leads the lane through the message id, down to its newest descendant.
func (l *Lane) choose(id string) {
	l.Leaf, l.pinned = l.of.newestBelow(id, l.Number), true
}

// Focus makes the lane the one that the inspector shows.
func (l *Lane) Focus() {
	if i := l.Index(); i >= 0 && i != l.of.Focused {
		l.of.Focused = i
		l.of.changed(PartLanes | PartComposer)
	}
}

// Choose sets the model that answers next.
func (l *Lane) Choose(id string) {
	c, ch := l.of, l.of.chat
	i := l.Index()
	if i < 0 {
		return
	}
	if i == 0 {
		ch.choice = id
		ch.o.Storage.Set(modelName, id)
	}
	listed := slices.ContainsFunc(ch.session.Models, func(m gateway.Model) bool { return m.ID == id })
	if !c.begun() && len(c.Lanes) == 1 && listed {
		id = "" // the last one chosen anywhere
	}
	l.model = id
	c.Refusal = nil
	c.tellLanes(0)
	c.changed(PartLanes | PartComposer | PartBar)
}

// Model returns the model that answers next: the one chosen here, else the one
// that answered last, else the last one chosen anywhere, else the catalogue's
// first.
func (l *Lane) Model() string {
	if l.model != "" {
		return l.model
	}
	path := l.Path()
	for i := len(path) - 1; i >= 0; i-- {
		if r := path[i].Run; r != nil && r.Model != "" {
			return r.Model
		}
	}
	ch := l.of.chat
	for _, m := range ch.session.Models {
		if m.ID == ch.choice {
			return m.ID
		}
	}
	if len(ch.session.Models) > 0 {
		return ch.session.Models[0].ID
	}
	return ""
}

// Name is what the lane is called: its model, or a letter while the names are
// hidden.
func (l *Lane) Name() string {
	if l.of.Hidden() {
		return "Model " + Letter(l.Index())
	}
	return l.Model()
}

// Letter names a lane by its index: A, B, …
func Letter(lane int) string { return string(rune('A' + lane)) }

// next is the model that answers next, and whether it is asked at another
// endpoint than the catalogue's.
func (l *Lane) next() (m gateway.Model, switched bool) {
	m = l.of.chat.session.Model(l.Model())
	if p := l.params; p.ViaModel == m.ID && p.Via != "" && p.Via != m.Endpoint {
		m.Endpoint = p.Via
		return m, true
	}
	return m, false
}

// Endpoint is where the lane's model is asked.
func (l *Lane) Endpoint() gateway.Endpoint {
	m, _ := l.next()
	return m.Endpoint
}

// Preview returns exactly what sending draft would post, and what the validator
// says of it. Without a model the body is nil.
func (l *Lane) Preview(draft string) (ep gateway.Endpoint, body []byte, v gateway.Verdict) {
	if l.Model() == "" {
		return "", nil, gateway.Verdict{}
	}
	images, _ := l.of.images()
	return l.compose(append(turns(l.Path()), gateway.Turn{Role: "user", Text: TrimDraft(draft), Images: imageLinks(images)}))
}

// compose builds and judges the lane's request for these turns.
func (l *Lane) compose(ts []gateway.Turn) (gateway.Endpoint, []byte, gateway.Verdict) {
	s := l.of.chat.session
	m, switched := l.next()
	options := s.Hello.Gateway.StreamOptions
	body := m.TextBody(l.without(ts), l.params.text(m, options))
	v := s.Catalogue.Validate(m.Endpoint, body, gateway.Options{KeptImages: true, StreamOptions: options, Switched: switched})
	if fault := extraFault(l.params.Extra); fault != nil {
		v.Errors = append(v.Errors, *fault)
	}
	return m.Endpoint, body, v
}

// Judge says what the validator says of a body for a text endpoint.
func (ch *Chat) Judge(ep gateway.Endpoint, body []byte) gateway.Verdict {
	s := ch.session
	return s.Catalogue.Validate(ep, body, gateway.Options{KeptImages: true, StreamOptions: s.Hello.Gateway.StreamOptions})
}

// Stop ends the answer under way in the lane.
func (l *Lane) Stop() {
	if m := l.last(); m != nil {
		l.of.halt(m)
	}
}

// Full says that no more lanes can be opened.
func (c *Conversation) Full() bool { return len(c.Lanes) >= wire.MaxLanes }
