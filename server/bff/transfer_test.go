package bff_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"screentest/server/bff"
	"screentest/shared/wire"
)

// An address without an id, or with what is none, leads nowhere: to nothing
// else, and least of all to everything.
func TestNoIDIsNotEverything(t *testing.T) {
	w := keyed(t, nil)
	c := w.dial()
	r := w.spent(c)
	if res := w.do(c.HTTP, "GET", wire.ExportPath+r.Conversation+".json", ""); res.StatusCode != http.StatusOK || !strings.Contains(res.body, r.Conversation) {
		t.Fatalf("with its id: %s %s", res.Status, res.body)
	}
	for _, path := range []string{
		wire.ExportPath + ".json", wire.ExportPath + ".md", wire.ExportPath + "%20.json", wire.ExportPath + "x.json", wire.ExportPath + "*.json",
		wire.ExportPath + uuid.NewString() + ".json", wire.ExportPath + r.Conversation + "..json", wire.ExportPath + r.Conversation,
		wire.ExportPath + strings.ToUpper(r.Conversation) + ".json",
	} {
		res := w.do(c.HTTP, "GET", path, "")
		var p wire.Problem
		if err := json.Unmarshal([]byte(res.body), &p); res.StatusCode != http.StatusNotFound || err != nil || p.Message == "" || strings.Contains(res.body, "format") {
			t.Errorf("%s: %s %s", path, res.Status, res.body)
		}
	}
}

// Nor does a call without one.
func TestACallWithoutAnIDIsRefused(t *testing.T) {
	w := keyed(t, nil)
	c := w.dial()
	r := w.spent(c)
	for _, op := range []wire.Op{
		wire.OpOpen, wire.OpRename, wire.OpDelete, wire.OpPin, wire.OpMessages, wire.OpOutline, wire.OpLanes, wire.OpVote, wire.OpLibraryDelete,
		wire.OpStart, wire.OpWrite, wire.OpStop, wire.OpRead, wire.OpRunRequest, wire.OpRunTimes, wire.OpCorrect,
	} {
		for _, args := range []any{struct{}{}, wire.Target{ID: " "}} {
			if err := c.Call(t.Context(), op, args, nil); err == nil {
				t.Errorf("%s is done with %+v", op, args)
			}
		}
	}
	if o := call[wire.Opened](w, c, wire.OpOpen, wire.Page{Conversation: r.Conversation}); len(o.Messages) != 2 {
		t.Errorf("what was there is now %+v", o)
	}
}

// A file that does not come whole is said to be that, whatever broke: it is
// neither the server's fault nor the file's.
func TestAnImportThatBreaksOffSaysSo(t *testing.T) {
	w := newWorld(t, nil)
	for _, c := range []struct {
		name, kind, body string
	}{
		{"a chunk without a length", "application/json", "5\r\n{\"for\r\nZZ\r\n"},
		{"a chunk longer than it says", "application/json", "2\r\n{\"for\r\n0\r\n\r\n"},
		{"a chunk within a form", "multipart/form-data; boundary=x", "5\r\n--x\r\n\r\nZZ\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n%s",
				wire.ImportPath, strings.TrimPrefix(w.url, "http://"), w.url, c.kind, c.body)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			var p wire.Problem
			if err != nil || json.Unmarshal(body, &p) != nil || res.StatusCode != http.StatusBadRequest || p.Code != "file_incomplete" || p.Hint == "" {
				t.Errorf("%s %s", res.Status, body)
			}
		})
	}
	if strings.Contains(w.log.String(), "level=ERROR") {
		t.Errorf("the server takes it for a fault of its own:\n%s", w.log)
	}
}

