package chat_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/store/transfer"
	"screentest/shared/wire"
)

// kept is how many images there are.
func kept(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	storetest.Must(t, db.Engine().At(context.Background()).Scan("SELECT count(*) FROM images", nil, &n))
	return n
}

// pictured stores a message with images.
func pictured(t *testing.T, db *store.DB, owner string, images ...wire.Image) wire.Start {
	t.Helper()
	s := storetest.NewStart("", "What is this?")
	s.User.Images = images
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	storetest.Must(t, db.FinishRun(context.Background(), owner, storetest.Ended(storetest.RunOf(s), 1), "A square.", nil, nil, nil))
	return s
}

// The same image is kept once, whoever uses it, and goes with the last message that
// has it.
func TestAnImageLivesAsLongAsItsMessages(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, ann := storetest.OpenLocal(t)
	bob := storetest.AddUser(t, db, "bob")
	a, b := storetest.PutImage(t, db, ann, 1), storetest.PutImage(t, db, ann, 2)
	one := pictured(t, db, ann, b, a, b)
	storetest.PutImage(t, db, bob, 1)
	two := pictured(t, db, bob, a)
	if n := kept(t, db); n != 2 {
		t.Fatalf("%d images are kept", n)
	}
	opened := storetest.Got(db.OpenConversation(ctx, ann, wire.Page{Conversation: one.Conversation}))
	if got := opened.Messages[0].Images; !slices.Equal(got, []wire.Image{b, a, b}) {
		t.Errorf("the message has %+v", got)
	}
	if got := opened.Messages[1].Images; got != nil {
		t.Errorf("the answer has %+v", got)
	}
	_, data := storetest.PNG(t, 3, 2, 2)
	if i, got, err := db.Image(ctx, ann, b.ID); err != nil || i != b || !bytes.Equal(got, data) {
		t.Errorf("%+v, %v", i, err)
	}
	storetest.Must(t, db.DeleteConversation(ctx, ann, one.Conversation))
	if _, _, err := db.Image(ctx, ann, a.ID); !errors.Is(err, fs.ErrNotExist) || kept(t, db) != 1 {
		t.Errorf("Ann's is there still: %v, of %d", err, kept(t, db))
	}
	if _, _, err := db.Image(ctx, bob, a.ID); err != nil {
		t.Error(err)
	}
	storetest.Must(t, db.DeleteConversation(ctx, bob, two.Conversation))
	if n := kept(t, db); n != 0 {
		t.Errorf("%d images of nobody are kept", n)
	}
}

// What was chosen and not sent goes after a day.
func TestImagesThatAreNotSent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	now := time.UnixMilli(1_700_000_000_000)
	db := storetest.Open(t, t.TempDir(), store.Options{Now: func() time.Time { return now }})
	ann := storetest.Got(db.EnsureLocalUser(ctx))
	a := storetest.PutImage(t, db, ann, 1)
	now = now.Add(23 * time.Hour)
	storetest.PutImage(t, db, ann, 1) // chosen once more
	storetest.PutImage(t, db, ann, 2)
	now = now.Add(23 * time.Hour)
	storetest.Must(t, storetest.Second(db.DropImageDrafts(ctx)))
	if n := kept(t, db); n != 2 {
		t.Fatalf("%d are kept within the day", n)
	}
	pictured(t, db, ann, a)
	now = now.Add(2 * time.Hour)
	storetest.Must(t, storetest.Second(db.DropImageDrafts(ctx)))
	if n := kept(t, db); n != 1 {
		t.Errorf("%d are kept, want the one that was sent", n)
	}
}

func TestStartWithImages(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, ann := storetest.OpenLocal(t)
	a := storetest.PutImage(t, db, ann, 1)
	for name, tt := range map[string]struct {
		change func(m *wire.Message)
		code   string
	}{
		"one that isn't there": {func(m *wire.Message) { m.Images = []wire.Image{{ID: strings.Repeat("0", 64)}} }, "image_not_found"},
		"an id that is none":   {func(m *wire.Message) { m.Images = []wire.Image{{ID: "'"}} }, "image_not_found"},
		"capitals":             {func(m *wire.Message) { m.Images = []wire.Image{{ID: strings.ToUpper(a.ID)}} }, "image_not_found"},
		"too many":             {func(m *wire.Message) { m.Images = slices.Repeat([]wire.Image{a}, wire.MaxImages+1) }, "too_many_images"},
		"a function's result":  {func(m *wire.Message) { m.Role, m.ToolCall, m.Images = "tool", "call", []wire.Image{a} }, "bad_images"},
	} {
		s := storetest.NewStart("", "x")
		tt.change(&s.User)
		_, _, err := db.CheckStart(ctx, ann, s)
		var p *wire.Problem
		if !errors.As(err, &p) || p.Code != tt.code {
			t.Errorf("%s: %v, want %s", name, err, tt.code)
		}
		if err := storetest.StartTurn(db, ann, s); !errors.As(err, &p) || p.Code != tt.code {
			t.Errorf("%s, written: %v", name, err)
		}
	}
	s := storetest.NewStart("", "x")
	s.User.Images = slices.Repeat([]wire.Image{a}, wire.MaxImages)
	storetest.Must(t, storetest.StartTurn(db, ann, s))
}

