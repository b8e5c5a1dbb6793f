package sandbox

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"screentest/server/sandbox/clip"
	"screentest/shared/gateway"
)

// fileHost is a host of clips somewhere else, on loopback: /N.mp4 is a clip of
// N milliseconds.
func fileHost(t *testing.T) *httptest.Server {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("G40: a key was sent to a file host")
		}
		name := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/"), ".mp4")
		switch name {
		case "missing":
			http.NotFound(w, r)
		case "page":
			_, _ = io.WriteString(w, "<!doctype html>")
		case "huge":
			w.Header().Set("Content-Length", strconv.Itoa(maxClip+1))
			w.WriteHeader(http.StatusOK)
		case "endless":
			// A file that never says how large it is.
			_, _ = w.Write([]byte("\x00\x00\x00\x08ftyp\x00\x00\x00\x00mdat"))
			block := make([]byte, 1<<20)
			for {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		case "loop":
			http.Redirect(w, r, "/loop.mp4", http.StatusFound)
		case "elsewhere":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "moved":
			http.Redirect(w, r, "/5000.mp4", http.StatusFound)
		default:
			ms, err := strconv.Atoi(name)
			if err != nil {
				http.NotFound(w, r)
				return
			}
			b, err := clip.Spec{Width: 480, Height: 854, Segments: []clip.Segment{{Look: 1, Frames: clip.Frames(float64(ms) / 1000)}}}.Encode()
			if err != nil {
				t.Error(err)
			}
			_, _ = w.Write(b)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// TestReferences: F142–F149, G20, G21, with clips that are fetched and measured.
func TestReferences(t *testing.T) {
	host := fileHost(t)
	r := start(t, Config{FetchPrivate: true, Balance: 1_000_000_000_000})
	for _, c := range []struct {
		name    string
		files   string // of the host
		seconds string
		want    string // "" is accepted, else the code
		says    string
	}{
		{"F147 one of 5 s and a clip of 4 s", "5000", "9", "", ""},
		{"F147 one of 5 s and a clip of 15 s", "5000", "20", "", ""},
		{"F149 a clip of 3 s", "5000", "8", "reference_video_seconds", "9 to 20"},
		{"F149 a clip of 16 s", "5000", "21", "reference_video_seconds", "9 to 20"},
		{"F142 2 s", "2000", "6", "", ""},
		{"F142 below 2 s", "1950", "6", "invalid_request", "2 to 15 s"},
		{"F142 15 s", "15000", "19", "", ""},
		{"F142 above 15 s", "15050", "19", "invalid_request", "2 to 15 s"},
		{"F143 three of 5 s", "5000 5000 5000", "30", "", ""},
		{"F143 more than 15 s together", "5000 5000 5050", "19", "invalid_request", "15 s"},
		{"F78 two", "4000 3000", "11", "", ""},
		// 2.25 + 2.25 = 4.5 rounds to 5; each of them alone would round to 2.
		{"G21 the total is rounded, half up", "2250 2250", "9", "", ""},
		{"G21 and not each file", "2250 2250", "8", "reference_video_seconds", "9 to 20"},
		{"G21 the sandbox is exact", "2250 2250", "21", "reference_video_seconds", "9 to 20"},
		{"G20 R is the measured total", "2000 2000", "8", "", ""},
		{"a redirect", "moved", "9", "", ""},
		{"no file", "missing", "9", "invalid_request", "404"},
		{"no clip", "page", "9", "invalid_request", "not an MP4"},
		{"redirects without end", "loop", "9", "invalid_request", "fetched"},
		{"a redirect to a file", "elsewhere", "9", "invalid_request", "fetched"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var urls []string
			for f := range strings.FieldsSeq(c.files) {
				urls = append(urls, fmt.Sprintf("%q", host.URL+"/"+f+".mp4"))
			}
			before := r.account().Charged
			a := r.post(gateway.Video, clipBody("gamma-2-720p-vref", "@Video1", c.seconds, `,"reference_video_urls":[`+strings.Join(urls, ",")+`]`))
			charged := r.account().Charged - before
			if c.want != "" {
				if p := a.problem(t); p.code != c.want || !strings.Contains(p.message, c.says) || charged != 0 {
					t.Errorf("%d %s, charged %d; want %s with %q", a.status, a.body, charged, c.want, c.says)
				}
				return
			}
			if a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			// F148: the rate counts for the whole sum; the clip is without them.
			n, _ := strconv.Atoi(c.seconds)
			if want := int64(n) * 70_000_000; charged != want {
				t.Errorf("F148: charged %d, want %d", charged, want)
			}
			task := r.server.tasks.order[len(r.server.tasks.order)-1]
			if got := task.Clip.Seconds(); got < 4 || got > 15 || got >= float64(n) {
				t.Errorf("F146: the clip is %v s of %d", got, n)
			}
		})
	}
}

// TestMotion: F153–F158, G22.
func TestMotion(t *testing.T) {
	host := fileHost(t)
	r := start(t, Config{FetchPrivate: true, Balance: 1_000_000_000_000})
	for _, c := range []struct {
		name, file, seconds, want, says string
		length                          float64
	}{
		{"F157 as long as the source", "5000", "5", "", "", 5},
		{"G22 7.4 s as 7", "7400", "7", "", "", 7.4},
		{"G22 7.4 s as 8", "7400", "8", "", "", 7.4},
		{"G22 7.4 s as 6", "7400", "6", "invalid_seconds", "7, 8", 0},
		{"G22 7.4 s as 9", "7400", "9", "invalid_seconds", "7, 8", 0},
		{"G22 5 s as 6", "5000", "6", "invalid_seconds", "allowed: 5", 0},
		{"F155 3 s", "3000", "3", "", "", 3},
		{"F155 below 3 s", "2900", "3", "invalid_request", "3 to 30 s", 0},
		{"F155 30 s", "30000", "30", "", "", 30},
		{"F155 above 30 s", "30100", "30", "invalid_request", "3 to 30 s", 0},
		{"F156 more than 100 MB by its length", "huge", "5", "invalid_request", "100 MB", 0},
		{"F156 more than 100 MB without a length", "endless", "5", "invalid_request", "100 MB", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := r.post(gateway.Video, clipBody("delta-3.0-motion-control-1080p", "x", c.seconds,
				`,"image_urls":"https://example.com/a.png","character_orientation":"image","background_source":"input_video","video_url":"`+host.URL+"/"+c.file+`.mp4"`))
			if c.want != "" {
				if p := a.problem(t); p.code != c.want || !strings.Contains(p.message, c.says) {
					t.Errorf("%d %s; want %s with %q", a.status, a.body, c.want, c.says)
				}
				return
			}
			if a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			task := r.server.tasks.order[len(r.server.tasks.order)-1]
			// To the frame: a clip of 7.4 s has 178 of them.
			if got := task.Clip; got.Frames() != clip.Frames(c.length) || got.Width != 1080 || got.Height != 1920 {
				t.Errorf("F157: %+v", got)
			}
			n, _ := strconv.Atoi(c.seconds)
			if want := int64(n) * 140_000_000; int64(task.Cost) != want {
				t.Errorf("F158: %d, want %d", task.Cost, want)
			}
		})
	}
}

