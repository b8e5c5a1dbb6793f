package chat

import (
	"encoding/json"
	"strings"

	"screentest/shared/gateway"
)

// Params are the parameters of a lane as the person set them. What a model
// must not be sent, or what has no effect on it, stays here and is left out of
// the request, so that a change of the model loses nothing.
type Params struct {
	System      string     `json:"system,omitempty"`
	Temperature *float64   `json:"temperature,omitempty"` // nil: not sent
	TopP        *float64   `json:"top_p,omitempty"`       // nil: not sent
	Whole       bool       `json:"whole,omitempty"`       // the answer comes in one piece: stream false
	User        string     `json:"user,omitempty"`        // "": not sent
	WebSearch   bool       `json:"web_search,omitempty"`
	Functions   []Function `json:"functions,omitempty"`
	Further
	// Via is the endpoint at which the gateway serves the model ViaModel,
	// whatever the catalogue says; see Lane.Switch.
	Via      gateway.Endpoint `json:"via,omitempty"`
	ViaModel string           `json:"via_model,omitempty"`
	// NoImages: a model that takes no images is asked without those of the
	// conversation; see Conversation.LeaveImages.
	NoImages bool `json:"no_images,omitempty"`
}

// Function is a function that the model may call.
type Function struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Parameters is a JSON Schema as it was typed; it was checked before it
	// was taken.
	Parameters string `json:"parameters,omitempty"`
	Sample     string `json:"sample,omitempty"` // what a result begins as
	Off        bool   `json:"off,omitempty"`    // kept, and not sent
}

// Offered is a parameter of a lane's model as a form is to offer it.
type Offered struct {
	gateway.Field
	// Sent says that what is set goes into the request.
	Sent bool
}

// offered says of a field whether a form offers it, and whether it is sent:
// what must not be sent is not offered, and what has no effect is shown with
// that and left out.
func offered(f gateway.Field) (o Offered, shown bool) {
	return Offered{Field: f, Sent: f.Standing != gateway.NoEffect}, f.Standing != gateway.Forbidden
}

// Offers returns the parameter name as the lane's model takes it. shown is
// false where a form must not offer it.
func (l *Lane) Offers(name string) (o Offered, shown bool) {
	m, _ := l.next()
	for _, f := range m.Fields(m.Mode) {
		if f.Name == name {
			return offered(f)
		}
	}
	return Offered{}, false
}

// WebSearches says whether the lane's model has the built-in web search (F38).
func (l *Lane) WebSearches() bool {
	m, _ := l.next()
	return searches(m)
}

func searches(m gateway.Model) bool {
	return m.Family == gateway.Epsilon || m.Family == gateway.Unknown && m.Endpoint == gateway.Responses
}

// Switch asks the lane's model at another endpoint from now on, and again for
// the answer id that was refused.
func (l *Lane) Switch(id string, ep gateway.Endpoint) {
	m := l.of.messages[id]
	if m == nil || m.Run == nil {
		return
	}
	l.params.Via, l.params.ViaModel = ep, m.Run.Model
	l.model = m.Run.Model
	l.of.changed(PartLanes) // what is offered there may be other parameters
	l.Retry(id)
}

// text is what of the parameters goes into a request to m; usage says that the
// gateway can be asked for the tokens of a stream.
func (p Params) text(m gateway.Model, usage bool) gateway.TextParams {
	t := gateway.TextParams{System: p.System, Stream: !p.Whole, IncludeUsage: usage && m.Endpoint == gateway.Chat}
	for _, f := range m.Fields(m.Mode) {
		o, shown := offered(f)
		if !shown || !o.Sent {
			continue
		}
		switch f.Name {
		case "temperature":
			t.Temperature = p.Temperature
		case "top_p":
			t.TopP = p.TopP
		case "stream":
			if f.Standing == gateway.Required {
				t.Stream = true
			}
		case "user":
			if p.User != "" {
				t.User = &p.User
			}
		case "tools":
			t.Tools = tools(m, p)
		}
	}
	t.More, t.Extra = p.members(m), json.RawMessage(p.Extra)
	return t
}

func tools(m gateway.Model, p Params) []gateway.Tool {
	var ts []gateway.Tool
	for _, f := range p.Functions {
		if !f.Off {
			ts = append(ts, gateway.Tool{
				Type: "function", Name: f.Name, Description: f.Description,
				Parameters: json.RawMessage(strings.TrimSpace(f.Parameters)),
			})
		}
	}
	if p.WebSearch && searches(m) {
		ts = append(ts, gateway.Tool{Type: "web_search"})
	}
	return ts
}

// clone copies what a change of one lane's parameters must not change in
// another's.
func (p Params) clone() Params {
	if p.Temperature != nil {
		t := *p.Temperature
		p.Temperature = &t
	}
	if p.TopP != nil {
		t := *p.TopP
		p.TopP = &t
	}
	p.Functions = append([]Function(nil), p.Functions...)
	p.Further = p.Further.clone()
	return p
}

// Set counts what differs from the parameters of a new lane.
func (p Params) Set() int {
	n := 0
	for _, set := range []bool{p.System != "", p.Temperature != nil, p.TopP != nil, p.Whole, p.User != "", p.WebSearch} {
		if set {
			n++
		}
	}
	for _, f := range p.Functions {
		if !f.Off {
			n++
		}
	}
	return n + p.Further.set()
}

// Params returns the lane's parameters.
func (l *Lane) Params() Params { return l.params.clone() }

// SetParams sets the lane's parameters.
func (l *Lane) SetParams(p Params) {
	l.params = p.clone()
	l.of.Refusal = nil
	l.of.tellLanes(paramsDelay)
	l.of.changed(PartLanes | PartComposer)
}

// ApplyToAll gives every lane the parameters of this one.
func (l *Lane) ApplyToAll() {
	for _, o := range l.of.Lanes {
		o.params = l.params.clone()
	}
	l.of.tellLanes(0)
	l.of.changed(PartLanes | PartComposer)
}
