package bff_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

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
		wire.OpStart, wire.OpStop, wire.OpRead, wire.OpRunRequest, wire.OpRunTimes, wire.OpCorrect,
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

// A file that does not come whole is said to be that, whatever broke: it is no
// fault of the server's, and of the file's own neither.
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
