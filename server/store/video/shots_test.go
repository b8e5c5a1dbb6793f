package video_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// shotsBody is a request of two shots.
const shotsBody = `{"model":"delta-3.0-720p","prompt":"ÉCOLE at night","seconds":"5","multi_shots":true,"multi_prompt":[{"prompt":"A lamp","duration":2},{"prompt":"Rain","duration":3}]}`

// A clip of several shots is found by its own prompt and by each shot's, in the
// gallery and in the search over everything.
func TestShotsAndTheirPromptAreFound(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	v := db.Videos()
	task := storetest.NewVideo("ÉCOLE at night")
	task.Mode, task.Body = "multi-shot", json.RawMessage(shotsBody)
	storetest.Taken(t, v, ann, task)
	findShots(t, db, ann)
}

func findShots(t *testing.T, db *store.DB, owner string) {
	t.Helper()
	for _, words := range []string{"école", "lamp", "rain", "school night"} {
		want := 1
		if words == "school night" {
			want = 0
		}
		if page := storetest.Got(db.Videos().Tasks(t.Context(), owner, wire.VideoQuery{Text: words})); len(page.Tasks) != want {
			t.Errorf("the gallery finds %d for %q, want %d", len(page.Tasks), words, want)
		}
		if hits := storetest.Search(t, db, owner, wire.Search{Query: words}); len(hits) != want {
			t.Errorf("the search finds %q for %q, want %d", hits, words, want)
		}
	}
}

// A database of before called them by their shots, run together.
func TestTheMigrationGivesShotsTheirPrompt(t *testing.T) {
	storetest.OnlySQLite(t)
	ctx := context.Background()
	dir := storetest.OpenVersion(t, 6, func(exec func(string, ...any)) {
		exec("INSERT INTO users (n, name, local, created_ms) VALUES (1, 'me', 1, 0)")
		for i, c := range []struct{ mode, body string }{
			{"multi-shot", shotsBody},
			{"multi-shot", `{"prompt":" ","multi_prompt":[{"prompt":"First"},{"prompt":"Second"}]}`},
			{"multi-shot", `no JSON`},
			{"text-to-video", `{"prompt":"another"}`},
		} {
			exec(`INSERT INTO video_tasks (n, owner, id, model, mode, prompt, words, state, created_ms, usual_least, usual_most, seconds, price, basis, sample, prices)
			VALUES (?, 1, ?, 'm', ?, ?, 'old', 'done', ?, 1, 1, 5, 0, '', 0, '{}')`, i+1, storetest.MustID(t), c.mode, fmt.Sprintf("A lamp\nRain %d", i), i)
			exec("INSERT INTO video_requests (task, owner, body) VALUES (?, 1, ?)", i+1, c.body)
		}
		exec("DELETE FROM search_todo")
	})

	db := storetest.Open(t, dir, store.Options{})
	storetest.Indexed(t, db)
	page := storetest.Got(db.Videos().Tasks(ctx, "1", wire.VideoQuery{}))
	for i, want := range []string{"A lamp\nRain 3", "A lamp\nRain 2", "First", "ÉCOLE at night"} {
		if page.Tasks[i].Prompt != want {
			t.Errorf("task %d has the prompt %q, want %q", i, page.Tasks[i].Prompt, want)
		}
	}
	if page := storetest.Got(db.Videos().Tasks(ctx, "1", wire.VideoQuery{Text: "école rain"})); len(page.Tasks) != 1 {
		t.Errorf("found %d", len(page.Tasks))
	}
}
