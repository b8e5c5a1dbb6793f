package run

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"screentest/server/payer"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// request is a turn that may be sent.
type request struct {
	run  wire.Run
	to   Target
	body []byte
}

// admit checks a turn before anything is kept of it, the body with the same
// code as the browser did.
func (m *Manager) admit(s wire.Start, by payer.Payer) (request, *wire.Problem) {
	for _, id := range []struct{ field, value string }{
		{"run", s.Run}, {"conversation", s.Conversation}, {"user.id", s.User.ID}, {"answer", s.Answer},
	} {
		if u, err := uuid.Parse(id.value); err != nil || u.String() != id.value {
			return request{}, &wire.Problem{Code: "invalid_request", Field: id.field,
				Message: id.field + " must be a UUID in lower case."}
		}
	}
	ep := gateway.Endpoint(s.Endpoint)
	if ep != gateway.Chat && ep != gateway.Responses {
		return request{}, &wire.Problem{Code: "invalid_request", Field: "endpoint",
			Message: "endpoint must be one of the text endpoints.", Allowed: []string{string(gateway.Chat), string(gateway.Responses)}}
	}
	if len(s.Body) > wire.MaxBody {
		return request{}, &wire.Problem{Code: "body_too_large", Field: "body",
			Message: fmt.Sprintf("The request is %d bytes long; at most %d can be sent.", len(s.Body), wire.MaxBody),
			Hint:    "Start a new conversation, or shorten the message."}
	}
	to, p := m.Targets(by.Gateway)
	if p != nil {
		return request{}, p
	}
	if v := m.Catalogue().Validate(ep, s.Body, gateway.Options{KeptImages: true, StreamOptions: to.StreamOptions, Switched: s.Switched, Now: m.Now()}); !v.OK() {
		is := v.Errors[0]
		return request{}, &wire.Problem{Code: is.Code, Field: is.Field, Message: is.Message, Hint: is.Hint, Allowed: is.Allowed}
	}
	if by.Secret == "" {
		return request{}, &wire.Problem{Code: "key_missing", Message: "No key for the gateway has been entered.",
			Hint: "Enter it in the settings."}
	}
	var named struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(s.Body, &named); err != nil {
		return request{}, &wire.Problem{Code: "invalid_request", Field: "body", Message: "The request is not a JSON object."}
	}
	if p := by.Refuses(named.Model); p != nil {
		return request{}, p
	}
	return request{
		to: to, body: s.Body,
		run: wire.Run{
			ID: s.Run, Conversation: s.Conversation, Message: s.Answer, Lane: s.Lane,
			Endpoint: s.Endpoint, Model: named.Model, State: wire.Running,
			StartedMS: m.Now().UnixMilli(), Team: by.Team, PaidBy: by.Label,
		},
	}, nil
}

// opening is the text that a new conversation is named after.
func opening(s wire.Start) string {
	if len(s.Before) > 0 {
		return s.Before[0].Text
	}
	return s.User.Text
}

// title makes a new conversation's title of its first message: its first words
// on one line, at most 60 characters.
func title(text string) string {
	const most = 60
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	t := strings.ToValidUTF8(strings.Join(words, " "), "")
	if t == "" {
		return "New conversation"
	}
	if utf8.RuneCountInString(t) <= most {
		return t
	}
	t = string([]rune(t)[:most])
	if i := strings.LastIndexByte(t, ' '); i > most/2 {
		t = t[:i]
	}
	return t + "…"
}
