package spend

import (
	"encoding/json"
	"strings"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Hook is the form of the web hook: the address that is told when a share of a
// budget is spent.
type Hook struct {
	desk *Desk

	Now     *wire.Hook // nil before it came
	Text    string     // what is typed; the address that is set is never told again
	Problem *wire.Problem
	Busy    bool
	Done    string // what went well

	asked bool
}

// FieldHook is the id of its field.
const FieldHook = "hook-url"

// Want has it asked for, unless it is there.
func (h *Hook) Want() {
	if !h.asked {
		h.asked = true
		h.desk.Server.Call(wire.OpHook, struct{}{}, func(data json.RawMessage, p *wire.Problem) { h.answered(data, p, "") })
	}
}

// renew asks again on a new connection; what is typed stays.
func (h *Hook) renew() {
	if h.asked {
		h.asked = false
		h.Want()
	}
}

// Type takes what is typed.
func (h *Hook) Type(s string) {
	h.Text, h.Problem, h.Done = s, nil, ""
	h.desk.Changed()
}

// Save sets the address.
func (h *Hook) Save() {
	if strings.TrimSpace(h.Text) == "" {
		h.Problem = &wire.Problem{Field: FieldHook, Message: "Enter the address that should be called."}
		h.desk.Changed()
		return
	}
	h.ask(wire.OpSetHook, wire.HookSettings{URL: strings.TrimSpace(h.Text)}, "The web hook is saved.")
}

// Remove takes the address away.
func (h *Hook) Remove() { h.ask(wire.OpSetHook, wire.HookSettings{}, "The web hook is removed.") }

// Try calls it.
func (h *Hook) Try() { h.ask(wire.OpTryHook, struct{}{}, "") }

func (h *Hook) ask(op wire.Op, args any, done string) {
	if h.Busy {
		return
	}
	h.Busy, h.Done, h.Problem = true, "", nil
	h.desk.Server.Call(op, args, func(data json.RawMessage, p *wire.Problem) {
		h.Busy = false
		h.answered(data, p, done)
	})
	h.desk.Changed()
}

func (h *Hook) answered(data json.RawMessage, p *wire.Problem, done string) {
	var now wire.Hook
	if h.Problem = session.Read(data, p, &now); h.Problem == nil {
		h.Now = &now
		if h.Done = done; done != "" {
			h.Text = ""
		}
	}
	h.desk.Changed()
}

// Last says how the last call went; "" before there was one.
func (h *Hook) Last() (words string, bad bool) {
	if h.Now == nil || h.Now.AtMS == 0 {
		return "", false
	}
	c := h.desk.Clock
	when := c.DateOf(h.Now.AtMS).Words(c.Today()) + " at " + c.Time(h.Now.AtMS)[:len("15:04")]
	if h.Now.Trouble != "" {
		return "Called on " + when + ". " + h.Now.Trouble, true
	}
	return "Called on " + when + ". It took it.", false
}