// An export has the images, and an import takes them again, but none whose bytes
// are others than it says, or no image.
func TestImagesAreExportedAndImported(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, ann := storetest.OpenLocal(t)
	bob := storetest.AddUser(t, db, "bob")
	a, b := storetest.PutImage(t, db, ann, 1), storetest.PutImage(t, db, ann, 2)
	s := pictured(t, db, ann, a, b, a)
	var file bytes.Buffer
	storetest.Must(t, db.Export(ctx, ann, s.Conversation, &file), db.DeleteConversation(ctx, ann, s.Conversation))
	if kept(t, db) != 0 {
		t.Fatal("the images are there still")
	}
	raw := file.String()
	if n := strings.Count(raw, `"data":`); n != 2 {
		t.Errorf("%d images are in the file, want each once", n)
	}
	for name, bad := range map[string]string{
		"another id":    strings.ReplaceAll(raw, a.ID, strings.Repeat("0", 64)),
		"without bytes": strings.Replace(raw, `"data":"iVBOR`, `"data":"","x":"iVBOR`, 1),
		"no image":      strings.Replace(raw, `"data":"iVBOR`, `"data":"PHN2Zz48`, 1),
		"not there":     raw[:strings.Index(raw, `,"images":[`+"\n")] + "}\n]}",
	} {
		if _, err := db.Import(ctx, bob, strings.NewReader(bad)); err == nil || kept(t, db) != 0 {
			t.Errorf("%s: %v, %d images", name, err, kept(t, db))
		}
	}
	done, err := db.Import(ctx, bob, strings.NewReader(raw))
	storetest.Must(t, err)
	opened := storetest.Got(db.OpenConversation(ctx, bob, wire.Page{Conversation: done.Open}))
	if got := opened.Messages[0].Images; !slices.Equal(got, []wire.Image{a, b, a}) || kept(t, db) != 2 {
		t.Errorf("imported: %+v, %d kept", got, kept(t, db))
	}
	if _, _, err := db.ImageOfConversation(ctx, bob, done.Open, b.ID); err != nil {
		t.Error(err)
	}
}

// Who copies what they are shown has its images too, also of a snapshot, and keeps
// them when the other is gone.
func TestImagesAreCopied(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, ann := storetest.OpenLocal(t)
	bob := storetest.AddUser(t, db, "bob")
	a := storetest.PutImage(t, db, ann, 1)
	s := pictured(t, db, ann, a)
	snapshot, _, err := db.Snapshot(ctx, ann, s.Conversation)
	storetest.Must(t, err)
	if !bytes.Contains(snapshot, []byte(`"`+a.ID+`"`)) || bytes.Contains(snapshot, []byte(`"data"`)) {
		t.Errorf("the snapshot is %s", snapshot)
	}
	live := storetest.Got(db.Copy(ctx, bob, transfer.Source{Owner: ann, Subject: s.Conversation}, wire.CopyShare{}))
	then := storetest.Got(db.Copy(ctx, bob, transfer.Source{Owner: ann, Subject: s.Conversation, Snapshot: snapshot}, wire.CopyShare{}))
	storetest.Must(t, db.DeleteConversation(ctx, ann, s.Conversation))
	for _, id := range []string{live, then} {
		opened := storetest.Got(db.OpenConversation(ctx, bob, wire.Page{Conversation: id}))
		if got := opened.Messages[0].Images; !slices.Equal(got, []wire.Image{a}) {
			t.Errorf("the copy has %+v", got)
		}
	}
	if _, _, err := db.Image(ctx, bob, a.ID); err != nil {
		t.Error(err)
	}
}
