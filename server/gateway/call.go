package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

var errTooLong = errors.New("longer than its limit")

// Stream sends a text call and returns when the reply's header is there. body
// goes out as it stands, once. ctx ends the call and the reading of its reply
// at once; it has no other end but silence.
func (c *Client) Stream(ctx context.Context, key string, ep gateway.Endpoint, body []byte) (*upstream.Reply, error) {
	if err := textEndpoint(ep); err != nil {
		return nil, err
	}
	wait := c.opt.HeaderTimeout
	if !streams(body) {
		wait = c.opt.AnswerTimeout
	}
	res, b, err := c.call(ctx, key, http.MethodPost, ep.Path(), body, wait, c.opt.MaxReply)
	if err != nil {
		return nil, err
	}
	r := &upstream.Reply{
		Status:      res.StatusCode,
		ContentType: b.mask.text(res.Header.Get("Content-Type")),
		RequestID:   b.mask.text(reply.RequestID(res.Header.Get)),
		Body:        b,
	}
	return r, nil
}

// streams says whether a request asks for a stream.
func streams(body []byte) bool {
	var ask struct {
		Stream bool `json:"stream"`
	}
	return json.Unmarshal(body, &ask) == nil && ask.Stream
}

// call sends one request with the key and returns a 2xx reply, or an error.
// The reply's body reads at most that many bytes.
func (c *Client) call(ctx context.Context, key, method, path string, body []byte, wait time.Duration, most int64) (*http.Response, *body, error) {
	if p := checkKey(key); p != nil {
		return nil, nil, &upstream.Error{Problem: p}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) },
	})
	req, err := http.NewRequestWithContext(traced, method, c.url(path), nil)
	if err != nil {
		cancel(nil)
		return nil, nil, err
	}
	if body != nil {
		// No GetBody: net/http could send the body again, on a new connection,
		// if it knew how to read it from the start.
		req.Body = &payload{left: body}
		req.ContentLength = int64(len(body))
		req.Header.Set("Content-Type", "application/json")
	}
	authorize(req, key)
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "screentest")

	late := time.AfterFunc(wait, func() { cancel(errSilent) })
	res, err := c.api.Do(req)
	late.Stop()
	m := newMask(key)
	if err != nil {
		code := reply.CodeUnreachable
		if sent.Load() {
			code = reply.CodeDropped
		}
		err = callError(ctx, "call the gateway", code, m.cause(err), sent.Load() && method == http.MethodPost)
		cancel(nil)
		var e *upstream.Error
		if errors.As(err, &e) && e.Problem.Code == reply.CodeUnreachable {
			c.reached(e.Problem)
		}
		return nil, nil, err
	}
	c.reached(nil)
	if taken := res.StatusCode/100 == 2; c.opt.Judged != nil && (taken || res.StatusCode == http.StatusUnauthorized) {
		c.opt.Judged(key, !taken)
	}
	b := newBody(ctx, cancel, res, c.opt.SilenceTimeout, most, m)
	if res.StatusCode/100 != 2 {
		return nil, nil, c.refusal(res, b)
	}
	if packed := res.Header.Get("Content-Encoding"); packed != "" && !strings.EqualFold(packed, "identity") {
		b.Close()
		return nil, nil, &upstream.Error{
			Problem:   b.mask.problem(reply.NewProblem(reply.CodeNotUnderstood, "Content-Encoding: "+packed)),
			Uncertain: method == http.MethodPost,
		}
	}
	return res, b, nil
}

// authorize puts the key into a request, unless the gateway asks for none.
func authorize(req *http.Request, key string) {
	if key != gateway.NoKey && key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
}

func (c *Client) reached(why *wire.Problem) {
	if c.opt.Reached != nil {
		c.opt.Reached(why)
	}
}

// refusal reads the body of a reply that is not 2xx, and closes it.
func (c *Client) refusal(res *http.Response, b *body) error {
	text, err := c.readAll(b, maxErrorBody)
	var e *upstream.Error
	if errors.As(err, &e) && e.Problem.Code == reply.CodeStopped {
		return err
	}
	// After any other error the status and what came say enough.
	if res.StatusCode/100 == 3 {
		where := ""
		if to, err := res.Location(); err == nil {
			where = to.Scheme + "://" + to.Host + to.Path
		}
		p := reply.NewProblem(reply.CodeRedirect, "")
		if where != "" {
			p.Message += " It points to: " + where
		}
		p.Status, p.Request = res.StatusCode, reply.RequestID(res.Header.Get)
		return &upstream.Error{Problem: b.mask.problem(p)}
	}
	p := reply.ReadProblem(res.StatusCode, res.Header.Get("Content-Type"), res.Header.Get, text)
	return &upstream.Error{Problem: b.mask.problem(p), Uncertain: res.Request.Method == http.MethodPost && uncertain(res.StatusCode, text)}
}

// uncertain says whether a status leaves open what became of the request: one
// that a proxy sends when it lost sight of it. An error that the gateway
// itself words is a refusal (F109).
func uncertain(status int, text []byte) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusGatewayTimeout:
		return true
	}
	return status >= 500 && !json.Valid(text)
}

// readAll reads a body whole, within most bytes and the time for it, and
// closes it. What came before an error is returned with it.
func (c *Client) readAll(b *body, most int64) ([]byte, error) {
	defer b.Close()
	slow := time.AfterFunc(c.opt.JSONTimeout, func() { b.cancel(errSlow) })
	defer slow.Stop()
	text, err := io.ReadAll(io.LimitReader(b, most+1))
	if int64(len(text)) > most {
		return text[:most], &upstream.Error{Problem: reply.NewProblem(reply.CodeTooLong, ""), Err: errTooLong}
	}
	return text, err
}
