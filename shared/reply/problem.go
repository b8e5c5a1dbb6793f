package reply

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Codes of the problems that are ours: what came was no error of the
// gateway's own, or it gave none a name. A gateway's own code is kept as it is.
const (
	CodeBadKey      = "bad_key"           // 401 (G1)
	CodeForbidden   = "forbidden"         // 403
	CodeNotFound    = "not_found"         // 404
	CodeTooLarge    = "request_too_large" // 413
	CodeRateLimited = "rate_limited"      // 429
	CodeTimeout     = "gateway_timeout"   // 408, 504
	CodeConflict    = "conflict"          // 409
	CodeServerError = "gateway_error"     // other 5xx, and errors without name or status
	CodeRefused     = "request_refused"   // other 4xx
	CodeRedirect    = "gateway_redirect"  // 3xx

	CodeFailed        = "answer_failed"          // the stream says that it failed, and not why
	CodeTruncated     = "gateway_truncated"      // F43: the end mark is missing
	CodeNoEndMark     = "gateway_no_end_mark"    // whole, but for the end mark
	CodeTooLong       = "answer_too_long"        // past a limit of ours
	CodeEmpty         = "gateway_empty"          // nothing came
	CodeHTML          = "gateway_html"           // a web page came
	CodeNotUnderstood = "gateway_not_understood" // neither JSON nor an event stream

	CodeUnreachable = "gateway_unreachable" // no connection
	CodeSilent      = "gateway_silent"      // connected, then nothing for too long
	CodeDropped     = "gateway_dropped"     // the connection broke
	CodeInvalidKey  = "invalid_key"         // a key that cannot be sent (F159)
	CodeStopped     = "stopped"             // ended from our side
	CodeNoTask      = "no_task"             // a creation reply without an id (G35)
	CodeNoFile      = "file_unavailable"    // a file host refuses a file
)

// Kind says what can be done about a problem.
type Kind uint8

// The kinds.
const (
	Other   Kind = iota
	Request      // the request is wrong: change it
	Key          // the key was refused: enter it again (G1)
	Quota        // the balance is too low (G4)
	Missing      // there is no such task or address (G2)
	NoModel      // there is no such model (G3)
	Busy         // too many calls, or a time-out: later
	Server       // the gateway failed: later
	Broken       // no reply came, or not all of it
	Misread      // what came is no reply of a gateway: the address is wrong
)

// advice is what is known about a code or a status: its name for programs,
// what it means, and what to do.
type advice struct {
	code    string
	kind    Kind
	message string
	hint    string
}

