package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/strictjson"
)

// maxSilence is how long [[silent]] says nothing before the connection breaks.
const maxSilence = 10 * time.Minute

// errLeft ends a call by breaking its connection: the client left, the server
// closes, or the script wants it so.
var errLeft = errors.New("the connection is broken off")

// handleText answers both text endpoints: the order of checks is G41's.
func (s *Server) handleText(ep gateway.Endpoint) func(*call) error {
	return func(c *call) error {
		root, model, err := s.judge(ep, c.body)
		if err != nil {
			return err
		}
		conv := readConversation(ep, root)
		conv.told = readTold(model, root)
		a := compose(model, conv)
		if done, err := s.injectStatus(c, a.script); done || err != nil {
			return err
		}
		most := model.TextPrice(a.usage()).Cost
		if !s.bank.reserve(c.account, most) {
			return refuseBalance(most, s.bank.freeOf(c.account))
		}
		t := &textCall{s: s, call: c, a: a, created: s.now().Unix(), includeUsage: conv.usage && !a.script.noUsage}
		var sent int64
		subject := ""
		// A call that is broken off is charged all the same.
		defer func() { s.bookText(c.account, model, subject, most, a.in, sent) }()
		switch stream := conv.stream && !a.script.json; {
		case ep == gateway.Chat && stream:
			subject = newID("chatcmpl-")
			sent, err = t.chatStream(subject)
		case ep == gateway.Chat:
			subject = newID("chatcmpl-")
			sent, err = t.chatJSON(subject)
		case stream:
			subject = newID("resp_")
			sent, err = t.responsesStream(subject)
		default:
			subject = newID("resp_")
			sent, err = t.responsesJSON(subject)
		}
		return err
	}
}

// judge finds what is wrong with a body (G41): first the JSON, then the model,
// then the endpoint and the fields.
func (s *Server) judge(ep gateway.Endpoint, body []byte) (*strictjson.Value, gateway.Model, error) {
	catalogue := s.catalogue.Load()
	verdict := catalogue.Validate(ep, body, gateway.Options{StreamOptions: true})
	// Without lengths the validator can only bound seconds by the number of
	// references (G20). Here they are measured, and the range that is reported
	// is the true one (F149).
	verdict.Errors = slices.DeleteFunc(verdict.Errors, func(i gateway.Issue) bool { return i.Fact == "G20" })
	doc, err := strictjson.Parse(body, strictjson.Limits{Bytes: maxBody})
	if err != nil || doc.Root.Kind != strictjson.Object {
		if verdict.OK() {
			return nil, gateway.Model{}, invalid("", "the body is not a JSON object: %v", err)
		}
		return nil, gateway.Model{}, refuseIssue(verdict.Errors[0])
	}
	var model gateway.Model
	clash := !verdict.OK() && verdict.Errors[0].Fact == "G42"
	if id, ok := doc.Root.Get("model"); ok && id.Kind == strictjson.String && id.Text != "" && !clash {
		var known bool
		if model, known = catalogue.Lookup(id.Text); !known {
			return nil, model, &refusal{status: gateway.Status(gateway.CodeModelNotFound), code: gateway.CodeModelNotFound, param: "model", openAI: true,
				message: fmt.Sprintf("No available channel for model %s under group default", cut(id.Text, 200))}
		}
	}
	if !verdict.OK() {
		return nil, model, refuseIssue(verdict.Errors[0])
	}
	return &doc.Root, model, nil
}

// maxAllowed is how many allowed values are listed one by one. Only ranges have
// more.
const maxAllowed = 20

// refuseIssue is a validator's error as the gateway sends it: in words, with
// the values that would do and what to do, for there is no other place for
// them in the shape of S.
func refuseIssue(i gateway.Issue) *refusal {
	message := i.Message
	if n := len(i.Allowed); n > maxAllowed {
		message += "; allowed: " + i.Allowed[0] + " to " + i.Allowed[n-1]
	} else if n > 0 && !strings.Contains(message, strings.Join(i.Allowed, ", ")) {
		message += "; allowed: " + strings.Join(i.Allowed, ", ")
	}
	if i.Hint != "" {
		message = strings.TrimSuffix(message, ".") + ". " + i.Hint
	}
	return &refusal{status: gateway.Status(i.Code), code: i.Code, param: i.Field, message: message}
}

