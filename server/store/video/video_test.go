package video_test

import (
	"context"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/payer"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func spent(t *testing.T, db *store.DB, owner string) int64 {
	t.Helper()
	n, err := db.Spent(t.Context(), owner, time.UnixMilli(0), time.Now().AddDate(1, 0, 0))
	storetest.Must(t, err)
	return n
}

func TestVideoLedgerIsBookedOnce(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	failed := storetest.NewVideo("fails")
	intent, _ := storetest.Made(t, v, ann, failed)
	if intent.State != wire.VideoCreating || !intent.Reserved || intent.Charged || spent(t, db, ann) != 0 {
		t.Errorf("an intent: %+v", intent)
	}
	for i := range 3 {
		got, changed, err := v.Accepted(t.Context(), ann, failed.ID, "task_1", 5)
		storetest.Must(t, err)
		if changed != (i == 0) || got.State != wire.VideoQueued || !got.Charged || got.Reserved || spent(t, db, ann) != 300_000_000 {
			t.Errorf("F109 accepted, time %d: changed %v, %+v, spent %d", i, changed, got, spent(t, db, ann))
		}
	}
	end := storetest.Got(v.Task(t.Context(), ann, failed.ID))
	end.State, end.FinishedMS, end.FinishState = wire.VideoFailed, 9, "FAILURE"
	end.Problem = &wire.Problem{Code: "task_failed", Message: "no"}
	for i := range 3 {
		now, changed, err := v.End(t.Context(), ann, end, nil, 10)
		storetest.Must(t, err)
		if changed != (i == 0) || !now.Returned || now.Problem == nil || spent(t, db, ann) != 0 {
			t.Errorf("F112 failed, time %d: changed %v, %+v, spent %d", i, changed, now, spent(t, db, ann))
		}
	}
	// What comes after the end changes nothing (G32).
	end.State = wire.VideoDone
	if now, changed, err := v.End(t.Context(), ann, end, []string{"http://x/1"}, 11); err != nil || changed || now.State != wire.VideoFailed || now.Outputs != nil {
		t.Errorf("a failure became %+v, %v, %v", now, changed, err)
	}
	end.State = wire.VideoRunning
	if _, changed, err := v.Progress(t.Context(), ann, end); err != nil || changed {
		t.Errorf("a failure went on: %v, %v", changed, err)
	}

	refused := storetest.NewVideo("refused")
	storetest.Made(t, v, ann, refused)
	now, _, err := v.Refused(t.Context(), ann, refused.ID, &wire.Problem{Code: "insufficient_user_quota", Message: "no"})
	if err != nil || now.State != wire.VideoRefused || now.Charged || now.Reserved || spent(t, db, ann) != 0 {
		t.Errorf("F109 refused: %+v, %v", now, err)
	}
	if _, _, err := v.Accepted(t.Context(), ann, refused.ID, "task_9", 1); err != nil || spent(t, db, ann) != 0 {
		t.Errorf("accepted after all: %v, spent %d", err, spent(t, db, ann))
	}
}

// A clip whose charge a person put right while it ran costs nothing once it has
// failed: the gateway returns what it charged, and so does the ledger.
func TestTheReturnOfACorrectedChargeLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		price     int64   // 0: there was none, the charge is an estimate
		corrected []int64 // late figures, one after the other
		source    string  // of the return
		basis     string
	}{
		"not corrected":             {300, nil, wire.SourceComputed, "the task failed: 6 s × $0.05"},
		"dearer":                    {300, []int64{320}, wire.SourceReported, "the task failed: $0.00000032 by the gateway's own account, in place of $0.0000003"},
		"cheaper, then dearer":      {300, []int64{280, 290}, wire.SourceReported, "the task failed: $0.00000029 by the gateway's own account, in place of $0.00000028"},
		"returned before we saw it": {300, []int64{0}, wire.SourceReported, "the task failed: $0.00 by the gateway's own account, in place of $0.0000003"},
		"without a price":           {0, []int64{320}, wire.SourceReported, "the task failed: $0.00000032 by the gateway's own account, in place of $0.00"},
		"of unknown price":          {0, nil, wire.SourceEstimated, "the task failed: 6 s × $0.05"},
	} {
		t.Run(name, func(t *testing.T) {
			db, ann := storetest.OpenLocal(t)
			v := db.Videos()
			task := storetest.NewVideo("fails")
			task.PriceNanoUSD = c.price
			task = storetest.Taken(t, v, ann, task)
			last := c.price
			for _, cost := range c.corrected {
				storetest.Got(db.Correct(t.Context(), ann, wire.Correction{Subject: task.ID, CostNanoUSD: cost}))
				last = cost
			}
			if n := spent(t, db, ann); n != last {
				t.Fatalf("spent %d while it ran, want %d", n, last)
			}
			task.State = wire.VideoFailed
			got2(v.End(t.Context(), ann, task, nil, time.Now().UnixMilli()))
			page := storetest.Got(db.Ledger(t.Context(), ann, wire.LedgerQuery{Subject: task.ID}))
			if page.Total.NanoUSD != 0 || page.Total.EstimatedNanoUSD != 0 || page.Total.Rows != int64(2+len(c.corrected)) {
				t.Errorf("the ledger stands at %+v", *page.Total)
			}
			if row := page.Rows[0]; row.Kind != wire.KindReturn || row.CostNanoUSD != -last || row.Source != c.source || row.Basis != c.basis {
				t.Errorf("%+v, want %d, %s, %q", row, -last, c.source, c.basis)
			}
			storetest.CheckHours(t, db)
		})
	}
}

