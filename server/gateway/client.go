// Package gateway calls a model gateway over HTTP: use a [Client], one for the
// whole server. [Client.Stream] sends a text call and gives its reply byte for
// byte; [Client.CreateVideo], [Client.Task] and [Client.FetchFile] are for
// video.
//
// What it holds to, whatever the gateway does:
//   - A POST is sent once, on one connection, and never again by itself: it
//     costs money and has no idempotency key (G35). When a task is asked for
//     again is the poller's business.
//   - The key goes to the gateway's origin and nowhere else (G40): redirects
//     to another origin are refused, files are fetched without it, and where
//     a reply repeats it, it is masked.
//   - Nothing waits for ever: there are time-outs for connecting, for the
//     reply's header and for silence, and none for the length of a stream.
//     Every error of a call is an [*upstream.Error] with a [wire.Problem] in words for
//     people.
package gateway

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// Options tune a Client. Zero fields mean the defaults that are given here.
type Options struct {
	ConnectTimeout time.Duration // TCP and TLS, each: 10 s
	// HeaderTimeout bounds the wait for the header of a stream, of a task and
	// of a file: 90 s.
	HeaderTimeout time.Duration
	// AnswerTimeout bounds the wait for the header of a reply that is not
	// streamed, which comes when the answer is finished: 5 min.
	AnswerTimeout time.Duration
	// SilenceTimeout bounds the wait for the next byte of a reply: 90 s.
	// Gateways send comments while a model thinks, and those count.
	SilenceTimeout time.Duration
	// JSONTimeout bounds the reading of an error's or a task's body: 30 s.
	JSONTimeout time.Duration
	// MaxReply bounds the reply to a text call, in bytes: 64 MiB.
	MaxReply int64
	// Judged is told what a reply says of the key that it answers: refused by a
	// 401 (G1), taken by a 2xx; any other says nothing. It must not block.
	Judged func(key string, refused bool)
	// Reached is told of every call whether the gateway was reached, and if not,
	// why; a call that its caller gave up says nothing. It must not block.
	Reached func(why *wire.Problem)
	// FilesFromPrivate lets FetchFile connect to loopback and private
	// addresses. The gateway's own host and port are always allowed.
	FilesFromPrivate bool
}

func (o Options) withDefaults() Options {
	or := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	or(&o.ConnectTimeout, 10*time.Second)
	or(&o.HeaderTimeout, 90*time.Second)
	or(&o.AnswerTimeout, 5*time.Minute)
	or(&o.SilenceTimeout, 90*time.Second)
	or(&o.JSONTimeout, 30*time.Second)
	if o.MaxReply <= 0 {
		o.MaxReply = 64 << 20
	}
	return o
}

// Limits, in bytes, of what is read whole.
const (
	maxErrorBody = 64 << 10
	maxTaskBody  = 4 << 20
	maxHeader    = 64 << 10
)

// A Client calls one gateway. It is safe for concurrent use; Close it when
// nothing calls any more.
type Client struct {
	// Base is the gateway's address, without a slash at its end and without
	// the version, which every path brings along (F170).
	Base *url.URL

	opt   Options
	api   *http.Client
	files *http.Client
}

// New returns a Client for the gateway at base: an absolute http or https
// address, with a path before /v1 if the gateway has one (F1). A /v1 at its
// end, as other clients want it, is taken off.
func New(base string, opt Options) (*Client, error) {
	u, err := ParseBase(base)
	if err != nil {
		return nil, err
	}
	c := &Client{Base: u, opt: opt.withDefaults()}
	c.api = &http.Client{Transport: c.transport(), CheckRedirect: c.redirect}
	c.files = &http.Client{Transport: c.fileTransport(), CheckRedirect: fileRedirect}
	return c, nil
}

// Close closes the connections that are not in use.
func (c *Client) Close() {
	c.api.CloseIdleConnections()
	c.files.CloseIdleConnections()
}

// ParseBase checks a gateway's base address and brings it into the form of
// Client.Base.
func ParseBase(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err // without the address: it may hold a password
		}
		return nil, fmt.Errorf("gateway address: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("gateway address: it must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("gateway address: the host is missing")
	case u.User != nil:
		return nil, errors.New("gateway address: leave out the user and password; the key is entered in the settings")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, errors.New("gateway address: leave out everything from ? or # on")
	}
	// As it is written: a%2Fb is one part of the path.
	prefix := strings.TrimRight(u.EscapedPath(), "/")
	prefix = strings.TrimRight(strings.TrimSuffix(prefix, "/v1"), "/")
	if u.Path, err = url.PathUnescape(prefix); err != nil {
		return nil, fmt.Errorf("gateway address: %w", err)
	}
	u.RawPath = prefix
	return u, nil
}

// url is the address of a path below the base.
func (c *Client) url(path string) string {
	return c.Base.String() + path
}

// origin is scheme, host and port, in one form.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme) + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// Origin is scheme, host and port of a gateway's address: what a key is for.
func Origin(base *url.URL) string { return origin(base) }

// checkKey says what is wrong with a key, nil if it can be sent (F159), or if
// there is none to send.
func checkKey(key string) *wire.Problem {
	if key == gateway.NoKey {
		return nil
	}
	mistake := gateway.KeyMistake(key)
	if mistake == "" {
		return nil
	}
	p := reply.NewProblem(reply.CodeInvalidKey, "")
	p.Message, p.Field = mistake, "key"
	return p
}

// textEndpoint refuses what Stream does not call.
func textEndpoint(ep gateway.Endpoint) error {
	if ep != gateway.Chat && ep != gateway.Responses {
		return fmt.Errorf("endpoint %q answers no text", ep)
	}
	return nil
}
