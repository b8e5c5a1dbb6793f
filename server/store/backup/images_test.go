package backup

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// A backup has the images of messages, to the byte.
func TestABackupHasImages(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir, db, owner, _ := furnish(t)
	i := storetest.PutImage(t, db, owner, 3)
	s := storetest.NewStart("", "What is this?")
	s.User.Images = []wire.Image{i}
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	file, to := filepath.Join(t.TempDir(), "b.backup"), filepath.Join(t.TempDir(), "restored")
	storetest.Must(t, storetest.Second(Backup(ctx, dir, file, "v1")), storetest.Second(Restore(ctx, file, to)))
	again := storetest.Open(t, to, store.Options{})
	_, want := storetest.PNG(t, 3, 2, 3)
	if got, data, err := again.Image(ctx, owner, i.ID); err != nil || got != i || !bytes.Equal(data, want) {
		t.Errorf("%+v, %d bytes, %v", got, len(data), err)
	}
}