// adviceFor is the one table from codes to words. ok is false for a code that
// is not in it.
func adviceFor(code string) (advice, bool) {
	a := advice{code: code}
	switch code {
	case CodeBadKey, "invalid_api_key", "authentication_error", "invalid_token":
		a.kind, a.message, a.hint = Key, "The gateway refused the key.", "Enter the key again in the settings. If it is right, look in the gateway's dashboard whether it is still valid."
	case CodeForbidden, "permission_error", "access_denied":
		a.kind, a.message, a.hint = Key, "The key isn’t allowed to do this.", "Look in the gateway's dashboard what the key may be used for."
	case gateway.CodeInsufficientQuota, "insufficient_quota", "billing_hard_limit_reached", "pre_consume_token_quota_failed":
		a.kind, a.message, a.hint = Quota, "The balance at the gateway is too low.", "Add to the balance in the gateway's dashboard, or choose a cheaper model."
	case gateway.CodeModelNotFound, "model_not_available":
		a.kind, a.message, a.hint = NoModel, "The gateway doesn’t have this model, or not for this key.", "Choose another model, or check its name in the catalogue."
	case gateway.CodeTaskNotExist:
		a.kind, a.message, a.hint = Missing, "The gateway doesn’t know this task.", "It may belong to another key, or have been deleted."
	case CodeNotFound:
		a.kind, a.message, a.hint = Missing, "The gateway has nothing at this address.", "Check the gateway's base URL: it ends before /v1."
	case gateway.CodeRequestTooLarge:
		a.kind, a.message, a.hint = Request, "The request is too large for the gateway.", "Shorten the conversation or the prompt."
	case "context_length_exceeded", "string_above_max_length":
		a.kind, a.message, a.hint = Request, "The conversation is too long for the model.", "Start a new conversation, or choose a model with a larger context."
	case CodeRateLimited, "rate_limit_exceeded", "rate_limit_error", "too_many_requests":
		a.kind, a.message, a.hint = Busy, "Rate limit reached.", "Wait a moment, then retry."
	case CodeTimeout:
		a.kind, a.message, a.hint = Busy, "The gateway waited too long for the model.", "Retry. If it happens again, try another model."
	case CodeConflict:
		a.kind, a.message, a.hint = Busy, "The gateway is busy with another call for the same thing.", "Wait a moment, then retry."
	case CodeServerError, "server_error", "internal_error", "internal_server_error", "upstream_error", "bad_response_status_code", "do_request_failed", "overloaded_error", "engine_overloaded":
		a.kind, a.message, a.hint = Server, "The gateway failed.", "Retry. If it happens again, try another model, or ask whoever runs the gateway."
	case CodeRefused, gateway.CodeInvalidRequest, "invalid_request_error":
		a.kind, a.message, a.hint = Request, "The gateway refused the request.", "Look at the request in the inspector, and change what the message names."
	case gateway.CodeWrongEndpoint:
		a.kind, a.message, a.hint = Request, "This model is called through another endpoint.", "Switch the model's endpoint." // F116
	case gateway.CodeStreamRequired:
		a.kind, a.message, a.hint = Request, "This model only answers as a stream.", "Switch streaming on."
	case gateway.CodeUnsupportedParameter, "unsupported_value", "unknown_parameter":
		a.kind, a.message, a.hint = Request, "The model doesn’t take one of the parameters.", "Remove the parameter."
	case gateway.CodeInvalidSeconds:
		a.kind, a.message, a.hint = Request, "The model doesn’t make clips of that length.", "Choose one of the allowed values."
	case gateway.CodeReferenceSeconds:
		a.kind, a.message, a.hint = Request, "The seconds are not the clip's length plus that of its references.", "Choose a value in the allowed range." // F149
	case gateway.CodeSourceModeMismatch:
		a.kind, a.message, a.hint = Request, "The model's tier is not that of the source clip.", "Choose the extend model of the source's tier." // F128
	case gateway.CodeSourceMismatch:
		a.kind, a.message, a.hint = Request, "The model doesn’t fit the source clip.", "Choose the model that the message names." // F136
	case gateway.CodeUpstreamRejected:
		a.kind, a.message, a.hint = Request, "The model doesn’t take this clip as a source.", "Upscale an original clip, not the result of another action." // F130
	case gateway.CodeSourceNotReady:
		a.kind, a.message, a.hint = Request, "The source clip isn’t finished.", "Wait until it is, or choose another." // G19
	case gateway.CodeResultExpired:
		a.kind, a.message, a.hint = Request, "The clip has expired: the gateway deletes files after 14 days.", "Make the clip again." // F104
	case "content_filter", "content_policy_violation", "moderation_blocked":
		a.kind, a.message, a.hint = Request, "The gateway's content filter stopped the call.", "Change the prompt."
	case CodeRedirect:
		a.kind, a.message, a.hint = Misread, "The gateway's address redirects elsewhere. The key was not sent there.", "If the other address is right, make it the base URL."
	case CodeFailed:
		a.kind, a.message, a.hint = Server, "The gateway says that the answer failed.", "Retry, or try another model."
	case CodeTruncated:
		a.kind, a.message, a.hint = Broken, "The reply stopped before its end.", "What came is kept. Retry for a whole answer."
	case CodeNoEndMark:
		a.kind, a.message, a.hint = Other, "The model said that it had finished, and the gateway ended the stream without its end mark.", "The answer is whole, as far as can be told."
	case CodeTooLong:
		a.kind, a.message, a.hint = Other, "The reply is larger than what is taken: "+strconv.Itoa(MaxAnswer>>20)+" MiB of text, or "+strconv.Itoa(MaxBody>>20)+" MiB in one piece.", "What came before is kept. Ask for a shorter answer."
	case CodeEmpty:
		a.kind, a.message, a.hint = Broken, "The gateway sent an empty reply.", "Retry. If it happens again, check the gateway's base URL."
	case CodeHTML:
		a.kind, a.message, a.hint = Misread, "A web page came back, not a reply of a gateway.", "Check the gateway's base URL."
	case CodeNotUnderstood:
		a.kind, a.message, a.hint = Misread, "What came back is neither JSON nor an event stream.", "Check the gateway's base URL."
	case CodeUnreachable:
		a.kind, a.message, a.hint = Broken, "The gateway cannot be reached.", "Check the gateway's base URL and the network, then retry."
	case CodeSilent:
		a.kind, a.message, a.hint = Broken, "The gateway sent nothing for too long.", "What came is kept. Retry. The call may have been billed."
	case CodeDropped:
		a.kind, a.message, a.hint = Broken, "The connection to the gateway broke.", "What came is kept. Retry. The call may have been billed."
	case CodeInvalidKey:
		a.kind, a.message, a.hint = Key, "The key cannot be sent.", "Copy the key again from the gateway's dashboard: letters, digits and signs, without spaces or line breaks."
	case CodeNoTask:
		a.kind, a.message, a.hint = Broken, "The gateway accepted the task but gave no id for it.", "It may have been billed: look in the gateway's dashboard before sending it again."
	case CodeStopped:
		a.kind, a.message, a.hint = Other, "The call was ended before the gateway had answered.", "What came is kept."
	case CodeNoFile:
		a.kind, a.message, a.hint = Missing, "The file is not there, or its link is no longer valid.", "Look at the task again: its clip may have expired."
	default:
		return a, false
	}
	return a, true
}

