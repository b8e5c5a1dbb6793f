package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/reply"

	"screentest/shared/wire"
)

const (
	// probeWithin bounds a whole test, probeEach one of its requests.
	probeWithin = 12 * time.Second
	probeEach   = 6 * time.Second
	// maxProbe bounds what is read of an answer, in bytes: lists of models are long.
	maxProbe = 4 << 20
)

// probed is the answer to one request of a test.
type probed struct {
	err    error
	status int
	html   bool
	body   []byte
	to     string // of a redirect
	from   netip.Addr
}

// refused says that the answer refuses the key, or that there is none.
func (p probed) refused() bool { return p.err == nil && p.status == http.StatusUnauthorized }

// Probe looks what is at the client's address, in some seconds and without a
// request that could be billed: it asks for the list of models, and sends each
// endpoint an empty object, which no model can answer. key is "" or
// gateway.NoKey for none. models counts what a list of models has; nil:
// nobody does. What is found is told to no one else: see Options.Judged.
func (c *Client) Probe(ctx context.Context, key string, models func(list []byte) (n int, ok bool)) wire.GatewayFound {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	if key == gateway.NoKey {
		key = ""
	}
	found := wire.GatewayFound{Address: c.Base.String(), Lines: []wire.FoundLine{}}
	say := func(mark, text, hint string) {
		found.Lines = append(found.Lines, wire.FoundLine{Mark: mark, Text: text, Hint: hint})
	}
	defer func() { found.TookMS = time.Since(began).Milliseconds() }()

	list := c.look(ctx, key, http.MethodGet, modelsPath, nil)
	if text, hint := c.noGateway(list); text != "" {
		say(wire.MarkBad, text, hint)
		found.TookMS = time.Since(began).Milliseconds()
		return found
	}
	say(wire.MarkGood, "The address answers"+where(list.from)+".", "")

	endpoints := []gateway.Endpoint{gateway.Chat, gateway.Responses, gateway.Video}
	answers := make([]probed, len(endpoints))
	var bare, bareList probed // without a key
	var all sync.WaitGroup
	for i, ep := range endpoints {
		all.Go(func() { answers[i] = c.look(ctx, key, http.MethodPost, ep.Path(), []byte("{}")) })
	}
	if key != "" {
		all.Go(func() { bare = c.look(ctx, "", http.MethodPost, gateway.Chat.Path(), []byte("{}")) })
		all.Go(func() { bareList = c.look(ctx, "", http.MethodGet, modelsPath, nil) })
	}
	all.Wait()

	found.Key = judgeKey(key, append(answers, list), []probed{bare, bareList}, []probed{answers[0], list})
	say(keyLine(found.Key, key))
	mark, text, hint := endpointLine(endpoints, answers, found.Key)
	say(mark, text, hint)
	say(modelsLine(list, models))
	found.OK = mark != wire.MarkBad && found.Key != wire.KeyRefused && found.Key != wire.KeyWanted
	found.TookMS = time.Since(began).Milliseconds()
	return found
}

const modelsPath = "/v1/models"

// look sends one request of a test and follows no redirect.
func (c *Client) look(ctx context.Context, key, method, path string, payload []byte) (p probed) {
	ctx, cancel := context.WithTimeout(ctx, probeEach)
	defer cancel()
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		if at, err := netip.ParseAddrPort(i.Conn.RemoteAddr().String()); err == nil {
			p.from = at.Addr()
		}
	}})
	var body io.Reader
	if payload != nil {
		body = io.NopCloser(bytes.NewReader(payload)) // sent once, see call
	}
	req, err := http.NewRequestWithContext(traced, method, c.url(path), body)
	if err != nil {
		p.err = err
		return p
	}
	if payload != nil {
		req.ContentLength = int64(len(payload))
		req.Header.Set("Content-Type", "application/json")
	}
	authorize(req, key)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "screentest")
	h := &http.Client{Transport: c.api.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := h.Do(req)
	if err != nil {
		m := newMask(key)
		p.err = m.cause(err)
		if context.Cause(ctx) == nil {
			problem := reply.NewProblem(reply.CodeUnreachable, "")
			if why := unreachable(p.err); why != "" {
				problem.Message += " " + why
			}
			c.reached(problem)
		}
		return p
	}
	c.reached(nil)
	defer res.Body.Close()
	p.status = res.StatusCode
	p.body, _ = io.ReadAll(io.LimitReader(res.Body, maxProbe))
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	p.html = kind == "text/html" && !json.Valid(p.body) || bytes.HasPrefix(bytes.TrimSpace(p.body), []byte("<"))
	if to, err := res.Location(); err == nil && p.status/100 == 3 {
		p.to = to.Scheme + "://" + to.Host + strings.TrimSuffix(to.EscapedPath(), modelsPath)
	}
	return p
}