// injectStatus answers with the status that the script asks for, the first
// time that this body comes.
func (s *Server) injectStatus(c *call, sc script) (done bool, err error) {
	if sc.status == 0 || !s.once.first(s.now(), c.r.URL.Path, c.account.name, c.body) {
		return false, nil
	}
	return s.sendStatus(c, sc.status, sc.statusBody)
}

func (s *Server) sendStatus(c *call, status int, body string) (done bool, err error) {
	switch body {
	case "html":
		text := fmt.Sprintf("<html>\r\n<head><title>%d %s</title></head>\r\n<body>\r\n<center><h1>%[1]d %[2]s</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n",
			status, http.StatusText(status))
		return true, c.send(status, "", "text/html", []byte(text))
	case "empty":
		return true, c.send(status, "", "", nil)
	}
	code := map[int]string{http.StatusForbidden: gateway.CodeInsufficientQuota, http.StatusTooManyRequests: "rate_limit_exceeded",
		http.StatusServiceUnavailable: gateway.CodeModelNotFound, http.StatusUnauthorized: ""}
	f := &refusal{status: status, code: "server_error", openAI: status == http.StatusUnauthorized,
		message: fmt.Sprintf("sandbox: status %d, as the prompt asked for; the same request is answered normally next", status)}
	if status == http.StatusUnauthorized {
		f.message = "Invalid token"
	}
	if known, ok := code[status]; ok {
		f.code = known
	} else if status < 500 {
		f.code = gateway.CodeInvalidRequest
	}
	return true, f
}

// textCall is one text request that was accepted.
type textCall struct {
	s            *Server
	call         *call
	a            *answer
	created      int64 // Unix seconds
	includeUsage bool
}

// bookText charges a text call for the tokens that were sent, and releases
// what was reserved for it. Sent is negative for a call that the gateway failed,
// which costs nothing. Search has no fee (F166).
func (s *Server) bookText(a *account, m gateway.Model, subject string, most money.NanoUSD, in, sent int64) {
	s.bank.mu.Lock()
	defer s.bank.mu.Unlock()
	a.reserved -= most
	if sent < 0 {
		return
	}
	cost := m.TextPrice(gateway.Usage{InputTokens: in, OutputTokens: sent, Reported: true}).Cost
	if err := s.journal.append(line{Charge: &charge{a.name, subject, cost}}, false); err != nil {
		s.log.Error("a charge is not in the journal", "subject", subject, "err", err)
	}
	a.book("charge", subject, cost)
}

// failed is the number of tokens that a call is charged for which the gateway
// itself failed.
const failed = -1

// waitWhole waits as long as a stream of the answer would take, for a reply
// that comes in one piece.
func (t *textCall) waitWhole() error {
	sl := sleeper{ctx: t.call.r.Context(), quit: t.s.life.Done()}
	p := t.s.pace(t.a.script, t.a.seed)
	if !sl.until(time.Now().Add(p.due(int(t.a.out)))) {
		return errLeft
	}
	if t.a.script.silent {
		sl.until(time.Now().Add(maxSilence))
		return errLeft
	}
	return nil
}

// wholeReply sends a JSON reply, or what the script makes of it, and returns
// the tokens to be charged.
func (t *textCall) wholeReply(body []byte) (int64, error) {
	sc := t.a.script
	if sc.drop || sc.truncate {
		// Half of it: with the connection broken, or, for want of a length,
		// ended as if it were whole.
		h := t.call.w.Header()
		h.Set("Content-Type", "application/json")
		t.call.record.answered(http.StatusOK, "")
		t.call.w.WriteHeader(http.StatusOK)
		_, _ = t.call.w.Write(body[:len(body)/2])
		_ = http.NewResponseController(t.call.w).Flush()
		if sc.drop {
			return t.a.out, errLeft
		}
		return t.a.out, nil
	}
	return t.a.out, t.call.send(http.StatusOK, "", "application/json", body)
}

// fault is the error of [[fail]] and [[error]].
func (t *textCall) fault() *refusal {
	message := t.a.script.fail
	if message == "" {
		message = "sandbox: injected error"
	}
	return &refusal{status: http.StatusInternalServerError, code: "server_error", message: message}
}

func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()) }