// codeOfStatus names an HTTP status for which the gateway gave no code.
func codeOfStatus(status int) string {
	switch {
	case status == 401:
		return CodeBadKey
	case status == 403:
		return CodeForbidden
	case status == 404:
		return CodeNotFound
	case status == 408 || status == 504:
		return CodeTimeout
	case status == 409:
		return CodeConflict
	case status == 413:
		return CodeTooLarge
	case status == 429:
		return CodeRateLimited
	case status >= 300 && status < 400:
		return CodeRedirect
	case status >= 400 && status < 500:
		return CodeRefused
	}
	return CodeServerError
}

// KindOf classifies a problem, by its code before its status (G3): a 503 with
// model_not_found is no failure of the server.
func KindOf(p *wire.Problem) Kind {
	if p == nil {
		return Other
	}
	if a, ok := adviceFor(p.Code); ok {
		return a.kind
	}
	if p.Status == 0 {
		return Other
	}
	a, _ := adviceFor(codeOfStatus(p.Status))
	return a.kind
}

// Repeatable says whether a GET that met this problem may be sent again by
// itself: statuses 408, 409, 429 and 5xx, unless the code says that it is in
// vain (G3). A POST never is (G35).
func Repeatable(p *wire.Problem) bool {
	switch s := p.Status; {
	case s == 408 || s == 409 || s == 429 || s >= 500:
		k := KindOf(p)
		return k == Busy || k == Server || k == Other
	}
	return false
}

// NewProblem is the problem with that code, in words for people. said is what
// the other side said, or a detail; it may be empty.
func NewProblem(code, said string) *wire.Problem {
	a, ok := adviceFor(code)
	if !ok {
		a, _ = adviceFor(CodeServerError)
	}
	p := &wire.Problem{Code: code, Message: a.message, Hint: a.hint}
	if said = plain([]byte(said)); said != "" && said != a.message {
		p.Message += " It says: " + said
	}
	return p
}

// WithRetryAfter adds how long the gateway asks to wait.
func WithRetryAfter(p *wire.Problem, d time.Duration) {
	if d <= 0 {
		return
	}
	p.RetryAfterMS = d.Milliseconds()
	n, unit := max(1, int64(math.Ceil(d.Seconds()))), "second"
	if n >= 120 {
		n, unit = (n+59)/60, "minute"
	}
	if n > 1 {
		unit += "s"
	}
	p.Hint = "Retry in " + strconv.FormatInt(n, 10) + " " + unit + "."
}

// Bounds of what is kept of a gateway's words, in bytes.
const (
	maxRaw  = 2 << 10 // Problem.Raw
	maxSaid = 600     // what goes into Problem.Message
)

// plain makes one line of text for people out of anything: no control
// characters, nothing that turns the direction of writing, nothing that looks
// like a key, at most maxSaid bytes.
func plain(b []byte) string {
	s := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case c == utf8.RuneError || !unicode.IsPrint(c):
			return -1
		}
		return c
	}, string(b[:min(len(b), 4*maxSaid)]))
	return clip(Redact(strings.Join(strings.Fields(s), " ")), maxSaid)
}

// rawText is the start of a body as it came, as far as it is text.
func rawText(b []byte) string {
	return Redact(clip(strings.ToValidUTF8(string(b[:min(len(b), maxRaw+utf8.UTFMax)]), "\ufffd"), maxRaw))
}

// clip cuts s to n bytes at most, at the end of a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
