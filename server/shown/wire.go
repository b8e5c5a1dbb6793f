package shown

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"screentest/server/sight"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// maxWire bounds what is shown of a log, in bytes.
const maxWire = 2 << 20

// ServeWire answers GET /s/{key}/wire/{run} with what was sent for an answer and
// what came, as text.
func (s *Service) ServeWire(w http.ResponseWriter, r *http.Request, v Viewer) error {
	if !s.admitted(w, r, v) {
		return nil
	}
	made, err := s.making(r.Context())
	if err != nil {
		return err
	}
	defer made()
	seen, err := s.Sights.See(r.Context(), r.PathValue("key"), v.Owner)
	if err != nil {
		return err
	}
	return s.sendWire(w, r, seen, r.PathValue("run"), made)
}

func (s *Service) sendWire(w http.ResponseWriter, r *http.Request, seen sight.Sight, run string, made func()) error {
	text, err := s.wireText(r.Context(), seen, run)
	made()
	if err != nil {
		var p *wire.Problem
		if errors.As(err, &p) && p.Code == "not_found" {
			return fs.ErrNotExist
		}
		return err
	}
	private(w.Header())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(text) // an error means that nobody reads it any more
	return nil
}

// wireText is what was sent for an answer, and what came with its times.
func (s *Service) wireText(ctx context.Context, seen sight.Sight, id string) ([]byte, error) {
	if !seen.Wire || seen.Kind != wire.ShareConversation {
		return nil, fs.ErrNotExist
	}
	if ok, err := s.showsRun(ctx, seen, id); !ok {
		return nil, err
	}
	run, log, err := s.Runs.Open(ctx, seen.Owner, id)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	req, err := s.Runs.Request(ctx, seen.Owner, id)
	var p *wire.Problem
	switch {
	case errors.As(err, &p) && p.Code == wire.CodeNoRequest:
		b.WriteString("What was sent is not kept.\n\n")
	case err != nil:
		return nil, err
	default:
		fmt.Fprintf(&b, "Sent to the endpoint %s:\n\n", req.Endpoint)
		body := req.Body[:min(len(req.Body), maxWire)]
		if indentedSize(body) > 2*maxWire || json.Indent(&b, []byte(body), "", "  ") != nil {
			b.WriteString(strings.ToValidUTF8(body, ""))
		}
		if len(body) < len(req.Body) {
			b.WriteString("\n(The rest is left out.)")
		}
		b.WriteString("\n\n")
		if req.Status != 0 {
			fmt.Fprintf(&b, "Answered with HTTP %d, %s.\n\n", req.Status, req.ContentType)
		}
	}
	times, err := s.Runs.Times(ctx, seen.Owner, id)
	if err != nil {
		return nil, err
	}
	came, err := read(ctx, log, maxWire)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "What came, and when after the start:\n\n")
	at := 0
	for end, ms := range times.All { // in whole lines: what is masked doesn't go over one
		n := bytes.LastIndexByte(came[:min(int(end), len(came))], '\n') + 1
		if n > at {
			fmt.Fprintf(&b, "[%d ms]\n%s\n", ms, bytes.TrimRight(came[at:n], "\n"))
			at = n
		}
	}
	b.Write(came[at:])
	if run.Bytes > int64(len(came)) && len(came) >= maxWire {
		fmt.Fprintf(&b, "\nOf what came the first %d MiB are shown.\n", maxWire>>20)
	}
	return []byte(s.masked(b.String())), nil
}

// indentedSize is at least how long a JSON text is with its lines indented by two: of
// one that is deep within itself that is thousands of times the text.
func indentedSize(text string) (n int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		n++
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			n += 2 * depth
		case c == '}' || c == ']':
			depth = max(0, depth-1)
			n += 2 * depth
		case c == ',':
			n += 2 * depth
		}
	}
	return n
}

// showsRun says whether a share shows the answer of a run, by its name: while names
// are hidden, nothing of the wire is shown.
func (s *Service) showsRun(ctx context.Context, seen sight.Sight, run string) (bool, error) {
	if !seen.Live {
		t, err := snapshotFile(seen.Snapshot)
		if err != nil || t.hidden() {
			return false, errors.Join(err, fs.ErrNotExist)
		}
		for _, m := range t.Messages {
			if m.Run != nil && m.Run.ID == run {
				return true, nil
			}
		}
		return false, fs.ErrNotExist
	}
	opened, err := s.Conversations.OpenConversation(ctx, seen.Owner, wire.Page{Conversation: seen.Subject, Limit: 1})
	if err != nil {
		return false, err
	}
	if l := opened.Lanes; l != nil && l.Blind && len(l.Lanes) > 1 {
		return false, fs.ErrNotExist
	}
	r, _, err := s.Runs.Open(ctx, seen.Owner, run)
	if err != nil || r.Conversation != seen.Subject || r.State == wire.Running {
		return false, errors.Join(err, fs.ErrNotExist)
	}
	o, err := s.Conversations.Outline(ctx, seen.Owner, seen.Subject)
	if err != nil {
		return false, err
	}
	if all := newestBranch(o); !slices.ContainsFunc(all, func(b branch) bool { return b.has(o, r.Message) }) {
		return false, fs.ErrNotExist // it answers what the owner asked otherwise since
	}
	return true, nil
}

// read is the beginning of a log.
func read(ctx context.Context, log Log, most int) (p []byte, err error) {
	for end := false; !end && len(p) < most; {
		n := len(p)
		if p, end, err = log.Read(ctx, p, int64(n), min(logPiece, most-n)); err != nil {
			return nil, err
		}
		if len(p) == n {
			break
		}
	}
	return p, nil
}

// persons are the members of a request or an answer that name who asks.
var persons = regexp.MustCompile(`("(?:user|user_id|safety_identifier|prompt_cache_key|organization|project|account)"\s*:\s*)"(?:[^"\\]|\\.)*"`)

// masked is text without what isn't shown: keys, addresses, who asked.
func (s *Service) masked(text string) string {
	text = sight.NoAddresses(text)
	text = persons.ReplaceAllString(text, `$1"[masked]"`)
	for _, secret := range s.Secrets() {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[masked]")
		}
	}
	return reply.Redact(text)
}