func TestVideoSameIDIsTheSameTask(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	task := storetest.NewVideo("one")
	first, key := storetest.Made(t, v, ann, task)
	task.Prompt = "another"
	again, used, found, err := v.Create(t.Context(), ann, 0, "other", task, nil)
	if err != nil || !found || used != key || !reflect.DeepEqual(first, again) {
		t.Errorf("%v, %v\n%+v\n%+v", found, err, first, again)
	}
}

func TestVideoEndOfASuccessIsItsArchiveJobs(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	task := storetest.Taken(t, v, ann, storetest.NewVideo("two files"))
	task.State, task.FinishedMS, task.FinishState, task.UUID = wire.VideoDone, time.Now().UnixMilli(), "SUCCESS", storetest.NewID()
	done, changed, err := v.End(t.Context(), ann, task, []string{"http://x/1.mp4", "http://x/2.mp4"}, 1)
	if err != nil || !changed || len(done.Outputs) != 2 || done.Outputs[1].Link != "http://x/2.mp4" || done.ExpiresMS == 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	var jobs []string
	storetest.Must(t, v.EachJob(t.Context(), func(owner, task string, index int) error {
		jobs = append(jobs, fmt.Sprint(owner, task, index))
		return nil
	}))
	if want := []string{fmt.Sprint(ann, task.ID, 0), fmt.Sprint(ann, task.ID, 1)}; !slices.Equal(jobs, want) {
		t.Errorf("jobs %v, want %v", jobs, want)
	}
	for i := range 2 {
		if key := storetest.Got(v.TaskKey(t.Context(), ann, task.ID)); key == 0 {
			t.Fatalf("the key is gone before file %d is copied", i)
		}
		o := wire.VideoOutput{Index: i, Archive: wire.ArchiveSaved, SHA256: strings.Repeat("ab", 32), Bytes: 100, Width: 16, Height: 9, Seconds: 6, Type: "video/mp4"}
		done, _, err = v.SetOutput(t.Context(), ann, task.ID, o, 7)
		storetest.Must(t, err)
	}
	if !done.Archived || done.Outputs[0].Width != 16 {
		t.Errorf("%+v", done)
	}
	if key := storetest.Got(v.TaskKey(t.Context(), ann, task.ID)); key != 0 {
		t.Error("the key is kept though nothing needs it")
	}
	storetest.Must(t, v.EachKey(t.Context(), func(payer.Payer, int64, bool, bool) { t.Error("a key is left") }))
	if bytes, files, _, waiting, err := v.ArchiveUse(t.Context(), ann); err != nil || bytes != 100 || files != 1 || waiting != 0 {
		t.Errorf("one file twice: %d bytes, %d files, %d waiting, %v", bytes, files, waiting, err)
	}
	// G32: a success can expire; its files here stay.
	task.State = wire.VideoExpired
	gone, changed, err := v.End(t.Context(), ann, task, nil, 2)
	if err != nil || !changed || gone.State != wire.VideoExpired || gone.Outputs[0].Link != "" || gone.Outputs[0].Archive != wire.ArchiveSaved {
		t.Errorf("%+v, %v, %v", gone, changed, err)
	}
}

