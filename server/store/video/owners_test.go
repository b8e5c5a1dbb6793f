package video_test

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/payer"
	"screentest/server/store/storetest"
	"screentest/server/store/video"
	"screentest/shared/wire"
)

func dirFS(dir string) fs.FS { return os.DirFS(dir) }

// Every method of Videos that takes an owner, called by one user about what is
// another's, does as if it were not there. A method that is missing fails.
func TestVideoOwnersAreApart(t *testing.T) {
	ctx := t.Context()
	db, ann := storetest.OpenLocal(t)
	bob := storetest.AddUser(t, db, "bob")
	v := db.Videos()
	task := storetest.NewVideo("of Ann's")
	task.Tags = []string{"hers"}
	task = storetest.Taken(t, v, ann, task)
	open := storetest.Taken(t, v, ann, storetest.NewVideo("open"))
	intent, key := storetest.Made(t, v, ann, storetest.NewVideo("intent"))
	task.State, task.FinishedMS, task.UUID = wire.VideoDone, 6, storetest.NewID()
	task = got2(v.End(ctx, ann, task, []string{"http://x/1"}, 6))
	output := wire.VideoOutput{Archive: wire.ArchiveSaved, SHA256: strings.Repeat("cd", 32), Bytes: 9}
	task = got2(v.SetOutput(ctx, ann, task.ID, output, 7))
	_, _, err := v.SetPoster(ctx, ann, task.ID, 0, make([]byte, 32), "image/png")
	storetest.Must(t, err)
	_, _, err = v.AddUpload(ctx, ann, wire.Upload{ID: "up", Measured: wire.Measured{Bytes: 5}}, 1, 100, 0)
	storetest.Must(t, err)
	storetest.Must(t, v.PauseKey(ctx, ann, key))

	all := func() (state []any) {
		t.Helper()
		state = append(state, storetest.Got(v.Tasks(ctx, ann, wire.VideoQuery{})), storetest.Got(v.Opened(ctx, ann, task.ID)), storetest.Got(v.UploadUse(ctx, ann)), storetest.Got(v.ArchiveSettings(ctx, ann)), spent(t, db, ann))
		storetest.Must(t, v.EachKey(ctx, func(of payer.Payer, key int64, paused, replaced bool) {
			state = append(state, of.Owner, key, of.Secret, paused, replaced)
		}))
		return state
	}
	before := all()
	absent := func(call func(id string) error) func(*testing.T, string) {
		return func(t *testing.T, who string) {
			for _, id := range []string{task.ID, open.ID, intent.ID} {
				theirs, nobodys := call(id), call(storetest.NewID())
				if !errors.Is(theirs, fs.ErrNotExist) || nobodys == nil || theirs.Error() != nobodys.Error() {
					t.Errorf("%v; of nobody's: %v", theirs, nobodys)
				}
			}
		}
	}
	third := func(_ wire.VideoTask, _ bool, err error) error { return err }
	with := func(id string, s wire.VideoState) wire.VideoTask { return wire.VideoTask{ID: id, State: s} }
	for _, who := range []string{bob, "", "0", "-1", "99", "1 OR 1"} {
		checks := map[string]func(*testing.T, string){
			"Task":     absent(func(id string) error { return storetest.Second(v.Task(ctx, who, id)) }),
			"Opened":   absent(func(id string) error { return storetest.Second(v.Opened(ctx, who, id)) }),
			"TaskKey":  absent(func(id string) error { return storetest.Second(v.TaskKey(ctx, who, id)) }),
			"Accepted": absent(func(id string) error { return third(v.Accepted(ctx, who, id, "task_stolen", 1)) }),
			"Refused":  absent(func(id string) error { return third(v.Refused(ctx, who, id, nil)) }),
			"Unknown":  absent(func(id string) error { return third(v.Unknown(ctx, who, id, nil)) }),
			"Progress": absent(func(id string) error { return third(v.Progress(ctx, who, with(id, wire.VideoRunning))) }),
			"End":      absent(func(id string) error { return third(v.End(ctx, who, with(id, wire.VideoFailed), nil, 1)) }),
			"Edit": absent(func(id string) error {
				return storetest.Second(v.Edit(ctx, who, wire.VideoEdit{ID: id, Title: storetest.Ptr("stolen")}))
			}),
			"SetDeleted": absent(func(id string) error { return storetest.Second(v.SetDeleted(ctx, who, id, 1)) }),
			"Purge":      absent(func(id string) error { _, _, err := v.Purge(ctx, who, id); return err }),
			"SetOutput":  absent(func(id string) error { return third(v.SetOutput(ctx, who, id, wire.VideoOutput{}, 1)) }),
			"SetLinks":   absent(func(id string) error { return storetest.Second(v.SetLinks(ctx, who, id, []string{"http://evil"})) }),
			"SetPoster": absent(func(id string) error {
				_, _, err := v.SetPoster(ctx, who, id, 0, make([]byte, 32), "x")
				return err
			}),
			"Poster": absent(func(id string) error {
				_, _, err := v.Poster(ctx, who, id, 0)
				return err
			}),
			"TaskByUUID": func(t *testing.T, who string) {
				if _, err := v.TaskByUUID(ctx, who, task.UUID); !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
			},
			"Tasks": func(t *testing.T, who string) {
				if page, err := v.Tasks(ctx, who, wire.VideoQuery{}); err != nil || slices.ContainsFunc(page.Tasks, func(t wire.VideoTask) bool { return t.ID == task.ID || t.ID == open.ID || t.ID == intent.ID }) || page.Counts.States["queued"]+page.Counts.States["done"] != 0 || len(page.Counts.Tags) != 0 {
					t.Errorf("%+v, %v", page, err)
				}
			},
			"EachOpenOf": func(t *testing.T, who string) {
				storetest.Must(t, v.EachOpenOf(ctx, who, func(found wire.VideoTask) error {
					if found.ID == open.ID || found.ID == intent.ID {
						t.Errorf("gives %s", found.ID)
					}
					return nil
				}))
			},
			"Create": func(t *testing.T, who string) {
				other := storetest.NewVideo("with Ann's key")
				_, used, _, err := v.Create(ctx, who, key, "own", other, nil)
				if (err == nil) != (who == bob) || used == key {
					t.Errorf("key %d, %v", used, err)
				}
				if who == bob {
					// Bob's own: what Ann sees of keys is counted without it.
					got2(v.Refused(ctx, bob, other.ID, nil))
				}
			},
			"ReplaceKeys": func(t *testing.T, who string) {
				for _, all := range []bool{false, true} {
					if n, err := v.ReplaceKeys(ctx, payer.Payer{Owner: who, Secret: "stolen"}, "", all); err != nil || len(n) != 0 {
						t.Errorf("%v, %v", n, err)
					}
				}
			},
			"PauseKey": func(t *testing.T, who string) {
				if err := v.PauseKey(ctx, who, storetest.Got(v.TaskKey(ctx, ann, open.ID))); err != nil {
					t.Error(err)
				}
			},
			"ArchiveUse": func(t *testing.T, who string) {
				if bytes, files, deleted, waiting, err := v.ArchiveUse(ctx, who); err != nil || bytes+files+deleted+waiting != 0 {
					t.Errorf("%d, %d, %d, %d, %v", bytes, files, deleted, waiting, err)
				}
			},
			"OldestSaved": func(t *testing.T, who string) {
				if list, _, err := v.OldestSaved(ctx, who, 9); err != nil || len(list) != 0 {
					t.Errorf("%v, %v", list, err)
				}
			},
			"OldestDeleted": func(t *testing.T, who string) {
				if list, _, err := v.OldestDeleted(ctx, who, 9); err != nil || len(list) != 0 {
					t.Errorf("%v, %v", list, err)
				}
			},
			"SavedBefore": func(t *testing.T, who string) {
				if list, _, err := v.SavedBefore(ctx, who, time.Now().AddDate(9, 0, 0), 9); err != nil || len(list) != 0 {
					t.Errorf("%v, %v", list, err)
				}
			},
			"ArchiveSettings": func(t *testing.T, who string) {
				if a, err := v.ArchiveSettings(ctx, who); err == nil && a.QuotaBytes != wire.DefaultQuota {
					t.Errorf("%+v, %v", a, err)
				}
			},
			"SetArchiveSettings": func(t *testing.T, who string) {
				err := v.SetArchiveSettings(ctx, who, wire.ArchiveSettings{QuotaBytes: wire.DefaultQuota})
				if (err == nil) != (who == bob) {
					t.Error(err)
				}
			},
			"AddUpload": func(t *testing.T, who string) {
				u := wire.Upload{ID: "up", Measured: wire.Measured{Bytes: 100}} // hers would have to give way
				if gone, _, err := v.AddUpload(ctx, who, u, 1, 100, time.Now().UnixMilli()); err == nil {
					t.Errorf("took over an upload; gone are %v", gone)
				}
			},
			"Uploads": func(t *testing.T, who string) {
				for _, videos := range []bool{true, false} {
					if list, err := v.Uploads(ctx, who, videos, 9); err != nil || len(list) > 0 {
						t.Errorf("%v, %v", list, err)
					}
				}
			},
			"UploadUse": func(t *testing.T, who string) {
				if n, err := v.UploadUse(ctx, who); err != nil || n != 0 {
					t.Errorf("%d, %v", n, err)
				}
			},
		}
		// EachOpen and the like serve the program itself; an upload's id is its
		// secret; FileUsed and NewestKept tell no more than whether a file is kept; CreateWith
		// is Create, which is checked.
		ofNobody := []string{"CreateWith", "CountOpen", "EachOpen", "EachKey", "EachJob", "Expiring", "PurgeDeleted", "FileUsed", "NewestKept", "Upload", "CleanTitle", "CleanTags"}
		for m := range reflect.TypeFor[*video.Videos]().Methods() {
			if checks[m.Name] == nil && !slices.Contains(ofNobody, m.Name) {
				t.Errorf("Videos.%s is not checked", m.Name)
			}
		}
		for name, check := range checks {
			t.Run(name+" by "+who, func(t *testing.T) {
				check(t, who)
				if after := all(); !reflect.DeepEqual(after, before) {
					t.Errorf("Ann's rows changed:\n now %+v\n was %+v", after, before)
				}
			})
		}
	}
}