// noGateway says why there is no gateway at the address, and what to do; "" if
// one may be there.
func (c *Client) noGateway(p probed) (text, hint string) {
	switch {
	case errors.Is(p.err, context.DeadlineExceeded):
		return "Nothing came back in " + probeEach.String() + ".", "Check the host and the port, and whether a firewall is in between."
	case p.err != nil:
		why, hint := unreachableBecause(p.err)
		if why == "" {
			why = "The connection broke off before there was an answer."
		}
		return why, hint
	case p.status/100 == 3 && p.to != "":
		return "It redirects to another address, and no key is sent along.", "Try " + wire.Cut(p.to, wire.MaxEchoed) + " instead."
	case p.status == http.StatusBadRequest && bytes.Contains(p.body, []byte("HTTP request to an HTTPS server")):
		return "It speaks https there.", "Begin the address with https://."
	case p.html && p.status/100 != 5:
		return "A web page answers there, no gateway.", "Take the address of the API, which often begins with api. or ends in /api; a dashboard’s is another."
	case p.status == http.StatusBadGateway, p.status == http.StatusServiceUnavailable && p.html, p.status == http.StatusGatewayTimeout:
		return "A proxy answers, and the gateway behind it doesn’t.", "See whether the gateway runs, and try again."
	}
	return "", ""
}

// where says from where an address answers, if it is no public one.
func where(from netip.Addr) string {
	switch ip := from.Unmap(); {
	case !from.IsValid():
		return ""
	case ip.IsLoopback():
		return ", on the machine of this server"
	case private(ip):
		return ", at " + ip.String() + " in the network of this server"
	}
	return ""
}

// judgeKey says what answers tell of the key that came with them. bare are those
// to the same requests without it.
func judgeKey(key string, with, bare, same []probed) string {
	refused, taken := 0, 0
	for _, p := range with {
		switch {
		case p.refused():
			refused++
		case p.err == nil && p.status != http.StatusForbidden && p.status/100 != 5 && p.status != http.StatusNotFound && p.status != http.StatusTooManyRequests:
			taken++
		}
	}
	switch {
	case key == "" && refused > 0:
		return wire.KeyWanted
	case key == "" && taken > 0:
		return wire.KeyNotAsked
	case key == "":
		return wire.KeyUnsure
	case refused > 0:
		return wire.KeyRefused
	}
	for i, p := range bare {
		if p.refused() || p.err == nil && p.status == http.StatusForbidden && same[i].status != http.StatusForbidden {
			return wire.KeyAccepted
		}
	}
	return wire.KeyUnsure
}

func keyLine(verdict, key string) (mark, text, hint string) {
	switch verdict {
	case wire.KeyAccepted:
		return wire.MarkGood, "The key is accepted.", ""
	case wire.KeyRefused:
		return wire.MarkBad, "The key is refused.", "Copy it again from the gateway’s dashboard, whole and without spaces, and look whether it is still valid there."
	case wire.KeyWanted:
		return wire.MarkBad, "The gateway asks for a key.", "Enter one that was made in its dashboard."
	case wire.KeyNotAsked:
		return wire.MarkGood, "No key is asked for.", ""
	}
	if key == "" {
		return wire.MarkUnsure, "Whether a key is asked for can’t be told.", "The first answer will show it."
	}
	return wire.MarkUnsure, "Whether the key is accepted can’t be told: requests without a key get the same answers.", "The first answer will show it."
}

