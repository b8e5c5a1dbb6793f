package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// seeing is a gateway that keeps what it is sent, and answers what it saw.
type seeing struct {
	*httptest.Server

	mu     sync.Mutex
	bodies []seen
}

// seen is a request as a gateway takes it.
type seen struct {
	raw      string
	Model    string
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
}

func newSeeing(t *testing.T) *seeing {
	g := &seeing{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		s := seen{raw: string(raw)}
		if r.URL.Path != "/v1/chat/completions" || json.Unmarshal(raw, &s) != nil {
			http.NotFound(w, r)
			return
		}
		g.mu.Lock()
		g.bodies = append(g.bodies, s)
		g.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, chunk(fmt.Sprintf("%d images.", strings.Count(s.raw, ";base64,"))),
			`data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":900,"completion_tokens":3}}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(g.Close)
	return g
}

// of are the requests for a model so far.
func (g *seeing) of(model string) (list []seen) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.bodies {
		if s.Model == model {
			list = append(list, s)
		}
	}
	return list
}

// parts are the text and the images of a request's last message.
func (s seen) parts(t *testing.T) (text string, images []image.Image) {
	t.Helper()
	last := s.Messages[len(s.Messages)-1]
	var list []struct {
		Type, Text string
		ImageURL   struct{ URL string } `json:"image_url"`
	}
	if json.Unmarshal(last.Content, &text) == nil {
		return text, nil
	}
	if err := json.Unmarshal(last.Content, &list); err != nil || last.Role != "user" {
		t.Fatalf("%s: %.300s", last.Role, last.Content)
	}
	for _, part := range list {
		switch _, data, is := strings.Cut(part.ImageURL.URL, ";base64,"); {
		case part.Type == "text":
			text += part.Text
		case part.Type == "image_url" && is:
			raw, err := base64.StdEncoding.DecodeString(data)
			if err != nil {
				t.Fatal(err)
			}
			m, _, err := image.Decode(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			images = append(images, m)
		default:
			t.Errorf("a part is %s %.60s", part.Type, part.ImageURL.URL)
		}
	}
	return text, images
}

// pictureFile is a picture on somebody's disk.
func pictureFile(t *testing.T, name string, width, height int) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			m.Set(x, y, color.RGBA{uint8(x), uint8(y), 90, 255})
		}
	}
	var b bytes.Buffer
	encode := func() error { return png.Encode(&b, m) }
	if strings.HasSuffix(name, ".jpg") {
		encode = func() error { return jpeg.Encode(&b, m, nil) }
	}
	path := filepath.Join(t.TempDir(), name)
	if err := encode(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// withImages is a world whose gateway has a model that takes images and one that
// isn't known to.
func withImages(t *testing.T) (*world, *seeing) {
	g := newSeeing(t)
	return newWorldWith(t, g.URL, "-catalog", seeingCatalogue(t)), g
}

// seeingCatalogue is a catalogue with these two.
func seeingCatalogue(t *testing.T) string {
	t.Helper()
	catalogue := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(catalogue, []byte(`{"sample": false, "models": [
		{"id": "vendor/sees", "takes": ["images"], "price": {"input": 1, "output": 2}},
		{"id": "vendor/reads", "price": {"input": 1, "output": 2}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return catalogue
}

// gives pastes or drops a picture of so many pixels, whose name says it is another
// kind of file than it is.
func (p *page) gives(how, selector string, width, height int) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`(async () => {
		const canvas = document.createElement("canvas");
		[canvas.width, canvas.height] = [%d, %d];
		canvas.getContext("2d").fillRect(0, 0, 5, 5);
		const data = new DataTransfer();
		data.items.add(new File([await new Promise(done => canvas.toBlob(done))], "shot.png", {type: "image/png"}));
		const at = document.querySelector(%q), how = %q;
		at.dispatchEvent(how === "paste" ? new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true})
			: new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
		return true;
	})()`, width, height, selector, how)))
}

