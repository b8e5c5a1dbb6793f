package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"screentest/server/blob"
	"screentest/server/sandbox/clip"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// What a gateway names as a clip's file is fetched from the internet and from
// the gateway itself, and from a private network only if the server was told
// so. Neither gets the key.
func TestFilesOfAPrivateHost(t *testing.T) {
	film, err := clip.Spec{Width: 854, Height: 480, Segments: []clip.Segment{{Look: 1, Frames: clip.FPS}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		private bool
		archive wire.ArchiveState
	}{
		{"without leave", false, wire.ArchiveFailed},
		{"with -fetch-private", true, wire.ArchiveSaved},
	} {
		t.Run(c.name, func(t *testing.T) {
			var fetched, keyed atomic.Int64
			files := outside(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fetched.Add(1)
				if r.Header.Get("Authorization") != "" || strings.Contains(r.URL.String(), canary) {
					keyed.Add(1)
				}
				w.Header().Set("Content-Type", "video/mp4")
				_, _ = w.Write(film)
			}))
			gw := outside(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if isCreation(r) {
					_, _ = io.WriteString(w, `{"id":"task_elsewhere","status":"queued","progress":0}`)
					return
				}
				_, _ = io.WriteString(w, `{"code":"success","data":{"task_id":"task_elsewhere","status":"SUCCESS","result_url":"`+files+`/a.mp4"}}`)
			}))
			d := newPlayground(t, serveConfig{gateway: gw, fetchPrivate: c.private})
			base := "http://" + d.bff.Addr
			tab := dial(t, base, wiretest.NewHTTP())
			setKey(t, tab, canary)
			v := clipRequest("a clip on a host of one's own")
			if err := tab.Call(t.Context(), wire.OpVideoCreate, v, nil); err != nil {
				t.Fatal(err)
			}
			done := awaitTask(t, tab, v.ID, "copied or not", func(n wire.VideoTask) bool {
				return len(n.Outputs) == 1 && (n.Outputs[0].Archive == wire.ArchiveSaved || n.Outputs[0].Archive == wire.ArchiveFailed)
			})
			o := done.Outputs[0]
			if o.Archive != c.archive || o.Archive == wire.ArchiveFailed && (o.Problem == nil || o.Problem.Code != "private_address" || !strings.Contains(o.Problem.Hint, "-fetch-private")) {
				t.Errorf("%+v, %+v", o, o.Problem)
			}
			// The browser gets it as the archive does, or not at all.
			res, err := tab.HTTP.Get(base + wire.MediaPathOf(v.ID, 0))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			var m wire.Measured
			measured := tab.Call(t.Context(), wire.OpVideoMeasure, wire.VideoMeasure{URL: files + "/b.mp4"}, &m)
			if c.private != (res.StatusCode == http.StatusOK) || c.private != (measured == nil) {
				t.Errorf("the browser: %s; measured: %+v, %v", res.Status, m, measured)
			}
			if c.private && (res.Header.Get("Cache-Control") != "private, no-cache" || res.Header.Get("ETag") == "") {
				t.Errorf("kept for whoever signs in next: %v", res.Header)
			}
			if n := fetched.Load(); c.private != (n > 0) {
				t.Errorf("the private host was asked %d times", n)
			}
			if keyed.Load() > 0 {
				t.Error("G40 the file host got the key")
			}
		})
	}
}

// An upload that breaks off is answered with an error, not with an empty 200: a
// program that sent it would take the file for kept.
func TestAnUploadThatBreaksOffIsNotAnsweredWithOK(t *testing.T) {
	d := newPlayground(t, serveConfig{})
	browser := wiretest.NewHTTP()
	dial(t, d.url, browser)
	at, err := url.Parse(d.url)
	if err != nil {
		t.Fatal(err)
	}
	session := browser.Jar.Cookies(at)[0]
	for name, head := range map[string]string{
		"shorter than was said": "Content-Length: 1000\r\n\r\n\x89PNG\r\n\x1a\n",
		"within a piece":        "Transfer-Encoding: chunked\r\n\r\nffff\r\n\x89PNG\r\n\x1a\n",
	} {
		conn, err := net.Dial("tcp", d.bff.Addr)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n%s", wire.UploadsPath, at.Host, session, head)
		_ = conn.(*net.TCPConn).CloseWrite()
		answer, _ := io.ReadAll(conn) // what came says enough
		if !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") || !strings.Contains(string(answer), "upload_broken") {
			t.Errorf("%s: %.60q", name, answer)
		}
		conn.Close()
	}
}

// A server whose clips are not where it keeps files says so: it may be shown another
// instance's place.
func TestFilesThatAreElsewhereAreWarnedOf(t *testing.T) {
	dir := storetest.Folder(t)
	db := storetest.Open(t, dir, store.Options{})
	owner, err := db.EnsureLocalUser(t.Context())
	storetest.Must(t, err)
	sum := sha256.Sum256([]byte("a clip"))
	v := db.Videos()
	task := storetest.Taken(t, v, owner, storetest.NewVideo("kept"))
	task.State = wire.VideoDone
	_, _, err = v.End(t.Context(), owner, task, []string{"https://files/a"}, 5)
	storetest.Must(t, err)
	_, _, err = v.SetOutput(t.Context(), owner, task.ID, wire.VideoOutput{Archive: wire.ArchiveSaved, SHA256: hex.EncodeToString(sum[:]), Type: "video/mp4", Bytes: 6}, 7)
	storetest.Must(t, err, db.Close())
	warned := func() bool {
		d := newPlayground(t, serveConfig{data: dir})
		storetest.Must(t, d.close())
		return strings.Contains(d.log.String(), "is not where files are kept")
	}
	if !warned() {
		t.Error("a clip that is not there is not told of")
	}
	file := filepath.Join(dir, "archive", filepath.FromSlash(blob.Name(sum[:])))
	storetest.Must(t, os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("a clip"), 0o600))
	if warned() {
		t.Error("a clip that is there is said not to be")
	}
}