func TestVideoKeysPauseAndAreReplaced(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	task := storetest.Taken(t, v, ann, storetest.NewVideo("paused"))
	key := storetest.Got(v.TaskKey(t.Context(), ann, task.ID))
	second := storetest.NewVideo("same key")
	_, used, _, err := v.Create(t.Context(), ann, key, "unused", second, nil)
	if err != nil || used != key {
		t.Fatalf("key %d, want %d, %v", used, key, err)
	}
	storetest.Must(t, v.PauseKey(t.Context(), ann, key))
	if now := storetest.Got(v.Task(t.Context(), ann, task.ID)); now.Pause != wire.PauseKey || now.State != wire.VideoQueued {
		t.Errorf("G1: %+v", now)
	}
	if n := storetest.Got(v.ReplaceKeys(t.Context(), payer.Payer{Owner: ann, Secret: "of another gateway"}, "https://elsewhere.example.com", false)); len(n) != 0 {
		t.Errorf("a key for another gateway was given to %v", n)
	}
	other := storetest.Got(v.ReplaceKeys(t.Context(), payer.Payer{Owner: ann, Secret: "better"}, "", false))[ann]
	if other == 0 || other == key {
		t.Errorf("key %d in place of %d", other, key)
	}
	if now := storetest.Got(v.Task(t.Context(), ann, task.ID)); now.Pause != "" {
		t.Errorf("still paused: %+v", now)
	}
	var keys []string
	storetest.Must(t, v.EachKey(t.Context(), func(of payer.Payer, _ int64, paused, replaced bool) {
		keys = append(keys, fmt.Sprintf("%s %v %v", of.Secret, paused, replaced))
	}))
	if !slices.Equal(keys, []string{"better false true"}) {
		t.Errorf("keys %v", keys)
	}
	if n := storetest.Got(v.ReplaceKeys(t.Context(), payer.Payer{Owner: ann, Secret: "none waits"}, "", false)); len(n) != 0 {
		t.Errorf("a key was stored that nothing waits for: %v", n)
	}
}

func TestVideoQueries(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	var ids []string
	for i := range 5 {
		task := storetest.NewVideo([]string{"A red Fox", "a blue fox", "Ärger", "100% _x", "last"}[i])
		task.CreatedMS = int64(1000 + i)
		task.Mode = []string{"text-to-video", "extend"}[i%2]
		if i == 1 {
			task.Tags = []string{"night", "zoo"}
		}
		storetest.Taken(t, v, ann, task)
		ids = append(ids, task.ID)
	}
	yes := true
	storetest.Got(v.Edit(t.Context(), ann, wire.VideoEdit{ID: ids[4], Favourite: &yes, Title: storetest.Ptr("  The\nfinal  take ")}))
	storetest.Got(v.SetDeleted(t.Context(), ann, ids[3], 5))
	for _, c := range []struct {
		name string
		q    wire.VideoQuery
		want []int
	}{
		{"all but the deleted, newest first", wire.VideoQuery{}, []int{4, 2, 1, 0}},
		{"words in any case", wire.VideoQuery{Text: "FOX"}, []int{1, 0}},
		{"all words", wire.VideoQuery{Text: "fox red"}, []int{0}},
		{"letters beyond ASCII", wire.VideoQuery{Text: "ärger"}, []int{2}},
		{"no wildcard", wire.VideoQuery{Text: "%"}, nil},
		{"in the title", wire.VideoQuery{Text: "final take"}, []int{4}},
		{"in the model", wire.VideoQuery{Text: "beta-video red"}, []int{0}},
		{"by tag", wire.VideoQuery{Tag: "zoo"}, []int{1}},
		{"by part of a tag", wire.VideoQuery{Tag: "zo"}, nil},
		{"by mode", wire.VideoQuery{Modes: []string{"extend"}}, []int{1}},
		{"by state", wire.VideoQuery{States: []wire.VideoState{wire.VideoQueued, wire.VideoDone}, Text: "last"}, []int{4}},
		{"by model", wire.VideoQuery{Models: []string{"x'--"}}, nil},
		{"favourites", wire.VideoQuery{Favourite: true}, []int{4}},
		{"by time", wire.VideoQuery{From: 1001, To: 1003}, []int{2, 1}},
		{"archived", wire.VideoQuery{Archived: true}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var found []int
			for before, pages := "", 0; pages < 10; pages++ {
				c.q.Before, c.q.Limit = before, 1
				page := storetest.Got(v.Tasks(t.Context(), ann, c.q))
				for _, task := range page.Tasks {
					found = append(found, slices.Index(ids, task.ID))
				}
				if (page.Counts != nil) != (before == "") {
					t.Errorf("counts on page %d: %+v", pages, page.Counts)
				}
				if before = page.Before; before == "" {
					break
				}
			}
			if !slices.Equal(found, c.want) {
				t.Errorf("found %v, want %v", found, c.want)
			}
		})
	}
	counts := storetest.Got(v.Tasks(t.Context(), ann, wire.VideoQuery{})).Counts
	want := &wire.VideoCount{All: 4, States: map[string]int{"queued": 4}, Models: map[string]int{"beta-video-720p": 4},
		Modes: map[string]int{"text-to-video": 3, "extend": 1}, Tags: []wire.VideoTag{{Tag: "night", Count: 1}, {Tag: "zoo", Count: 1}}}
	if !reflect.DeepEqual(counts, want) {
		t.Errorf("%+v, want %+v", counts, want)
	}
}