func (p *page) attached(n int) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelectorAll('.attachment[data-state="ready"]').length === %d && document.querySelectorAll(".attachment").length === %[1]d`, n))
}

// Images are chosen, pasted and dropped, made smaller, outlive a reload, and are sent
// as parts; a second try sends the same bytes; the thread shows them, and one in full.
func TestImagesAreSent(t *testing.T) {
	t.Parallel()
	w, g := withImages(t)
	p := w.keyed("/")
	p.choose("vendor/sees")
	p.must(p.tab.Files("#image-file", pictureFile(t, "wide.jpg", 4096, 64), pictureFile(t, "small.png", 30, 20)))
	p.attached(2)
	if words := p.text(`document.querySelector(".attachment").textContent`); !strings.Contains(words, "wide.jpg") || !strings.Contains(words, "2048 × 32") || !strings.Contains(words, "made smaller from 4096 × 64") {
		t.Errorf("of the wide one it says %q", words)
	}
	p.gives("paste", "#composer", 40, 10)
	p.attached(3)
	p.must(p.tab.Eval(nil, `(() => {
		const data = new DataTransfer();
		data.items.add(new File(["x"], "x.png", {type: "image/png"}));
		return document.querySelector(".desk").dispatchEvent(new DragEvent("dragover", {dataTransfer: data, bubbles: true, cancelable: true}));
	})()`))
	p.wait(`document.querySelector(".composer-box").dataset.drop === ""`)
	p.gives("drop", ".desk", 50, 10)
	p.attached(4)
	p.wait(`document.querySelector(".composer-box").dataset.drop === undefined`)
	p.click(`.attachment:nth-child(3) .icon-button`)
	p.attached(3)
	p.wait(`document.querySelector("#estimate").textContent.includes("plus the images")`)
	p.reload()
	p.attached(3)
	p.wait(`[...document.querySelectorAll(".attachment img")].every(i => i.complete && i.naturalWidth > 0)`)
	p.send("What are these?")
	p.settled()
	p.attached(0)

	sent := g.of("vendor/sees")
	if len(sent) != 1 {
		t.Fatalf("%d requests", len(sent))
	}
	text, images := sent[0].parts(t)
	var sizes []image.Point
	for _, m := range images {
		sizes = append(sizes, m.Bounds().Size())
	}
	if want := "[(2048,32) (30,20) (50,10)]"; text != "What are these?" || fmt.Sprint(sizes) != want || strings.Contains(sent[0].raw, "screentest-image") {
		t.Errorf("the gateway saw %q and %v, want %s", text, sizes, want)
	}

	shown := `document.querySelectorAll('.message[data-role="user"] .images img')`
	whole := `[...` + shown + `].filter(i => i.complete && i.naturalWidth > 0).length === 3`
	p.wait(whole)
	p.reload()
	p.wait(whole)
	p.click(`.message .images li:nth-child(2) button`)
	p.wait(`document.querySelector("#image-view").open && document.querySelector("#image-view h2").textContent === "Image 2 of 3" && document.querySelector("#image-view img").naturalWidth === 30`)
	p.keys(kb.ArrowRight)
	p.wait(`document.querySelector("#image-view img").naturalWidth === 50`)
	p.keys(kb.Escape)
	p.wait(`!document.querySelector("#image-view").open && document.activeElement.matches(".images li:nth-child(2) button")`)

	p.click(`.message .again`)
	p.wait(`document.querySelector(".versions")?.textContent.includes("2 of 2")`)
	p.settled()
	if sent = g.of("vendor/sees"); len(sent) != 2 || sent[0].raw != sent[1].raw {
		t.Errorf("%d requests, the second not as the first", len(sent))
	}
	p.send("And now?")
	p.settled()
	if sent = g.of("vendor/sees"); len(sent) != 3 || strings.Count(sent[2].raw, ";base64,") != 3 {
		t.Errorf("what was said before was sent without its images")
	}
	if held := p.text(`fetch("/api/export.json").then(r => r.text())`); strings.Count(held, `"data":`) != 3 {
		t.Errorf("the export has not each image once")
	}
}

// A lane whose model takes no images is named, and nothing is sent before it is asked
// without them.
func TestALaneThatTakesNoImages(t *testing.T) {
	t.Parallel()
	w, g := withImages(t)
	p := w.keyed("/")
	p.compare("vendor/sees", "vendor/reads")
	p.gives("paste", "#composer", 40, 10)
	p.attached(1)
	p.wait(`document.querySelector("#images-note").textContent.includes("vendor/reads isn’t known to take images.")`)
	p.click(composer)
	p.keys("What is this?\r")
	p.wait(`document.querySelector("#refusal").textContent.includes("vendor/reads isn’t known to take images.")`)
	if len(g.of("vendor/sees")) != 0 {
		t.Error("the other lane was asked alone")
	}
	p.click("#without-images")
	p.wait(`document.querySelector("#images-note").textContent.includes("vendor/reads: asked without the images.")`)
	p.click("#send")
	p.allSettled()
	_, images := g.of("vendor/sees")[0].parts(t)
	text, none := g.of("vendor/reads")[0].parts(t)
	if len(images) != 1 || text != "What is this?" || none != nil {
		t.Errorf("one saw %d images, the other %q and %d", len(images), text, len(none))
	}
	if shown := p.text(`[...document.querySelectorAll(".lane")].map(l => l.querySelectorAll(".message .images img").length).join(" and ")`); shown != "1 and 0" {
		t.Errorf("the lanes show %s images", shown)
	}
}

// With models that take none there is no way to add an image, and one that is pasted
// is refused in words. So it is with the sandbox's own.
func TestImagesWhereNoModelTakesThem(t *testing.T) {
	t.Parallel()
	w, _ := withImages(t)
	p := w.keyed("/")
	p.choose("vendor/reads")
	p.wait(`document.querySelector("#add-image").disabled && document.querySelector("#add-image").title === "vendor/reads isn’t known to take images."`)
	p.gives("paste", "#composer", 40, 10)
	p.wait(`document.querySelector("#refusal").textContent.includes("vendor/reads isn’t known to take images.")`)
	p.attached(0)

	p = newWorld(t, "").tab("/")
	p.wait(`document.querySelector("#add-image").disabled`)
	p.gives("drop", ".desk", 40, 10)
	p.wait(`/images/.test(document.querySelector("#refusal").textContent)`)
}
