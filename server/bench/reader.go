package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/google/uuid"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// reader asks for one answer and hands over the bytes of its event stream as
// they come.
type reader interface {
	Stream(ctx context.Context, prompt string, each func([]byte)) error
}

// chatBody is the request of every reader, so that all get the same answer.
func chatBody(model, prompt string) ([]byte, error) {
	return json.Marshal(map[string]any{
		"model":    model,
		"stream":   true,
		"messages": []map[string]string{{"role": "user", "content": prompt}},
	})
}

// httpReader reads the event stream itself, from the gateway or through nginx.
type httpReader struct {
	base, key, model string
	client           *http.Client
}

func newHTTPReader(base, key, model string) *httpReader {
	return &httpReader{base: base, key: key, model: model, client: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true},
	}}
}

func (r *httpReader) Stream(ctx context.Context, prompt string, each func([]byte)) error {
	body, err := chatBody(r.model, prompt)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+gateway.Chat.Path(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+r.key)
	res, err := r.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		return fmt.Errorf("%s: %s", res.Status, text)
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := res.Body.Read(buf)
		if n > 0 {
			each(buf[:n])
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lanes is how many streams share a tab's socket: as many as a person can have
// side by side.
const lanes = 6

// socketReader reads through Screentest as its page does: a socket for every
// six streams, each stream a new conversation.
type socketReader struct {
	model string
	tabs  []*wiretest.Client
	next  atomic.Uint64
}

// newSocketReader opens as many sockets as that many streams take.
func newSocketReader(ctx context.Context, base, key, model string, streams int) (*socketReader, error) {
	r := &socketReader{model: model}
	for range (streams + lanes - 1) / lanes {
		c, err := wiretest.Dial(ctx, base, wiretest.NewHTTP())
		if err != nil {
			r.Close()
			return nil, err
		}
		r.tabs = append(r.tabs, c)
		if err := c.SetKey(ctx, key); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

func (r *socketReader) Close() {
	for _, c := range r.tabs {
		c.Close()
	}
}

func (r *socketReader) Stream(ctx context.Context, prompt string, each func([]byte)) error {
	tab := r.tabs[r.next.Add(1)%uint64(len(r.tabs))]
	return turn(ctx, tab, uuid.NewString(), "", r.model, prompt, each)
}

// turn sends a prompt as a turn of a conversation and reads the answer to its
// end.
func turn(ctx context.Context, tab *wiretest.Client, conversation, parent, model, prompt string, each func([]byte)) error {
	start, err := startOf(conversation, parent, model, prompt)
	if err != nil {
		return err
	}
	in := inOrder{each: each}
	run, err := tab.Run(ctx, start, in.take)
	if err := errors.Join(err, in.gap); err != nil {
		return err
	}
	if run.State != wire.Done {
		return fmt.Errorf("a run ended as %s: %w", run.State, problem(run))
	}
	return nil
}

// startOf is a turn of a conversation.
func startOf(conversation, parent, model, prompt string) (wire.Start, error) {
	body, err := chatBody(model, prompt)
	return wire.Start{
		Run:          uuid.NewString(),
		Conversation: conversation,
		User:         wire.Message{ID: uuid.NewString(), Parent: parent, Role: "user", Text: prompt},
		Answer:       uuid.NewString(),
		Endpoint:     string(gateway.Chat),
		Body:         body,
	}, err
}

// inOrder hands over the bytes of a log, and notes where some are missing.
type inOrder struct {
	each func([]byte)
	read int64
	gap  error
}

func (o *inOrder) take(h wire.LogFrame, p []byte) {
	if h.From != o.read {
		o.gap = fmt.Errorf("bytes from %d came after %d", h.From, o.read)
	}
	o.read += int64(len(p))
	o.each(p)
}

func problem(run wire.Run) error {
	if run.Problem == nil {
		return fmt.Errorf("finish %q", run.Finish)
	}
	return run.Problem
}
