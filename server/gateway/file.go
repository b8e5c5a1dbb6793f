package gateway

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"

	"code.dny.dev/ssrf"

	"screentest/server/upstream"
	"screentest/shared/reply"
)

// noFile words the refusal of a file host, which is not the gateway's and has
// seen no key.
func noFile(err error) error {
	var e *upstream.Error
	if errors.As(err, &e) && e.Problem.Status >= 300 && e.Problem.Status < 500 && !reply.Repeatable(e.Problem) {
		p, said := e.Problem, reply.NewProblem(reply.CodeNoFile, "")
		p.Code, p.Message, p.Hint = said.Code, said.Message, said.Hint
	}
	return err
}

// FetchFile gets a file from the address that a task gave. It never carries
// the key (G40), and connects to public addresses and the gateway's own only,
// see Options. span is a Range header such as "bytes=0-1023", or "".
func (c *Client) FetchFile(ctx context.Context, address, span string) (*upstream.File, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("file address: it must be an absolute http or https address")
	}
	u.User = nil
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("file address: %w", err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "screentest")
	if span != "" {
		req.Header.Set("Range", span)
	}
	late := time.AfterFunc(c.opt.HeaderTimeout, func() { cancel(errSilent) })
	res, err := c.files.Do(req)
	late.Stop()
	if err != nil {
		err = callError(ctx, "fetch the file", reply.CodeUnreachable, err, false)
		cancel(nil)
		var e *upstream.Error
		if errors.As(err, &e) {
			e.Problem.Message, e.Problem.Hint = "The file cannot be fetched.", "Retry. The link may have expired."
			if errors.Is(err, ssrf.ErrProhibitedIP) {
				e.Problem.Code = "private_address"
				e.Problem.Hint = "Its address is in a private network. If the file host is yours, start the server with -fetch-private."
			}
		}
		return nil, err
	}
	b := newBody(ctx, cancel, res, c.opt.SilenceTimeout, math.MaxInt64, mask{})
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusPartialContent {
		return nil, noFile(c.refusal(res, b))
	}
	return &upstream.File{
		Status: res.StatusCode, ContentType: res.Header.Get("Content-Type"), Length: res.ContentLength,
		ContentRange: res.Header.Get("Content-Range"), ETag: res.Header.Get("ETag"),
		LastModified: res.Header.Get("Last-Modified"), Body: b,
	}, nil
}
