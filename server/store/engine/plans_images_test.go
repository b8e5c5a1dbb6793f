package engine_test

import (
	"context"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// everyImageCall makes those of images.
func everyImageCall(t *testing.T, db *store.DB, owner string) (errs []error) {
	ctx := context.Background()
	i := storetest.PutImage(t, db, owner, 1)
	s := storetest.NewStart("", "x")
	s.User.Images = []wire.Image{i}
	add := func(err error) { errs = append(errs, err) }
	add(storetest.StartTurn(db, owner, s))
	_, _, err := db.Image(ctx, owner, i.ID)
	add(err)
	_, _, err = db.ImageOfConversation(ctx, owner, s.Conversation, i.ID)
	add(err)
	add(storetest.Second(db.ImageBytes(ctx, owner, []string{i.ID})))
	add(storetest.Second(db.DropImageDrafts(ctx)))
	return errs
}
