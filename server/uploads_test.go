package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"screentest/server/s3test"
	"screentest/server/sandbox/clip"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestUploadsBase(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	for _, c := range []struct {
		name, gateway, public, base string
		unreachable                 bool
	}{
		{"a gateway elsewhere and no public address", "https://gateway.example.com", "", "http://127.0.0.1:8080", true},
		{"a gateway elsewhere and a public address", "https://gateway.example.com", "https://play.example.com/", "https://play.example.com", false},
		{"a gateway on this machine", "http://127.0.0.1:9090", "", "http://127.0.0.1:8080", false},
		{"a gateway on this machine, by name", "http://localhost:9090", "", "http://127.0.0.1:8080", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			gateway, err := url.Parse(c.gateway)
			if err != nil {
				t.Fatal(err)
			}
			var public *url.URL
			if c.public != "" {
				if public, err = url.Parse(c.public); err != nil {
					t.Fatal(err)
				}
			}
			if base, unreachable := uploadsBase(addr.String(), gateway, public); base != c.base || unreachable != c.unreachable {
				t.Errorf("%s, %v", base, unreachable)
			}
		})
	}
}

// The sandbox inside the program keeps its tasks over a restart, and what a
// person uploads can be used at once.
func TestSandboxInsideWithUploads(t *testing.T) {
	for name, at := range map[string]func(t *testing.T) string{
		"in the data folder": func(*testing.T) string { return "" },
		"in a shared folder": func(t *testing.T) string { return t.TempDir() },
		"in a bucket":        func(t *testing.T) string { return s3test.Address(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sandboxInsideWithUploads(t, at(t))
		})
	}
}

func sandboxInsideWithUploads(t *testing.T, files string) {
	dir := t.TempDir()
	d := newPlayground(t, serveConfig{data: dir, addr: "127.0.0.1:0", files: files})
	base := "http://" + d.bff.Addr
	tab := dial(t, base, wiretest.NewHTTP())
	film, err := clip.Spec{Width: 854, Height: 480, Segments: []clip.Segment{{Look: 1, Frames: 5 * clip.FPS}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	post := func(client *http.Client, site string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), "POST", base+wire.UploadsPath+"?name=dance.mp4", bytes.NewReader(film))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Sec-Fetch-Site", site)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	if res := post(tab.HTTP, "cross-site"); res.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %s", res.Status)
	}
	if res := post(wiretest.NewHTTP(), "same-origin"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a session: %s", res.Status)
	}
	var up wire.Upload
	if err := json.NewDecoder(post(tab.HTTP, "same-origin").Body).Decode(&up); err != nil || up.Seconds != 5 || up.Unreachable || up.Name != "dance.mp4" {
		t.Fatalf("%+v, %v", up, err)
	}
	var m wire.Measured
	if err := tab.Call(t.Context(), wire.OpVideoMeasure, wire.VideoMeasure{URL: up.URL}, &m); err != nil || m != up.Measured {
		t.Errorf("%+v, %v", m, err)
	}
	var mine wire.VideoUploaded
	if err := tab.Call(t.Context(), wire.OpVideoUploads, wire.VideoUploads{Videos: true}, &mine); err != nil || len(mine.Uploads) != 1 || mine.Uploads[0] != up {
		t.Errorf("%+v, %v", mine, err)
	}
	v := wire.VideoCreate{ID: uuid.NewString(), MotionSeconds: m.Seconds, Body: gateway.VideoRequest{Model: "delta-3.0-motion-control-720p", Prompt: "dance [[slow]]",
		Seconds: "5", VideoURL: up.URL, ImageURLs: gateway.URLs{"https://example.com/a.png"}}.Body()}
	if err := tab.Call(t.Context(), wire.OpVideoCreate, v, nil); err != nil {
		t.Fatal(err)
	}
	awaitTask(t, tab, v.ID, "accepted", in(wire.VideoQueued, wire.VideoRunning))
	quick := clipRequest("a quick one")
	if err := tab.Call(t.Context(), wire.OpVideoCreate, quick, nil); err != nil {
		t.Fatal(err)
	}
	done := awaitTask(t, tab, quick.ID, "saved", saved)
	get := func(client *http.Client, path string) (int, []byte) {
		res, err := client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, b
	}
	path := wire.MediaPathOf(quick.ID, 0)
	if code, b := get(tab.HTTP, path); code != 200 || int64(len(b)) != done.Outputs[0].Bytes {
		t.Errorf("%d, %d bytes", code, len(b))
	}
	if code, _ := get(wiretest.NewHTTP(), path); code != http.StatusUnauthorized {
		t.Errorf("without a session: %d", code)
	}
	if code, b := get(wiretest.NewHTTP(), up.Path); code != 200 || !bytes.Equal(b, film) {
		t.Errorf("an upload without a session: %d", code)
	}
	for _, bad := range []string{path + "0", wire.MediaPathOf(uuid.NewString(), 0), wire.MediaPath + "x/-1", "/u/", "/u/x.mp4"} {
		if code, _ := get(tab.HTTP, bad); code != http.StatusNotFound {
			t.Errorf("%s: %d", bad, code)
		}
	}
	tab.Close()
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(d.log.String(), up.ID) {
		t.Error("an upload's address is in the log")
	}

	d = newPlayground(t, serveConfig{data: dir, addr: "127.0.0.1:0", files: files})
	tab = dial(t, "http://"+d.bff.Addr, wiretest.NewHTTP())
	goes := awaitTask(t, tab, v.ID, "polled after the restart", func(n wire.VideoTask) bool { return n.CheckedMS > 0 || n.State.Final() })
	if goes.Pause != "" || goes.State == wire.VideoLost {
		t.Errorf("%+v", goes)
	}
	want := 0
	if files == "" {
		want = 1
	}
	for _, pattern := range []string{filepath.Join("uploads", "*"), filepath.Join("archive", "??", "*")} {
		if left, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(left) != want {
			t.Errorf("in the data folder: %v, want %d, %v", left, want, err)
		}
	}
}
