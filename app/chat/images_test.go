package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

const seeing, unseeing = "vendor/sees", "vendor/reads"

// newGallery is a bench with a model that takes images and one that isn't known to.
func newGallery(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.news(wire.EventHello, wire.Hello{Build: "b1", Gateway: wire.Gateway{HasKey: true}, Catalogue: []byte(`{"sample": false, "models": [
		{"id": "` + seeing + `", "takes": ["images"], "price": {"input": 1, "output": 2}},
		{"id": "` + unseeing + `", "price": {"input": 1, "output": 2}}]}`)})
	b.Lane(0).Choose(seeing)
	return b
}

func imageOf(digit string) wire.Image {
	return wire.Image{ID: strings.Repeat(digit, 64), Type: "image/png", Width: 3, Height: 2, Bytes: 70}
}

// attach puts an image into the composer, as the server has it.
func (b *bench) attach(t *testing.T, digit string) *Attachment {
	t.Helper()
	c := b.Shown()
	a := c.Attach(digit + ".png")
	if a == nil {
		t.Fatalf("%+v", c.Refusal)
	}
	c.AttachDone(a.ID, imageOf(digit), "3 × 2", nil)
	return a
}

func TestAMessageWithImages(t *testing.T) {
	t.Parallel()
	b := newGallery(t)
	b.attach(t, "a")
	gone := b.attach(t, "b")
	b.attach(t, "c")
	b.Shown().Detach(gone.ID)
	if again := New(b.options()); len(again.Shown().Attached()) != 2 {
		t.Errorf("after a reload %d images are in the composer", len(again.Shown().Attached()))
	}
	start, run := b.sent(t, "What?")
	if want := []wire.Image{imageOf("a"), imageOf("c")}; !slices.Equal(start.User.Images, want) {
		t.Errorf("the message has %+v", start.User.Images)
	}
	part := func(digit string) string {
		return `{"type":"image_url","image_url":{"url":"screentest-image:` + imageOf(digit).ID + `"}}`
	}
	if want := `"messages":[{"role":"user","content":[{"type":"text","text":"What?"},` + part("a") + `,` + part("c") + `]}]`; !strings.Contains(string(start.Body), want) {
		t.Errorf("the body is %s, want %s in it", start.Body, want)
	}
	if len(b.Shown().Attached()) != 0 || b.store[imagesName] != "" {
		t.Error("the images are in the composer still")
	}
	b.end(run.ID, 0, delta("Two.")+doneMark)
	b.finish(run, wire.Done)

	// Another version has the same, and so has what follows.
	b.Retry(0, b.last().ID)
	if again := read[wire.Start](t, b.far.take(t, wire.OpStart)); string(again.Body) != string(start.Body) {
		t.Errorf("the retry has %s", again.Body)
	}
}

// Images alone are a message too, and an edited message keeps its own.
func TestImagesWithoutAText(t *testing.T) {
	t.Parallel()
	b := newGallery(t)
	b.attach(t, "a")
	start, run := b.sent(t, "  ")
	if len(start.User.Images) != 1 || start.User.Text != "" || strings.Contains(string(start.Body), `"text"`) {
		t.Errorf("%+v %s", start.User, start.Body)
	}
	b.end(run.ID, 0, delta("One.")+doneMark)
	b.finish(run, wire.Done)
	if !b.Lane(0).Edit(start.User.ID, "Which colour?") {
		t.Fatalf("%+v", b.Shown().Refusal)
	}
	b.pass(0)
	edited := read[wire.Start](t, b.far.take(t, wire.OpStart))
	if edited.User.Text != "Which colour?" || !slices.Equal(edited.User.Images, start.User.Images) || len(gateway.ImageRefs(edited.Body)) != 1 {
		t.Errorf("%+v %s", edited.User, edited.Body)
	}
}

func TestImagesThatAreNotReady(t *testing.T) {
	t.Parallel()
	b := newGallery(t)
	c := b.Shown()
	a := c.Attach("late.png")
	if b.Send("x") || c.Refusal.Issues[0].Code != "image_under_way" {
		t.Errorf("under way: %+v", c.Refusal)
	}
	c.AttachDone(a.ID, wire.Image{}, "", &wire.Problem{Code: "not_an_image", Message: "It is a text."})
	if b.Send("x") || c.Refusal.Issues[0].Code != "image_refused" || !strings.Contains(c.Refusal.Issues[0].Message, "It is a text.") {
		t.Errorf("refused: %+v", c.Refusal)
	}
	if again := New(b.options()); len(again.Shown().Attached()) != 0 {
		t.Error("what is not on the server was stored")
	}
	c.Detach(a.ID)
	for i := range wire.MaxImages {
		b.attach(t, fmt.Sprintf("%x", i))
	}
	if c.Attach("one too many") != nil || c.Refusal.Issues[0].Code != "too_many_images" {
		t.Errorf("too many: %+v", c.Refusal)
	}
}

