package video

import (
	"encoding/json"
	"slices"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

// What is done with several is a call for each, and can be had back together.
func TestSeveralAtOnce(t *testing.T) {
	p := opened(t, "", task(3, wire.VideoDone), task(2, wire.VideoDone), task(1, wire.VideoRunning))
	p.Selection.Set(true)
	if words, good := p.TagChosen(" , ", true); good || words == "" {
		t.Errorf("no tag: %q", words)
	}
	p.ChooseShown()
	if len(p.Chosen()) != 3 || p.NotTogether() == "" || p.AllFavourites() {
		t.Errorf("chosen: %d, %q", len(p.Chosen()), p.NotTogether())
	}
	p.SetTags("t003", "boats")
	p.asked(wire.OpVideoEdit)
	if words, good := p.TagChosen("Boats, sea", true); !good || words != "#Boats, #sea given to 3 clips." {
		t.Error(words)
	}
	for _, id := range []string{"t001", "t002", "t003"} {
		if tags := p.Get(id).Tags; !slices.Equal(tags, []string{"Boats", "sea"}) {
			t.Errorf("%s has %q", id, tags)
		}
	}
	p.TagChosen("BOATS", false)
	if tags := p.Get("t002").Tags; !slices.Equal(tags, []string{"sea"}) {
		t.Errorf("has %q", tags)
	}
	p.StarChosen()
	if !p.AllFavourites() {
		t.Error("not all are favourites")
	}
	p.StarChosen()
	if p.Get("t001").Favourite {
		t.Error("one is still a favourite")
	}
	p.DeleteChosen()
	p.list()
	if words := p.DeletedWords(); words != "Deleted 3 clips." {
		t.Error(words)
	}
	p.Undo()
	p.list("t003", "t002", "t001")
	if p.DeletedWords() != "" {
		t.Error("it is offered again")
	}
}

// Several are deleted, had back at once and chosen again, while the news of their
// deletion are on their way: they are chosen still, and deleted together once more.
func TestSeveralDeletedHadBackAndDeletedAgain(t *testing.T) {
	p := opened(t, "", task(2, wire.VideoDone), task(1, wire.VideoDone))
	p.Selection.Set(true)
	p.ChooseShown()
	p.DeleteChosen()
	p.asked(wire.OpVideoDelete).answer(nil)
	p.Undo()
	p.ChooseShown()
	p.News(session.TaskDeleted{ID: "t002"})
	p.News(session.TaskDeleted{ID: "t001"}) // whose answer is on its way, too
	p.list("t002", "t001")
	if !slices.Equal(p.Selection.IDs, []string{"t002", "t001"}) {
		t.Fatalf("chosen are %q", p.Selection.IDs)
	}
	p.DeleteChosen()
	p.list()
	// One that is being deleted anew and one that is not are told of once more.
	p.News(session.TaskDeleted{ID: "t002"})
	p.Undo()
	p.News(session.TaskDeleted{ID: "t002"})
	p.list("t002", "t001")
}

func TestSeveralDeletedOnes(t *testing.T) {
	gone := func(n int, state wire.VideoState) wire.VideoTask {
		g := task(n, state)
		g.Deleted, g.DeletedMS = true, noon.UnixMilli()
		return g
	}
	p := opened(t, "")
	p.Find(Filter{Standing: Trashed})
	p.asked(wire.OpVideoTasks).answer(wire.VideoPage{Tasks: []wire.VideoTask{gone(3, wire.VideoDone), gone(2, wire.VideoDone), gone(1, wire.VideoRunning)}})
	p.Selection.Set(true)
	p.ChooseShown()
	if p.NotPurgeable() == "" {
		t.Error("one that has not ended can go for good")
	}
	p.Selection.Toggle("t001")
	if why := p.NotPurgeable(); why != "" {
		t.Error(why)
	}
	p.PurgeChosen()
	p.asked(wire.OpVideoPurge).answer(nil)
	p.Selection.IDs = []string{"t001"}
	p.RestoreChosen()
	c := p.asked(wire.OpVideoUndelete)
	var of wire.Target
	if b, _ := json.Marshal(c.args); json.Unmarshal(b, &of) != nil || of.ID != "t001" {
		t.Errorf("restored %+v", c.args)
	}
}

func TestWhatCannotBeDeletedYet(t *testing.T) {
	p := opened(t, "", task(2, wire.VideoUnknown), task(1, wire.VideoDone))
	p.Selection.Set(true)
	p.ChooseShown()
	if p.NotDeletable() == "" {
		t.Error("one that may have been billed can be deleted")
	}
	p.DeleteChosen()
	p.list("t002", "t001")
}
