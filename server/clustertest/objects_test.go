package clustertest

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// The object store is away for a while. Texts come as ever; what needs the store says
// so, in words; and a clip that was made meanwhile is copied when it is back.
func TestTheObjectStoreIsAway(t *testing.T) {
	t.Parallel()
	c := New(t, 2)
	ann := c.SetUp()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	l := c.NewLoad(ann, 1, nil)
	l.clip(ann)
	before := l.clips[0].it

	for _, r := range c.Replicas {
		r.Files.Cut(t)
	}
	l.Play(ann, Turn(gateway.Chat, "[[pace: 1000]] meanwhile"))
	id := uuid.NewString()
	v := wire.VideoCreate{ID: id, Body: gateway.VideoRequest{Model: "beta-video-480p", Prompt: "clip " + id, Seconds: "6"}.Body()}
	if err := ann.Call(ctx, wire.OpVideoCreate, v, nil); err != nil {
		t.Fatal(err)
	}
	l.clips = append(l.clips, ofPerson[string]{ann, id})
	var o wire.VideoOpened
	for o.Task.State != wire.VideoDone && ctx.Err() == nil {
		_ = ann.Call(ctx, wire.OpVideoCheck, wire.Target{ID: id}, nil) // the answer is looked for
		if err := ann.Call(ctx, wire.OpVideoTask, wire.Target{ID: id}, &o); err != nil {
			t.Fatal(err)
		}
		pause(ctx, 200*time.Millisecond)
	}
	if o.Task.State != wire.VideoDone || o.Task.Archived {
		t.Errorf("made meanwhile: %s, archived %v", o.Task.State, o.Task.Archived)
	}
	r := ann.Ask("GET", wire.MediaPath+before+"/0", nil)
	// The gateway still has it, or else that is said.
	if r.Status != http.StatusOK {
		said(t, "a clip", r)
	} else if !l.sent([]byte(r.Body)) {
		t.Errorf("a clip of %d bytes, which is not what the gateway sent", len(r.Body))
	}
	said(t, "an upload", ann.upload(ctx))

	for _, r := range c.Replicas {
		r.Files.Mend(t)
	}
	l.End()
	l.Check()
	if r := ann.upload(ctx); r.Status != http.StatusOK && r.Status != http.StatusCreated {
		t.Errorf("an upload afterwards: %d %s", r.Status, r.Body)
	}
}

// upload uploads a picture.
func (p *Person) upload(ctx context.Context) Reply {
	p.t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 400, 400))); err != nil {
		p.t.Fatal(err)
	}
	r, err := p.send(ctx, "POST", wire.UploadsPath, "image/png", picture.Bytes())
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// said holds what is answered while the store is away to what a person can read.
func said(t *testing.T, what string, r Reply) {
	t.Helper()
	var p wire.Problem
	if json.Unmarshal([]byte(r.Body), &p) != nil || r.Status < 500 || !strings.HasSuffix(p.Message, ".") {
		t.Errorf("%s while the object store is away: %d %.300s", what, r.Status, r.Body)
		return
	}
	t.Logf("%s: %d %s: %s", what, r.Status, p.Code, p.Words())
}