func TestConversationsGoOutAndComeBack(t *testing.T) {
	w := keyed(t, nil)
	c, other := w.dial(), w.dial()
	s := turn()
	w.answered(c, s)
	file := w.do(nil, "GET", wire.ExportPath+s.Conversation+".json", "")
	all := w.do(nil, "GET", wire.ExportAllPath, "")
	for _, res := range []response{file, all} {
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json; charset=utf-8" || !json.Valid([]byte(res.body)) || strings.Contains(res.body, "sandbox-0123456789") {
			t.Errorf("%s, %v, %s", res.Status, res.Header, res.body)
		}
	}
	if res := w.do(nil, "HEAD", wire.ExportAllPath, ""); res.StatusCode != 200 || res.body != "" {
		t.Errorf("HEAD: %s, %q", res.Status, res.body)
	}
	var form bytes.Buffer
	mw := multipart.NewWriter(&form)
	_ = mw.WriteField("note", "ignored")
	part, _ := mw.CreateFormFile("file", "x.json")
	_, _ = io.WriteString(part, file.body)
	_ = mw.Close()
	for kind, body := range map[string]string{"application/json": file.body, mw.FormDataContentType(): form.String()} {
		res := w.do(nil, "POST", wire.ImportPath, body, "Content-Type", kind, "Origin", w.url)
		var done wire.Imported
		if err := json.Unmarshal([]byte(res.body), &done); err != nil || res.StatusCode != 200 || done.Conversations != 1 || done.Messages != 2 || done.Renewed != 1 {
			t.Fatalf("%s: %s: %s", kind, res.Status, res.body)
		}
		told(t, other, wire.EventImported, func(got wire.Imported) bool { return got == done })
		o := call[wire.Opened](w, other, wire.OpOpen, wire.Page{Conversation: done.Open})
		if len(o.Messages) != 2 || o.Messages[1].Text != "Hello there" || o.Messages[1].Run.State != wire.Done {
			t.Errorf("%+v", o)
		}
		if err := c.Call(t.Context(), wire.OpRunRequest, wire.Target{ID: o.Messages[1].Run.ID}, nil); err == nil || !strings.Contains(err.Error(), wire.CodeNoRequest) {
			t.Errorf("what was sent for an imported answer: %v", err)
		}
	}
	for _, tt := range []struct {
		name, kind, origin, body string
		status                   int
	}{
		{"of another site", "application/json", "https://evil.example", file.body, http.StatusForbidden},
		{"of no kind", "text/plain", w.url, file.body, http.StatusUnsupportedMediaType},
		{"a form without a file", "multipart/form-data; boundary=x", w.url, "--x--\r\n", http.StatusBadRequest},
		{"a form without a boundary", "multipart/form-data", w.url, "--x--\r\n", http.StatusUnsupportedMediaType},
		{"no JSON", "application/json", w.url, "hello", http.StatusBadRequest},
		{"another file", "application/json", w.url, `{"format":"x","version":1,"conversations":[]}`, http.StatusBadRequest},
		{"too large", "application/json", w.url, `{"format":"` + strings.Repeat("x", wire.MaxImport) + `"}`, http.StatusRequestEntityTooLarge},
	} {
		res := w.do(nil, "POST", wire.ImportPath, tt.body, "Content-Type", tt.kind, "Origin", tt.origin)
		var p wire.Problem
		if err := json.Unmarshal([]byte(res.body), &p); err != nil || res.StatusCode != tt.status || p.Message == "" {
			t.Errorf("%s: %s: %.300s", tt.name, res.Status, res.body)
		}
	}
	for _, name := range []string{uuid.NewString() + ".json", uuid.NewString() + ".md", "x.json", s.Conversation, s.Conversation + ".txt"} {
		if res := w.do(nil, "GET", wire.ExportPath+name, ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
}

// heldImports are Conversations that begin an import when gate is closed.
type heldImports struct {
	others
	asked chan struct{}
	gate  chan struct{}
}

type others = bff.Conversations // embedded by a name that no method has

func (h heldImports) Import(ctx context.Context, owner string, r io.Reader) (wire.Imported, error) {
	h.asked <- struct{}{}
	select {
	case <-h.gate:
	case <-ctx.Done():
	}
	return h.others.Import(ctx, owner, r)
}

// Each import holds a file in memory: a third one is told to wait, and is taken
// once the others have ended.
func TestImportsAtATimeAreBounded(t *testing.T) {
	held := heldImports{asked: make(chan struct{}, 3), gate: make(chan struct{})}
	w := newWorld(t, func(c *bff.Config) { held.others, c.Conversations = c.Conversations, &held })
	status := func() int {
		res := w.do(nil, "POST", wire.ImportPath, `{"format":"screentest.conversations","version":1,"conversations":[]}`, "Content-Type", "application/json", "Origin", w.url)
		return res.StatusCode
	}
	ended := make(chan int, 2)
	for range 2 {
		go func() { ended <- status() }()
		<-held.asked
	}
	if got := status(); got != http.StatusTooManyRequests {
		t.Errorf("a third import: status %d", got)
	}
	close(held.gate)
	for range 2 {
		if got := <-ended; got != http.StatusOK {
			t.Errorf("the first two: status %d", got)
		}
	}
	if got := status(); got != http.StatusOK {
		t.Errorf("after them: status %d", got)
	}
}
