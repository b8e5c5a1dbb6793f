package engine_test

import (
	"context"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// everyOrderOfClips lists clips in every order, with and without what narrows
// them down. The counts, which come with the first page, read all of an owner's.
func everyOrderOfClips(db *store.DB, owner string) (errs []error) {
	for sort, after := range map[wire.VideoSort]string{
		wire.ClipsNewest: "1.1", wire.ClipsOldest: "1.1", wire.ClipsCost: "1.1", wire.ClipsLength: "1.1", wire.ClipsName: "1.61",
	} {
		for _, q := range []wire.VideoQuery{{}, {States: []wire.VideoState{wire.VideoDone}, Gone: wire.GoneOut}, {Models: []string{"m"}}, {Modes: []string{"extend"}, Text: "boat"}} {
			q.Sort, q.Before = sort, after
			errs = append(errs, storetest.Second(db.Videos().Tasks(context.Background(), owner, q)))
		}
	}
	for _, sort := range []wire.VideoSort{wire.ClipsNewest, wire.ClipsOldest} {
		errs = append(errs, storetest.Second(db.Videos().Tasks(context.Background(), owner, wire.VideoQuery{Deleted: true, Sort: sort, Before: "1.1"})))
	}
	for _, videos := range []bool{true, false} {
		errs = append(errs, storetest.Second(db.Videos().Uploads(context.Background(), owner, videos, 9)))
	}
	return errs
}
