package model

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
	// Via is the endpoint at which the gateway serves the model ViaModel,
	// whatever the catalogue says; see Desk.Switch.
	Via      gateway.Endpoint `json:"via,omitempty"`
	ViaModel string           `json:"via_model,omitempty"`
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
func (d *Desk) Offers(lane int, name string) (o Offered, shown bool) {
	m, _ := d.laneModel(lane)
	for _, f := range m.Fields(m.Mode) {
		if f.Name == name {
			return offered(f)
		}
	}
	return Offered{}, false
}

// WebSearches says whether the lane's model has the built-in web search (F38).
func (d *Desk) WebSearches(lane int) bool {
	m, _ := d.laneModel(lane)
	return searches(m)
}

func searches(m gateway.Model) bool {
	return m.Family == gateway.Epsilon || m.Family == gateway.Unknown && m.Endpoint == gateway.Responses
}

// laneModel is the model that answers next in a lane, and whether it is asked
// at another endpoint than the catalogue's.
func (d *Desk) laneModel(lane int) (m gateway.Model, switched bool) {
	m = d.Model(d.LaneModel(lane))
	if c := d.On(); lane >= 0 && lane < len(c.Lanes) {
		if p := c.Lanes[lane].Params; p.ViaModel == m.ID && p.Via != "" && p.Via != m.Endpoint {
			m.Endpoint = p.Via
			return m, true
		}
	}
	return m, false
}

// Elsewhere is the endpoint to go to after the gateway has said that a lane's
// model is not served where it was asked (F116); "" for another failure.
func (d *Desk) Elsewhere(m *Message) gateway.Endpoint {
	if m.Run == nil || m.Run.Problem == nil || m.Run.Problem.Code != gateway.CodeWrongEndpoint {
		return ""
	}
	if m.Run.Endpoint == string(gateway.Chat) {
		return gateway.Responses
	}
	return gateway.Chat
}

// Switch asks a lane's model at another endpoint from now on, and again for the
// answer id that was refused.
func (d *Desk) Switch(lane int, id string, ep gateway.Endpoint) {
	c := d.Current
	if c == nil || lane >= len(c.Lanes) || c.messages[id] == nil || c.messages[id].Run == nil {
		return
	}
	p := &c.Lanes[lane].Params
	p.Via, p.ViaModel = ep, c.messages[id].Run.Model
	c.Lanes[lane].Model = p.ViaModel
	d.Retry(lane, id)
}

// textParams is what of p goes into a request to m.
func (d *Desk) textParams(m gateway.Model, p Params) gateway.TextParams {
	t := gateway.TextParams{
		System: p.System, Stream: !p.Whole,
		IncludeUsage: d.Hello.Gateway.StreamOptions && m.Endpoint == gateway.Chat,
	}
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
	return n
}

// Params returns a lane's parameters.
func (d *Desk) Params(lane int) Params {
	if c := d.On(); lane >= 0 && lane < len(c.Lanes) {
		return c.Lanes[lane].Params.clone()
	}
	return Params{}
}

// SetParams sets a lane's parameters.
func (d *Desk) SetParams(lane int, p Params) {
	c := d.On()
	if lane < 0 || lane >= len(c.Lanes) {
		return
	}
	c.Lanes[lane].Params = p.clone()
	d.Refusal = nil
	d.keepLanes(c, paramsDelay)
	d.changed(PartComposer)
}

// ApplyToAll gives every lane the parameters of one.
func (d *Desk) ApplyToAll(lane int) {
	c := d.On()
	p := d.Params(lane)
	for i := range c.Lanes {
		c.Lanes[i].Params = p.clone()
	}
	d.keepLanes(c, 0)
	d.changed(PartComposer)
}
