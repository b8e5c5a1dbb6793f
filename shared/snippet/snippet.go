// Package snippet writes a call of a gateway as code that people can copy: a
// curl command, or a small program in Go, Python or JavaScript. Use [Write].
//
// What it writes runs as it stands, with nothing but the language's own
// library, and sends the body to the byte: the same bytes that were validated,
// sent or are about to be. Only those of [Clients] need OpenAI's own client, and
// write the body as its arguments. The key is never in it: it is read from the
// environment variable [KeyEnv]. A streamed answer is printed as it comes; a
// video task is created once, never again by itself (G35), and polled until it
// ends.
package snippet

import (
	"encoding/json"
	"strings"

	"screentest/shared/gateway"
)

// KeyEnv names the environment variable that a snippet reads the gateway's key
// from.
const KeyEnv = "GATEWAY_KEY"

// Language is what a snippet is written in.
type Language string

// The languages.
const (
	Curl       Language = "curl" // for a POSIX shell; curl 7.76 or later
	Go         Language = "go"
	Python     Language = "python"     // 3.7 or later
	JavaScript Language = "javascript" // for Node 18 or later
)

// Languages are all of them, in the order in which they are offered.
func Languages() []Language { return []Language{Curl, Go, Python, JavaScript} }

// Name is the language as people write it.
func (l Language) Name() string {
	switch l {
	case Go:
		return "Go"
	case Python:
		return "Python"
	case JavaScript:
		return "JavaScript"
	case PythonClient:
		return "Python, openai"
	case JavaScriptClient:
		return "JavaScript, openai"
	}
	return string(l)
}

// File is what a file with such a snippet is called.
func (l Language) File() string {
	switch l {
	case Go:
		return "main.go"
	case Python, PythonClient:
		return "call.py"
	case JavaScript:
		return "call.js"
	case JavaScriptClient:
		return "call.mjs"
	}
	return "call.sh"
}

// Request is the call to be written.
type Request struct {
	BaseURL  string // of the gateway, as wire.Gateway has it
	Endpoint gateway.Endpoint
	// Body is sent as it is. It may be any bytes: what the gateway would say to
	// them is not looked at.
	Body []byte
}

// Write returns the request as code in a language. The text is valid UTF-8 and
// holds no control character but the line feed and, in Go, the tab, so that a
// clipboard or a terminal can't change it. It is empty for a language or an
// endpoint that does not exist.
func Write(l Language, r Request) string {
	if r.Endpoint.Path() == "" {
		return ""
	}
	switch l {
	case Curl:
		return curl(r)
	case Go:
		return golang(r)
	case Python:
		return python(r)
	case JavaScript:
		return javaScript(r)
	case PythonClient:
		return pythonClient(r)
	case JavaScriptClient:
		return javaScriptClient(r)
	}
	return ""
}

// URL is where the request goes (F1: no doubled slash, a prefix is kept).
func (r Request) URL() string {
	return strings.TrimRight(r.BaseURL, "/") + r.Endpoint.Path()
}

// kind is which of its programs a language needs.
type kind int

const (
	whole           kind = iota // one JSON reply
	chatStream                  // F41–F43
	responsesStream             // F44–F51
	video                       // create and poll
)

func (r Request) kind() kind {
	if r.Endpoint == gateway.Video {
		return video
	}
	var ask struct {
		Stream bool `json:"stream"`
	}
	switch err := json.Unmarshal(r.Body, &ask); {
	case err != nil || !ask.Stream:
		return whole
	case r.Endpoint == gateway.Chat:
		return chatStream
	}
	return responsesStream
}

// fill puts the request into a program: @url and @body stand for literals of
// its language, @key for the name of the variable.
func fill(program, url, body string) string {
	return strings.NewReplacer("@url", url, "@body", body, "@key", KeyEnv).Replace(program)
}
