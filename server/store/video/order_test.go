package video_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Every order has all clips, each once and in their order, whatever the page's
// size, and a filter changes nothing of it.
func TestOrdersOfClips(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	ctx, v := context.Background(), db.Videos()
	names := []string{"beach", "Élan", "Anchor", "beach", "", "zebra " + strings.Repeat("é", 80), "anchor two", "Zebra"}
	for i, name := range names {
		s := storetest.NewVideo("prompt " + string(rune('a'+i)))
		s.CreatedMS = int64(1000 + i/2) // some at the same time
		s.Seconds, s.PriceNanoUSD = 4+i%3, int64(i%4)*100
		s.Title = name
		storetest.Taken(t, v, owner, s)
	}
	for sort, less := range map[wire.VideoSort]func(a, b wire.VideoTask) bool{
		wire.ClipsNewest: func(a, b wire.VideoTask) bool { return a.CreatedMS >= b.CreatedMS },
		wire.ClipsOldest: func(a, b wire.VideoTask) bool { return a.CreatedMS <= b.CreatedMS },
		wire.ClipsCost:   func(a, b wire.VideoTask) bool { return a.PriceNanoUSD >= b.PriceNanoUSD },
		wire.ClipsLength: func(a, b wire.VideoTask) bool { return a.Seconds >= b.Seconds },
		wire.ClipsName:   func(a, b wire.VideoTask) bool { return a.SortName() <= b.SortName() },
	} {
		all := storetest.Got(v.Tasks(ctx, owner, wire.VideoQuery{Sort: sort})).Tasks
		if len(all) != len(names) || !slices.IsSortedFunc(all, func(a, b wire.VideoTask) int {
			if less(b, a) {
				return 0
			}
			return -1
		}) {
			t.Errorf("by %q: %d clips, or not in order", sort, len(all))
		}
		for size := 1; size < 4; size++ {
			var paged []string
			for q := (wire.VideoQuery{Sort: sort, Limit: size, States: []wire.VideoState{all[0].State}}); ; {
				page := storetest.Got(v.Tasks(ctx, owner, q))
				for _, one := range page.Tasks {
					paged = append(paged, one.ID)
				}
				if q.Before = page.Before; q.Before == "" {
					break
				}
			}
			if !slices.EqualFunc(paged, all, func(id string, one wire.VideoTask) bool { return id == one.ID }) {
				t.Errorf("by %q in pages of %d: %d of %d clips, or in another order", sort, size, len(paged), len(all))
			}
		}
		for _, before := range []string{"x", "1.zz!", "-", "1.2.3", "."} {
			if _, err := v.Tasks(ctx, owner, wire.VideoQuery{Sort: sort, Before: before}); err == nil {
				t.Errorf("by %q there is a page before %q", sort, before)
			} else if _, is := err.(*engine.Error); !is {
				t.Errorf("by %q before %q: %v", sort, before, err)
			}
		}
	}
	if _, err := v.Tasks(ctx, owner, wire.VideoQuery{Sort: "luck"}); err == nil {
		t.Error("clips are sorted by luck")
	}
	if page := storetest.Got(v.Tasks(ctx, owner, wire.VideoQuery{Sort: wire.ClipsName, Deleted: true})); len(page.Tasks) != 0 {
		t.Error("deleted ones are there")
	}
}