func got2[T any](v T, _ bool, err error) T { return storetest.Got(v, err) }

// Old uploads give way to a new one, no more of them than need be, and none
// where it would not fit even so.
func TestUploadsHaveABound(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	at := int64(0)
	var have []string
	for _, c := range []struct {
		name  string
		id    string
		bytes int64
		old   int64 // those made before may go; the one of the nth step was made at n
		gone  []string
		room  bool
	}{
		{"fits", "a", 30, 0, nil, true},
		{"fits", "b", 30, 0, nil, true},
		{"fits exactly", "c", 40, 0, nil, true},
		{"nothing is old", "d", 1, 0, nil, false},
		{"all that is old would be too little", "e", 61, 3, nil, false},
		{"larger than the limit", "f", 101, 99, nil, false},
		{"one byte is missing", "g", 1, 3, []string{"a"}, true},
		{"29 are free", "h", 29, 3, nil, true},
		{"several go, the oldest first", "i", 31, 99, []string{"b", "c"}, true},
	} {
		at++
		u := wire.Upload{ID: c.id, Name: "../../etc/x.png", Measured: wire.Measured{Type: "image/png", Bytes: c.bytes}}
		gone, room, err := v.AddUpload(t.Context(), ann, u, at, 100, c.old)
		storetest.Must(t, err)
		var ids []string
		for _, old := range gone {
			ids = append(ids, old.ID)
		}
		if room != c.room || !slices.Equal(ids, c.gone) {
			t.Errorf("%s (%s): room %v, gone are %v; want %v, %v", c.id, c.name, room, ids, c.room, c.gone)
		}
		if c.room {
			have = append(have, c.id)
		}
		have = slices.DeleteFunc(have, func(id string) bool { return slices.Contains(c.gone, id) })
		for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
			if u, err := v.Upload(t.Context(), id); (err == nil) != slices.Contains(have, id) || err == nil && u.Name != "x.png" {
				t.Errorf("after %s (%s): %s is %+v, %v", c.id, c.name, id, u, err)
			}
		}
	}
	if n := storetest.Got(v.UploadUse(t.Context(), ann)); n != 61 {
		t.Errorf("%d bytes, want 61", n)
	}
	_, _, err := v.AddUpload(t.Context(), ann, wire.Upload{ID: "j", Name: "x.mp4", Measured: wire.Measured{Type: "video/mp4", Seconds: 5}}, at+1, 100, 0)
	storetest.Must(t, err)
	for _, c := range []struct {
		videos bool
		most   int
		want   []string
	}{{true, 9, []string{"j"}}, {false, 9, []string{"i", "h", "g"}}, {false, 1, []string{"i"}}} {
		var ids []string
		for _, u := range storetest.Got(v.Uploads(t.Context(), ann, c.videos, c.most)) {
			ids = append(ids, u.ID)
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%+v: listed are %v", c, ids)
		}
	}
}

// A key that a task holds is nowhere in the files as plain text.
func TestVideoKeyIsSealed(t *testing.T) {
	dir := t.TempDir()
	db := storetest.Open(t, dir, store.Options{})
	ann := storetest.Got(db.EnsureLocalUser(context.Background()))
	task := storetest.NewVideo("x")
	storetest.Made(t, db.Videos(), ann, task)
	seen := false
	storetest.Must(t, db.Videos().EachKey(t.Context(), func(of payer.Payer, _ int64, _, _ bool) { seen = of.Secret == "sk-canary-"+task.ID }))
	if !seen {
		t.Error("the key does not come back")
	}
	for _, name := range storetest.Got(fs.Glob(dirFS(dir), "screentest.db*")) {
		if strings.Contains(string(storetest.Got(fs.ReadFile(dirFS(dir), name))), "sk-canary") {
			t.Errorf("%s holds the key", name)
		}
	}
}
