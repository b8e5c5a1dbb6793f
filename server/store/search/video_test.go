package search_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Videos are found among the messages, by what was sent for them and what
// became of them.
func TestSearchFindsVideos(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	v := db.Videos()
	storetest.Talk(t, db, owner, "", "How high is a lighthouse?", storetest.Says("Some 30 metres."))

	storm := storetest.NewVideo("A lighthouse in a storm, 灯台と嵐")
	storm.Title, storm.Tags = "Opening shot", []string{"advert", "sea"}
	storm.CreatedMS += 60_000
	storetest.Taken(t, v, owner, storm)
	storm.State = wire.VideoDone
	storetest.Must(t, changed(v.End(t.Context(), owner, storm, []string{"https://files.example.com/1.mp4"}, time.Now().UnixMilli())))

	rain := storetest.NewVideo("Rain on a window")
	rain.Model, rain.CreatedMS = "alpha-3.1-lite", rain.CreatedMS+120_000
	storetest.Taken(t, v, owner, rain)
	rain.State, rain.Problem = wire.VideoFailed, &wire.Problem{Code: "task_failed", Message: "The content filter refused it."}
	storetest.Must(t, changed(v.End(t.Context(), owner, rain, nil, time.Now().UnixMilli())))

	refused := storetest.NewVideo("Snow at night")
	refused.CreatedMS += 180_000
	storetest.Made(t, v, owner, refused)
	storetest.Must(t, changed(v.Refused(t.Context(), owner, refused.ID, &wire.Problem{Code: "quota", Message: "No credit is left."})))

	deleted := storetest.NewVideo("A lighthouse that is gone")
	deleted.CreatedMS += 240_000
	storetest.Taken(t, v, owner, deleted)
	storetest.Must(t, storetest.Second(v.SetDeleted(t.Context(), owner, deleted.ID, time.Now().UnixMilli())))

	other := storetest.AddUser(t, db, "other")
	storetest.Taken(t, v, other, storetest.NewVideo("A lighthouse of somebody else"))

	nano := func(n int64) *int64 { return &n }
	for _, tt := range []struct {
		name string
		q    wire.Search
		want string
	}{
		{"prompt, beside messages", wire.Search{Query: "lighthouse"}, "video: A [lighthouse] in a storm, 灯台と嵐; question: How high is a [lighthouse]?; title: How high is a [lighthouse]?"},
		{"videos alone", wire.Search{Query: "lighthouse", Kinds: []string{wire.HitVideo}}, "video: A [lighthouse] in a storm, 灯台と嵐"},
		{"title", wire.Search{Query: "opening"}, "video: [Opening] shot"},
		{"tag", wire.Search{Query: "advert"}, "video: [advert], sea"},
		{"a script without spaces", wire.Search{Query: "灯台"}, "video: A lighthouse in a storm, [灯台]と嵐"},
		{"error", wire.Search{Query: "filter"}, "error: task_failed The content [filter] refused it."},
		{"errors", wire.Search{Kinds: []string{wire.HitError}}, "error: quota No credit is left.; error: task_failed The content filter refused it."},
		{"model", wire.Search{Model: "alpha-3.1-lite"}, "video: Rain on a window"},
		{"failed", wire.Search{State: wire.Failed}, "video: Snow at night; video: Rain on a window"},
		{"done", wire.Search{State: wire.Done, Kinds: []string{wire.HitVideo}}, "video: A lighthouse in a storm, 灯台と嵐"},
		{"cost", wire.Search{MinNanoUSD: nano(1_000_000)}, "video: A lighthouse in a storm, 灯台と嵐"},
		{"what was returned cost nothing", wire.Search{MaxNanoUSD: nano(0), Kinds: []string{wire.HitVideo}}, "video: Snow at night; video: Rain on a window"},
		{"time", wire.Search{Kinds: []string{wire.HitVideo}, FromMS: rain.CreatedMS, ToMS: rain.CreatedMS + 1}, "video: Rain on a window"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(storetest.Search(t, db, owner, tt.q), "; "); got != tt.want {
				t.Errorf("found\n%s\nwant\n%s", got, tt.want)
			}
		})
	}

	page, err := db.Search(t.Context(), owner, wire.Search{Query: "storm"})
	if err != nil || len(page.Hits) != 1 || page.Hits[0].Video != storm.ID || page.Hits[0].CostNanoUSD != storm.PriceNanoUSD || page.Hits[0].Conversation != "" {
		t.Errorf("%+v, %v", page.Hits, err)
	}

	// What is edited is found as it is then; what is purged is gone from the
	// index.
	title := "Final cut"
	storetest.Must(t, storetest.Second(v.Edit(t.Context(), owner, wire.VideoEdit{ID: storm.ID, Title: &title})))
	if got := storetest.Search(t, db, owner, wire.Search{Query: "opening"}); len(got) != 0 {
		t.Errorf("the old title still finds %q", got)
	}
	if got := storetest.Search(t, db, owner, wire.Search{Query: "final cut"}); len(got) != 1 {
		t.Errorf("the new title finds %q", got)
	}
	storetest.Must(t, storetest.Second(v.SetDeleted(t.Context(), owner, rain.ID, time.Now().UnixMilli())))
	if _, n, err := v.PurgeDeleted(t.Context(), time.Now().UnixMilli()+1); err != nil || n != 1 {
		t.Fatalf("%d purged, %v", n, err)
	}
	var words, rows int
	storetest.Must(t, db.Engine().At(t.Context()).Scan("SELECT (SELECT count(*) FROM search), (SELECT count(*) FROM search_rows)", nil, &words, &rows))
	if words != rows || words != 7 {
		t.Errorf("%d rows of words for %d rows", words, rows)
	}
}

// The polls of a task that is under way leave its words alone.
func TestPollsAreNotIndexed(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	task := storetest.NewVideo("A slow one")
	storetest.Taken(t, db.Videos(), owner, task)
	task.State = wire.VideoRunning
	storetest.Must(t, changed(db.Videos().Progress(t.Context(), owner, task)))
	storetest.Indexed(t, db)
	task.PollProblem = &wire.Problem{Code: "busy", Message: "Later."}
	storetest.Must(t, changed(db.Videos().Progress(t.Context(), owner, task)))
	if db.Finder.Index.Behind() {
		t.Error("a poll that changed nothing to be found is put into the index")
	}
}

// changed is the error of a change, or that there was none.
func changed(_ wire.VideoTask, changed bool, err error) error {
	if err == nil && !changed {
		return errors.New("nothing was changed")
	}
	return err
}