// Its own finished clips are measured without a request, wherever it listens.
func TestOwnFilesAreMeasured(t *testing.T) {
	r := start(t, Config{}) // private addresses are not fetched
	_, n := r.finish(t, clipBody("beta-video-480p", "x", "6", ""))
	r.create(t, clipBody("gamma-2-720p-vref", "x", "10", `,"reference_video_urls":["`+n.Output[0].URL+`"]`))
	a := r.post(gateway.Video, clipBody("gamma-2-720p-vref", "x", "10", `,"reference_video_urls":["`+r.http.URL+`/files/123e4567-e89b-12d3-a456-426614174000.mp4"]`))
	if p := a.problem(t); p.code != "invalid_request" || !strings.Contains(p.message, "404") {
		t.Errorf("a file that is not there: %s", a.body)
	}
	for _, req := range r.server.requests.of(anyone) {
		if strings.HasPrefix(req.Path, "/files/") {
			t.Errorf("it called itself for %s", req.Path)
		}
	}
}

// Without FetchPrivate no private address is called: not by its number, nor by
// a name, nor by way of a redirect.
func TestPrivateAddressesAreNotFetched(t *testing.T) {
	called := make(chan string, 100)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called <- r.URL.Path
	}))
	t.Cleanup(host.Close)
	_, port, err := net.SplitHostPort(host.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Config{})
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "127.1", "2130706433", "0x7f.0.0.1"} {
		a := r.post(gateway.Video, clipBody("gamma-2-720p-vref", "x", "9", `,"reference_video_urls":["http://`+name+`:`+port+`/5000.mp4"]`))
		if p := a.problem(t); p.code != "invalid_request" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	select {
	case path := <-called:
		t.Errorf("%s was called", path)
	default:
	}
}