// A lane whose model takes none is named, and asked without them if the person says
// so: then, and after a reload.
func TestALaneWithoutImages(t *testing.T) {
	t.Parallel()
	b := newGallery(t)
	b.lanes(seeing, unseeing)
	c := b.Shown()
	b.attach(t, "a")
	if want := unseeing + " isn’t known to take images."; c.ImagesWarning() != want {
		t.Errorf("the warning is %q", c.ImagesWarning())
	}
	if b.Send("What?") || c.Refusal.Issues[0].Code != CodeNoImages || c.Refusal.Lane != 1 || len(c.Attached()) != 1 {
		t.Fatalf("%+v", c.Refusal)
	}
	if c.ImagesWarning() != "" {
		t.Error("it is said twice")
	}
	c.LeaveImages()
	if c.ImagesWarning() != "" || c.ImagesLeft() != unseeing+": asked without the images." {
		t.Errorf("%q, %q", c.ImagesWarning(), c.ImagesLeft())
	}
	starts, _ := b.sentAll(t, "What?")
	if len(gateway.ImageRefs(starts[0].Body)) != 1 || len(gateway.ImageRefs(starts[1].Body)) != 0 || len(starts[0].User.Images) != 1 || starts[1].User.Images != nil {
		t.Errorf("%s\n%s", starts[0].Body, starts[1].Body)
	}
	if len(c.Lane(0).Path()) != 2 || len(c.Lane(1).Path()) != 2 || len(c.Lane(1).Versions(c.Lane(1).Path()[0])) != 1 {
		t.Errorf("the lanes show %v and %v", b.lane(0), b.lane(1))
	}
	b.attach(t, "b")
	if b.Send("") || c.Refusal.Issues[0].Code != "running" {
		t.Errorf("%+v", c.Refusal)
	}
}

// Where no lane's model takes images none can be added, and by the contract of the
// families there is not even a button for it.
func TestWhereImagesAreRefused(t *testing.T) {
	t.Parallel()
	b := newGallery(t)
	if words, _ := b.Shown().ImagesRefused(); words != "" || !b.Shown().MayAttach() {
		t.Errorf("%q", words)
	}
	b.Lane(0).Choose(unseeing)
	if words, quiet := b.Shown().ImagesRefused(); words != unseeing+" isn’t known to take images." || quiet || b.Shown().MayAttach() || b.Shown().Refusal == nil {
		t.Errorf("%q, %v", words, quiet)
	}
	for _, model := range []string{"zeta-1", "vendor/beta-4.6", responsesModel} {
		b.Lane(0).Choose(model)
		if words, quiet := b.Shown().ImagesRefused(); words != model+" takes no images." || !quiet {
			t.Errorf("%s: %q, %v", model, words, quiet)
		}
	}
}

func TestEstimateOfImages(t *testing.T) {
	t.Parallel()
	for price, want := range map[string]string{
		"":                    "≈ $0.0001–0.0020 plus the images · ",
		`, "per_image": 0.01`: "≈ $0.02 · ",
	} {
		b := newBench(t)
		b.news(wire.EventHello, wire.Hello{Build: "b1", Gateway: wire.Gateway{HasKey: true}, Catalogue: []byte(`{"models": [
			{"id": "` + seeing + `", "takes": ["images"], "price": {"input": 1, "output": 2` + price + `}}]}`)})
		b.Lane(0).Choose(seeing)
		b.attach(t, "a")
		b.attach(t, "b")
		if got := b.Shown().Estimate(10); !strings.HasPrefix(got.Text, want) || strings.Contains(got.Basis, "what the images cost") != (price == "") {
			t.Errorf("%s: %q, %q", price, got.Text, got.Basis)
		}
	}
}

func TestQuestionWithImages(t *testing.T) {
	t.Parallel()
	ref := gateway.ImageScheme + imageOf("a").ID
	for _, body := range []string{
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"What?"},{"type":"image_url","image_url":{"url":"` + ref + `"}},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}]}`,
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"What?"},{"type":"input_image","image_url":"` + ref + `"}]}]}`,
	} {
		if _, text, images := question([]byte(body)); text != "What?" || !slices.Equal(images, []wire.Image{{ID: imageOf("a").ID}}) {
			t.Errorf("%s: %q, %v", body, text, images)
		}
	}
}
