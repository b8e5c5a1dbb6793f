package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"screentest/shared/gateway"
)

const (
	// maxBody is the largest request body in bytes; a larger one is refused
	// with 413.
	maxBody = 4 << 20
	// bodyTimeout is how long a client may take to send its body.
	bodyTimeout = 30 * time.Second
)

// requestIDHeader carries the id of a request back to the client (S).
const requestIDHeader = "X-Oneapi-Request-Id"

// call is one request being answered.
type call struct {
	w       http.ResponseWriter
	r       *http.Request
	id      string   // request id
	account *account // of the key; nil until it was checked
	body    []byte
	record  *record
	shape   shape // of a refusal
}

// shape is how an error is written.
type shape int

const (
	openAI shape = iota // {"error":{"message","type","param","code"}}
	flat                // {"code","message","data":null}, as the video endpoints have it
)

// refusal is a request turned down.
type refusal struct {
	status  int
	code    string
	message string
	param   string // the field concerned
	// openAI forces that shape: refusals before an endpoint is reached have
	// it everywhere.
	openAI bool
}

func (f *refusal) Error() string { return f.code + ": " + f.message }

// invalid is the refusal of a malformed request.
func invalid(param, format string, a ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, code: "invalid_request", param: param, message: fmt.Sprintf(format, a...)}
}

// ServeHTTP answers one request. Paths are taken as they are: a doubled slash
// is another path (F1), and a known path with another method is unknown (F119).
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.inUse.RLock()
	defer s.inUse.RUnlock()
	if s.life.Err() != nil {
		panic(http.ErrAbortHandler)
	}
	c := &call{w: w, r: r, id: newRequestID(s.now())}
	w.Header().Set(requestIDHeader, c.id)
	if r.ContentLength != 0 {
		// Without a deadline, a client that stops half way would be waited for,
		// at an unknown path by the HTTP server itself. A writer that has none,
		// as in some tests, has nobody to wait for.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	}
	path, post, get := r.URL.Path, r.Method == http.MethodPost, r.Method == http.MethodGet
	switch {
	case post && path == gateway.Chat.Path():
		s.serve(c, openAI, s.handleText(gateway.Chat))
	case post && path == gateway.Responses.Path():
		s.serve(c, openAI, s.handleText(gateway.Responses))
	case post && path == gateway.Video.Path():
		s.serve(c, flat, s.handleCreate)
	case get && isPoll(path):
		s.serve(c, flat, s.handleStatus)
	case (get || r.Method == http.MethodHead) && strings.HasPrefix(path, filesPath):
		s.handleFile(c)
	case get && path == "/sandbox/account":
		s.serveOwn(c, s.handleAccount)
	case get && path == "/sandbox/requests":
		s.serveOwn(c, s.handleRequests)
	case post && path == "/sandbox/clock":
		s.serveOwn(c, s.handleClock)
	default:
		s.notFound(c)
	}
}

// serve answers an endpoint of the contract: the key first, then the rest
// (G41). What comes is recorded.
func (s *Server) serve(c *call, shape shape, handle func(*call) error) {
	c.record = s.requests.begin(s.now(), c.r)
	c.shape = shape
	s.answer(c, handle)
}

// serveOwn answers an endpoint for tests. It is not recorded, so that looking
// at the records does not add to them.
func (s *Server) serveOwn(c *call, handle func(*call) error) {
	c.shape = openAI
	s.answer(c, handle)
}

func (s *Server) answer(c *call, handle func(*call) error) {
	err := s.authorize(c)
	if err == nil && c.r.Method == http.MethodPost {
		// A client that neither sends nor reads must not hold up Close.
		rc := http.NewResponseController(c.w)
		defer context.AfterFunc(s.life, func() {
			_ = rc.SetReadDeadline(time.Unix(1, 0))
			_ = rc.SetWriteDeadline(time.Unix(1, 0))
		})()
		err = s.readBody(c)
	}
	if err == nil {
		err = handle(c)
	}
	s.finish(c, err)
}