// endpointLine says which endpoints there are.
func endpointLine(all []gateway.Endpoint, answers []probed, key string) (mark, text, hint string) {
	var there, missing, unsure []string
	for i, p := range answers {
		switch path := all[i].Path(); {
		case p.err != nil || p.status/100 == 5 && p.status != http.StatusNotImplemented || p.refused() || p.status == http.StatusForbidden:
			unsure = append(unsure, path)
		case p.html || p.status == http.StatusNotImplemented || p.status == http.StatusMethodNotAllowed || p.status/100 == 3,
			p.status == http.StatusNotFound && !strings.Contains(string(p.body), gateway.CodeModelNotFound):
			missing = append(missing, path)
		default:
			there = append(there, path)
		}
	}
	var words []string
	switch {
	case len(there) == 1:
		words = append(words, "There is "+there[0]+".")
	case len(there) > 1:
		words = append(words, "There are "+listed(there, "and")+".")
	}
	if len(missing) > 0 {
		words = append(words, "There is no "+listed(missing, "or")+".")
	}
	switch {
	case len(there)+len(missing) == 0 && (key == wire.KeyRefused || key == wire.KeyWanted):
		return wire.MarkUnsure, "Which endpoints there are can’t be told before a key is accepted.", ""
	case len(unsure) > 0:
		words = append(words, "Of "+listed(unsure, "and")+" it can’t be told.")
	}
	text = strings.Join(words, " ")
	switch {
	case len(there) == 0 && len(unsure) == 0:
		return wire.MarkBad, "None of the endpoints is there: " + strings.Join(missing, ", ") + ".", "Check the path before /v1. Some gateways have theirs below /api or /openai."
	case len(there) == 0:
		return wire.MarkUnsure, text, ""
	}
	return wire.MarkGood, text, ""
}

// listed are paths as a sentence names them.
func listed(paths []string, and string) string {
	last := len(paths) - 1
	if last < 1 {
		return strings.Join(paths, "")
	}
	return strings.Join(paths[:last], ", ") + " " + and + " " + paths[last]
}

// modelsLine says what the list of models has; that there is none is no failure.
func modelsLine(p probed, count func([]byte) (int, bool)) (mark, text, hint string) {
	if count == nil {
		count = countModels
	}
	switch {
	case p.err == nil && p.status/100 == 2:
		switch n, ok := count(p.body); {
		case ok && n == 1:
			return wire.MarkGood, "It lists one model.", ""
		case ok && n > 0:
			return wire.MarkGood, "It lists " + strconv.Itoa(n) + " models.", ""
		case ok:
			return wire.MarkWarn, "Its list of models is empty.", "Type the ids of models yourself."
		}
		return wire.MarkUnsure, "Its list of models can’t be read.", "Type the ids of models yourself."
	case p.err == nil && (p.refused() || p.status == http.StatusForbidden):
		return wire.MarkUnsure, "Its models can’t be told before a key is accepted.", ""
	}
	return wire.MarkUnsure, "It lists no models, as many gateways don’t.", "Type the ids of models yourself, or start the server with -catalog."
}

// countModels counts the entries of a list as OpenAI has it, or of a bare one.
func countModels(body []byte) (n int, ok bool) {
	var list struct{ Data, Models []json.RawMessage }
	var bare []json.RawMessage
	if json.Unmarshal(body, &bare) == nil {
		return len(bare), true
	}
	if json.Unmarshal(body, &list) != nil || list.Data == nil && list.Models == nil {
		return 0, false
	}
	return max(len(list.Data), len(list.Models)), true
}

// ListModels is the list of the gateway's models as it came, where it has one. key
// is "" or gateway.NoKey for none.
func (c *Client) ListModels(ctx context.Context, key string) ([]byte, error) {
	if key == gateway.NoKey {
		key = ""
	}
	p := c.look(ctx, key, http.MethodGet, modelsPath, nil)
	switch {
	case p.err != nil:
		return nil, p.err
	case p.status/100 != 2:
		return nil, fmt.Errorf("list of models: HTTP %d", p.status)
	case len(p.body) >= maxProbe:
		return nil, fmt.Errorf("list of models: it is longer than %d bytes", maxProbe)
	}
	return p.body, nil
}
