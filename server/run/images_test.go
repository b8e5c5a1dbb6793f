package run_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"screentest/server/payer"
	"screentest/server/picture"
	"screentest/server/run"
	"screentest/server/store/storetest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// catalogueWithImages has a model that takes images.
func catalogueWithImages(t *testing.T) func(*run.Config) {
	c, err := gateway.ParseCatalogue([]byte(`{"sample": false, "models": [{"id": "vendor/sees", "takes": ["images"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return func(config *run.Config) { config.Catalogue = func() *gateway.Catalogue { return c } }
}

// withImage is a turn about an image.
func withImage(id string) wire.Start {
	s := turn()
	s.User.Images = []wire.Image{{ID: id}}
	s.Body = json.RawMessage(`{"model": "vendor/sees", "stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"\"url\":\"screentest-image:` + id + `\""},
		{"type":"image_url","image_url":{"url": "screentest-image:` + id + `"}}, {"type":"image_url","image_url":{"url":"screentest-image:` + id + `"}}]}]}`)
	return s
}

// The gateway gets the images where the request names them, all else to the byte;
// what is kept as the request has their names.
func TestImagesArePutIntoTheRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, catalogueWithImages(t))
	i := storetest.PutImage(t, w.db, w.owner, 5)
	_, data := storetest.PNG(t, 3, 2, 5)
	s := withImage(i.ID)
	w.start(s)
	c := w.call()
	named := `"screentest-image:` + i.ID + `"`
	want := strings.ReplaceAll(string(s.Body), named, `"data:image/png;base64,`+base64.StdEncoding.EncodeToString(data)+`"`)
	if string(c.body) != want || !strings.Contains(want, `"\"url\":\"screentest-image:`+i.ID) {
		t.Errorf("the gateway got\n%s, want\n%s", c.body, want)
	}
	c.stream("text/event-stream")
	c.send(t, "data: {\"choices\":[{\"delta\":{\"content\":\"A square.\"}}]}\n\ndata: [DONE]\n\n")
	c.pipe.Close()
	r := w.wait(s.Run)
	if r.State != wire.Done || r.InputTokens > 100 {
		t.Errorf("%+v; an image is no text to count", r)
	}
	kept, err := w.Request(t.Context(), w.owner, s.Run)
	if err != nil || kept.Body != string(s.Body) {
		t.Errorf("kept is %s, %v", kept.Body, err)
	}
}

// What can't be sent is refused before anything is kept of it.
func TestImagesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, catalogueWithImages(t))
	bob := storetest.AddUser(t, w.db, "bob")
	theirs := storetest.PutImage(t, w.db, bob, 9)
	large := func(grey byte) string {
		_, data := storetest.PNG(t, 4, 4, grey)
		data = append(data, make([]byte, wire.MaxImage-len(data))...)
		i, err := picture.Look(data)
		if err != nil {
			t.Fatal(err)
		}
		storetest.Must(t, w.db.PutImage(t.Context(), w.owner, i, data))
		return i.ID
	}
	many := withImage(large(1))
	for grey := range byte(4) {
		many.Body = json.RawMessage(strings.Replace(string(many.Body), `{"type":"image_url"`, `{"type":"image_url","image_url":{"url":"screentest-image:`+large(2+grey)+`"}}, {"type":"image_url"`, 1))
	}
	smuggled := withImage(theirs.ID)
	smuggled.User.Images = nil // named in the body alone
	for name, tt := range map[string]struct {
		s    wire.Start
		code string
	}{
		"another's":               {withImage(theirs.ID), "image_not_found"},
		"another's, in the body":  {smuggled, "image_not_found"},
		"one that isn't there":    {withImage(strings.Repeat("0", 64)), "image_not_found"},
		"more than is sent":       {many, "images_too_large"},
		"a name that isn't whole": {withImage("00"), ""},
	} {
		_, err := w.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, tt.s)
		var p *wire.Problem
		if !errors.As(err, &p) || tt.code != "" && p.Code != tt.code {
			t.Errorf("%s: %v, want %s", name, err, tt.code)
		}
		if _, err := w.db.Conversation(t.Context(), w.owner, tt.s.Conversation); err == nil {
			t.Errorf("%s: the conversation was kept", name)
		}
	}
	select {
	case c := <-w.calls:
		t.Errorf("the gateway was called with %.200s", c.body)
	default:
	}
}
