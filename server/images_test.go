package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// pictureOf is a PNG that a name has for its own.
func pictureOf(t testing.TB, name string) []byte {
	t.Helper()
	h := fnv.New128a()
	h.Write([]byte(name))
	m := image.NewGray(image.Rect(0, 0, 8, 2))
	copy(m.Pix, h.Sum(nil))
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// putImage has somebody put a picture into their composer.
func (w *instance) putImage(p *someone, name string) (i wire.Image) {
	w.t.Helper()
	res, body := w.ask(p.http, "POST", wire.ImagesPath, "image/png", string(pictureOf(w.t, name)))
	if res.StatusCode != http.StatusOK || json.Unmarshal(body, &i) != nil {
		w.t.Fatalf("%s: %s", res.Status, body)
	}
	return i
}

// pictures has somebody ask about a picture of that name.
func (w *instance) pictures(p *someone, name string) (s wire.Start, i wire.Image) {
	w.t.Helper()
	i = w.putImage(p, name)
	s = turn(gateway.Chat, "What is "+name+"?")
	s.Charge, s.User.Images = w.red, []wire.Image{i}
	play(w.t, p.tab, s)
	end(w.t, p.tab, s)
	return s, i
}

// gets is the status with which somebody gets an address, and what came.
func (w *instance) gets(p *someone, path string) (int, *http.Response, string) {
	w.t.Helper()
	res, body := w.ask(p.http, "GET", path, "", "")
	return res.StatusCode, res, string(body)
}

// What is not an image is refused, whatever it is called, and what is one is given
// back to its owner alone, as an image and nothing else.
func TestImagesAreGivenToTheirOwner(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	for name, tt := range map[string]struct {
		body   string
		status int
	}{
		"a page":         {"<!doctype html><script>alert(1)</script>", http.StatusUnsupportedMediaType},
		"an SVG":         {`<svg xmlns="http://www.w3.org/2000/svg"/>`, http.StatusUnsupportedMediaType},
		"nothing":        {"", http.StatusUnsupportedMediaType},
		"too many bytes": {string(pictureOf(t, "x")) + strings.Repeat("x", wire.MaxImage), http.StatusRequestEntityTooLarge},
	} {
		if res, body := w.ask(w.member.http, "POST", wire.ImagesPath+"?name=a.png", "image/png", tt.body); res.StatusCode != tt.status {
			t.Errorf("%s: %s %s", name, res.Status, body)
		}
	}
	polyglot := string(pictureOf(t, "x")) + "<script>alert(1)</script>"
	res, body := w.ask(w.member.http, "POST", wire.ImagesPath, "text/html", polyglot)
	var i wire.Image
	if res.StatusCode != http.StatusOK || json.Unmarshal(body, &i) != nil {
		t.Fatalf("%s %s", res.Status, body)
	}
	status, res, got := w.gets(w.member, i.Address())
	if h := res.Header; status != 200 || got != polyglot || h.Get("Content-Type") != "image/png" || h.Get("X-Content-Type-Options") != "nosniff" ||
		h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		t.Errorf("%d %v", status, h)
	}
	for _, other := range []*someone{w.member, w.mate} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", w.url+i.Address(), nil)
		w.must(err)
		req.Header.Set("If-None-Match", res.Header.Get("ETag"))
		again, err := other.http.Do(req)
		w.must(err)
		again.Body.Close()
		if want := map[bool]int{true: http.StatusNotModified, false: http.StatusNotFound}[other == w.member]; again.StatusCode != want {
			t.Errorf("%s, who says that they have it: %s", other.name, again.Status)
		}
	}
	for _, other := range []*someone{w.mate, w.lead, w.admin, w.stranger} {
		if status, _, _ := w.gets(other, i.Address()); status != http.StatusNotFound {
			t.Errorf("%s gets %d", other.name, status)
		}
	}
	for _, path := range []string{"/x", "/..%2f", "/" + strings.ToUpper(i.ID), "/" + i.ID + ".png"} {
		if status, _, _ := w.gets(w.member, wire.ImagesPath+path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// Who is shown a conversation sees its images, and no others; not when it was taken
// back. A copy has them, and keeps them.
func TestImagesOfWhatIsShared(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	s, i := w.pictures(w.member, "a lighthouse")
	_, other := w.pictures(w.member, "something else")
	n := wire.NewShare{Kind: wire.ShareConversation, ID: s.Conversation, Audience: wire.ShareWithPeople, To: wire.IDs{w.mate.id()}, Live: true}
	live := w.shows(w.member, n)
	n.Live = false
	then := w.shows(w.member, n)
	later := w.putImage(w.member, "what came later")
	next := turn(gateway.Chat, "And this?")
	next.Charge, next.Conversation, next.User.Parent, next.User.Images = w.red, s.Conversation, s.Answer, []wire.Image{later}
	play(t, w.member.tab, next)
	end(t, w.member.tab, next)

	at := func(share, image string) string { return wire.SharePath + share + "?image=" + image }
	for _, tt := range []struct {
		who   *someone
		path  string
		there bool
	}{
		{w.mate, at(live.ID, i.ID), true}, {w.mate, at(live.ID, later.ID), true}, {w.mate, at(then.ID, i.ID), true},
		{w.mate, at(then.ID, later.ID), false}, {w.mate, at(live.ID, other.ID), false}, {w.mate, at(live.ID, "x"), false}, {w.mate, i.Address(), false},
		{w.stranger, at(live.ID, i.ID), false}, {w.stranger, at(then.ID, i.ID), false}, {w.lead, at(live.ID, i.ID), false},
		{w.member, at(live.ID, i.ID), true},
	} {
		status, res, got := w.gets(tt.who, tt.path)
		if want := map[bool]int{true: 200, false: 404}[tt.there]; status != want {
			t.Errorf("%s gets %s: %d, want %d", tt.who.name, tt.path, status, want)
		}
		if h := res.Header; tt.there && (h.Get("Content-Type") != "image/png" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" || !strings.HasPrefix(got, "\x89PNG")) {
			t.Errorf("%s: %v", tt.path, h)
		}
	}
	for id, images := range map[string]int{live.ID: 2, then.ID: 1} {
		if _, _, page := w.gets(w.mate, wire.SharePath+id); strings.Count(page, `<img src="?image=`) != images {
			t.Errorf("the page has not %d images: %s", images, page)
		}
	}

	var copied wire.Target
	w.does(w.mate, 200, "POST /api/shares/"+then.ID+"/copy", "", &copied)
	for _, id := range []string{live.ID, then.ID} {
		w.does(w.member, 204, "DELETE /api/shares/"+id, "", nil)
		if status, _, _ := w.gets(w.mate, at(id, i.ID)); status != http.StatusNotFound {
			t.Errorf("taken back: %d", status)
		}
	}
	w.must(w.member.tab.Call(t.Context(), wire.OpDelete, wire.Target{ID: s.Conversation}, nil))
	if status, _, _ := w.gets(w.mate, i.Address()); status != 200 {
		t.Errorf("of their copy: %d", status)
	}
	if status, _, _ := w.gets(w.member, i.Address()); status != 404 {
		t.Errorf("who deleted it gets %d", status)
	}
	_, _, text := w.gets(w.mate, wire.ExportPath+copied.ID+".md")
	if strings.Count(text, "![Image") != 1 || strings.Count(text, "]: data:image/png;base64,") != 1 {
		t.Errorf("as Markdown it is %s", text)
	}
}

// What an heir gets has its images; of who is erased none is left, neither sent nor
// in a composer.
func TestImagesOfWhoLeaves(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	_, i := w.pictures(w.member, "a lighthouse")
	_, both := w.pictures(w.member, "what both have")
	w.pictures(w.mate, "what both have")
	draft := w.putImage(w.member, "not sent")
	w.does(w.admin, 200, "POST /api/people/"+w.member.id()+"/erase", fmt.Sprintf(`{"hand_over_to":%q}`, w.lead.id()), nil)
	have := func(p *someone, image wire.Image) bool {
		status, _, _ := w.gets(p, image.Address())
		return status == 200
	}
	eventually(t, func() bool { return have(w.lead, i) && have(w.lead, both) }, func() string { return "the heir has not got the images" })
	if have(w.lead, draft) || have(w.mate, i) || !have(w.mate, both) {
		t.Error("somebody has what is not theirs, or lost what is")
	}
	w.does(w.admin, 200, "POST /api/people/"+w.lead.id()+"/erase", `{}`, nil)
	left := func() (n int) {
		w.must(w.store.Engine().At(t.Context()).Scan("SELECT count(*) FROM images", nil, &n))
		return n
	}
	eventually(t, func() bool { return left() == 1 }, func() string { return fmt.Sprintf("%d images are left, want the mate's", left()) })
}
