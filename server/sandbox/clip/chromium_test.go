package clip_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"screentest/server/e2e/rig"
	"screentest/server/sandbox/clip"
)

// TestChromiumPlays: a browser finds the length and the size that were asked
// for, seeks into every stretch and gets a picture there, and plays to the end.
func TestChromiumPlays(t *testing.T) {
	if rig.LeftOut() {
		t.Log("NOT CHECKED IN A BROWSER: there is no Chromium (apt-get install chromium)")
		return
	}
	var specs []clip.Spec
	seen := map[[2]int]bool{}
	for _, resolution := range []string{"480p", "720p", "1080p", "4k"} {
		for i, ratio := range []string{"16:9", "9:16", "1:1", "4:3", "3:4", "21:9"} {
			w, h := clip.Size(resolution, ratio)
			if seen[[2]int{w, h}] {
				continue
			}
			seen[[2]int{w, h}] = true
			specs = append(specs, clip.Spec{Width: w, Height: h, Segments: []clip.Segment{{Look: (len(specs) + i) % clip.Looks, Frames: 4 * clip.FPS}}})
		}
	}
	specs = append(specs,
		clip.Spec{Width: 1280, Height: 720, Segments: []clip.Segment{{Look: 0, Frames: 100}, {Look: 3, Frames: 8 * clip.FPS}, {Look: 7, Frames: 178}}},
		clip.Spec{Width: 854, Height: 480, Segments: []clip.Segment{{Look: 5, Frames: 60 * clip.FPS}}})

	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><link rel="icon" href="data:,"><title>clips</title><video muted></video><script>
const v = document.querySelector("video");
const once = (name) => new Promise((ok, no) => {
  v.addEventListener(name, ok, {once: true});
  v.addEventListener("error", () => no(new Error(v.error.message)), {once: true});
});
async function look(at) {
  const done = once("seeked");
  v.currentTime = at;
  await done;
  const c = new OffscreenCanvas(16, 16).getContext("2d", {willReadFrequently: true});
  let values = 0; // how many different ones are in the picture: 1 or 2 is black
  for (let n = 0; n < 100 && values < 4; n++) {
    // A slow decoder may have no picture yet though it has sought.
    if (n > 0) await new Promise((ok) => setTimeout(ok, 50));
    c.drawImage(v, 0, 0, 16, 16);
    values = new Set(c.getImageData(0, 0, 16, 16).data).size;
  }
  return values;
}
async function check(src, times) {
  const loaded = once("loadeddata");
  v.src = src;
  await loaded;
  const colours = [];
  for (const t of times) colours.push(await look(t));
  await look(v.duration - 0.3);
  const ended = once("ended");
  await v.play();
  await ended;
  return {duration: v.duration, width: v.videoWidth, height: v.videoHeight, colours, at: v.currentTime};
}
</script>`)
	})
	mux.HandleFunc("GET /{n}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscan(r.PathValue("n"), &n); err != nil || n >= len(specs) {
			http.NotFound(w, r)
			return
		}
		b, err := specs[n].Encode()
		if err != nil {
			t.Error(err)
			return
		}
		w.Header().Set("Content-Type", "video/mp4")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	})
	host := httptest.NewServer(mux)
	defer host.Close()

	browser, err := rig.OpenBrowser()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = browser.Close() }()
	profile, err := browser.Profile()
	if err != nil {
		t.Fatal(err)
	}
	defer profile.Close()
	tab, err := profile.Tab()
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	if err := tab.Open(host.URL + "/"); err != nil {
		t.Fatal(err)
	}
	for i, s := range specs {
		// Into the middle of each stretch.
		times, at := "", 0
		for _, g := range s.Segments {
			times += fmt.Sprintf("%f,", (float64(at)+float64(g.Frames)/2)/clip.FPS)
			at += g.Frames
		}
		var got struct {
			Duration, At  float64
			Width, Height int
			Colours       []int
		}
		if err := tab.Eval(&got, fmt.Sprintf("check('/%d', [%s])", i, times)); err != nil {
			t.Errorf("%dx%d: %v", s.Width, s.Height, err)
			continue
		}
		off := got.Duration - s.Seconds()
		if off < -1e-5 || off > 1e-5 || got.Width != s.Width || got.Height != s.Height || got.At != got.Duration {
			t.Errorf("Chromium sees %+v, want %dx%d of %v s", got, s.Width, s.Height, s.Seconds())
		}
		for k, n := range got.Colours {
			if n < 4 {
				t.Errorf("%dx%d: no picture in part %d", s.Width, s.Height, k)
			}
		}
	}
	for _, m := range tab.Console() {
		t.Errorf("the console: %+v", m)
	}
}
