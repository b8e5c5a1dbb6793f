package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Files are served with Range, without a key (G40), to GET and HEAD.
func TestFiles(t *testing.T) {
	r := start(t, Config{})
	_, n := r.finish(t, clipBody("alpha-3.1-lite", "x", "4", ""))
	path := "/files/" + n.ID + ".mp4"
	whole := r.do("GET", path, "", "Authorization", "")
	if whole.status != 200 || whole.header.Get("Content-Type") != "video/mp4" || whole.header.Get("Accept-Ranges") != "bytes" || whole.header.Get("ETag") == "" {
		t.Fatalf("%d %v", whole.status, whole.header)
	}
	part := r.do("GET", path, "", "Range", "bytes=100-199")
	if part.status != http.StatusPartialContent || string(part.body) != string(whole.body[100:200]) || part.header.Get("Content-Range") != fmt.Sprintf("bytes 100-199/%d", len(whole.body)) {
		t.Errorf("%d %v", part.status, part.header)
	}
	if a := r.do("GET", path, "", "Range", "bytes=99999999-"); a.status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("a range beyond the end: %d", a.status)
	}
	if a := r.do("GET", path, "", "If-None-Match", whole.header.Get("ETag")); a.status != http.StatusNotModified {
		t.Errorf("an unchanged file: %d", a.status)
	}
	if a := r.do("HEAD", path, ""); a.status != 200 || len(a.body) != 0 || a.header.Get("Content-Length") != itoa(len(whole.body)) {
		t.Errorf("HEAD: %d %v", a.status, a.header)
	}
	queued := r.create(t, clipBody("alpha-3.1-lite", "x", "4", ""))
	for _, p := range []string{"/files/", "/files/x", "/files/" + n.ID, "/files/../" + n.ID + ".mp4", "/files/" + r.server.tasks.byID[queued.ID].UUID + ".mp4", "/files/" + strings.ToUpper(n.ID) + ".mp4"} {
		if a := r.do("GET", p, ""); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", p, a.status)
		}
	}
	if a := r.do("DELETE", path, ""); a.status != http.StatusNotFound {
		t.Errorf("DELETE: %d", a.status)
	}
}

// FilesBase is the address in links, a path prefix kept (F1).
func TestFilesBase(t *testing.T) {
	r := start(t, Config{FilesBase: "https://gateway.example/v/"})
	_, n := r.finish(t, clipBody("alpha-3.1-lite", "x", "4", ""))
	if n.Output[0].URL != "https://gateway.example/v/files/"+n.ID+".mp4" {
		t.Errorf("%s", n.Output[0].URL)
	}
	// And such a link is known as its own: measured without being fetched.
	r.create(t, clipBody("delta-3.0-motion-control-720p", "x", "4", `,"image_urls":["https://example.com/a.png"],"video_url":"`+n.Output[0].URL+`"`))
}