// finish writes the refusal, if err is one.
func (s *Server) finish(c *call, err error) {
	if err == nil {
		return
	}
	if errors.Is(err, errLeft) {
		// The HTTP server knows this panic and only closes the connection.
		panic(http.ErrAbortHandler)
	}
	var f *refusal
	if !errors.As(err, &f) {
		s.log.Error("request failed", "request", c.id, "path", c.r.URL.Path, "err", err)
		f = &refusal{status: http.StatusInternalServerError, code: "internal_error", message: "the sandbox could not answer; its log says why"}
	}
	c.refuse(f)
}

// notFound answers every path that is not the contract's (F119).
func (s *Server) notFound(c *call) {
	c.record = s.requests.begin(s.now(), c.r)
	c.refuse(&refusal{status: http.StatusNotFound, openAI: true,
		message: fmt.Sprintf("Invalid URL (%s %s)", c.r.Method, cut(c.r.URL.Path, 200))})
}

// authorize finds the key's account (F159, F160, G1).
func (s *Server) authorize(c *call) error {
	// The scheme's name is compared without case, as HTTP has it.
	scheme, key, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		if a := s.bank.account(strings.TrimSpace(key)); a != nil {
			c.account = a
			c.record.setAccount(a)
			return nil
		}
	}
	return &refusal{status: http.StatusUnauthorized, openAI: true, message: "Invalid token"}
}

// readBody reads the body within its limits and checks its type (F115, G38).
func (s *Server) readBody(c *call) error {
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	if err != nil {
		if _, over := errors.AsType[*http.MaxBytesError](err); over {
			return &refusal{status: http.StatusRequestEntityTooLarge, code: "request_too_large",
				message: fmt.Sprintf("the body is larger than %d bytes: send less", maxBody)}
		}
		return invalid("", "the body could not be read whole")
	}
	_ = http.NewResponseController(c.w).SetReadDeadline(time.Time{})
	c.body = body
	c.record.setBody(body)
	switch t, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); {
	case c.r.Header.Get("Content-Type") == "":
		return invalid("", "the Content-Type header is missing: send application/json")
	case err != nil || t != "application/json":
		return invalid("", "the Content-Type is %s: send application/json", strconv.Quote(cut(c.r.Header.Get("Content-Type"), 100)))
	}
	return nil
}

// reply writes v as a JSON reply with status 200.
func (c *call) reply(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, "", "application/json", b)
}

// send writes a whole reply; code is for the record.
func (c *call) send(status int, code, contentType string, body []byte) error {
	c.record.answered(status, code)
	h := c.w.Header()
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.w.WriteHeader(status)
	// An error here means that the client has left, which is its right.
	_, _ = c.w.Write(body)
	return nil
}

// refuse writes an error in the call's shape (S).
func (c *call) refuse(f *refusal) {
	type errorBody struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param,omitempty"`
		Code    string  `json:"code"`
	}
	var body any
	if c.shape == flat && !f.openAI {
		body = struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Data    any    `json:"data"`
		}{f.code, f.message, nil}
	} else {
		e := errorBody{Message: f.message, Type: "new_api_error", Code: f.code}
		switch {
		case f.status == http.StatusUnauthorized:
		case f.status == http.StatusForbidden, f.status == http.StatusServiceUnavailable:
			e.Param = &f.param
		case f.status == http.StatusTooManyRequests:
			e.Type, e.Param = "rate_limit_error", &f.param
		case f.status >= 500:
			e.Type, e.Param = "server_error", &f.param
		default:
			e.Type, e.Param = "invalid_request_error", &f.param
		}
		if e.Type == "new_api_error" {
			e.Message += " (request id: " + c.id + ")"
		}
		body = struct {
			Error errorBody `json:"error"`
		}{e}
	}
	b, err := json.Marshal(body)
	if err != nil {
		// Strings only: this cannot fail.
		panic(err)
	}
	if f.status == http.StatusTooManyRequests {
		c.w.Header().Set("Retry-After", "1")
	}
	_ = c.send(f.status, f.code, "application/json", b)
}

// newRequestID is the time and eight random letters, as such gateways have it.
func newRequestID(now time.Time) string {
	return now.UTC().Format("20060102150405") + rand.Text()[:8]
}

// cut cuts s to at most n bytes, between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
