package video

import (
	"encoding/json"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// ask makes a call that is answered with the task.
func (g *Tasks) ask(id string, op wire.Op, args any, done func(*wire.Problem)) {
	g.o.Call(op, args, func(data json.RawMessage, problem *wire.Problem) {
		var t wire.VideoTask
		problem = session.Read(data, problem, &t)
		if problem == nil {
			g.Put(t)
			g.recount()
		}
		if done != nil {
			done(problem)
		} else if problem != nil {
			g.trouble(id, problem)
		}
	})
}

// change is one of a person's that the server has not answered yet: news of
// the task that were on their way do not take it back.
type change struct{ do func(*wire.VideoTask) }

// edit shows a change at once, and takes it back if the server refuses it.
func (g *Tasks) edit(id string, e wire.VideoEdit, do, back func(*wire.VideoTask)) {
	t := g.tasks[id]
	if t == nil {
		return
	}
	e.ID = id
	c := g.show(id, do)
	g.o.Call(wire.OpVideoEdit, e, func(data json.RawMessage, problem *wire.Problem) {
		g.answered(id, c)
		var answer wire.VideoTask
		if problem = session.Read(data, problem, &answer); problem == nil {
			g.Put(answer)
			g.recount()
			return
		}
		g.alter(id, back)
		g.trouble(id, problem)
	})
}

// show shows a change of a known task at once.
func (g *Tasks) show(id string, do func(*wire.VideoTask)) *change {
	g.alter(id, do)
	g.o.Changed()
	c := &change{do}
	g.edits[id] = append(g.edits[id], c)
	return c
}

// answered says that the server has answered a change.
func (g *Tasks) answered(id string, c *change) {
	if g.edits[id] = slices.DeleteFunc(g.edits[id], func(x *change) bool { return x == c }); len(g.edits[id]) == 0 {
		delete(g.edits, id)
	}
}

// alter changes what is known of a task.
func (g *Tasks) alter(id string, do func(*wire.VideoTask)) {
	if t := g.tasks[id]; t != nil {
		altered := *t
		do(&altered)
		g.tasks[id] = &altered
		g.place(&altered)
	}
}

// SetFavourite marks a task, or takes the mark away.
func (g *Tasks) SetFavourite(id string, on bool) {
	g.edit(id, wire.VideoEdit{Favourite: &on},
		func(t *wire.VideoTask) { t.Favourite = on }, func(t *wire.VideoTask) { t.Favourite = !on })
}

// SetPinned keeps a task's files in the archive whatever its quota, or no more.
func (g *Tasks) SetPinned(id string, on bool) {
	g.edit(id, wire.VideoEdit{Pinned: &on},
		func(t *wire.VideoTask) { t.Pinned = on }, func(t *wire.VideoTask) { t.Pinned = !on })
}

// SetTitle gives a task a name; "" is its prompt again.
func (g *Tasks) SetTitle(id, title string) {
	t := g.tasks[id]
	title = strings.Join(strings.Fields(title), " ")
	if t == nil || t.Title == title {
		return
	}
	if r := []rune(title); len(r) > wire.MaxTaskTitle {
		title = string(r[:wire.MaxTaskTitle])
	}
	before := t.Title
	g.edit(id, wire.VideoEdit{Title: &title},
		func(t *wire.VideoTask) { t.Title = title }, func(t *wire.VideoTask) { t.Title = before })
}

// SetTags takes tags as a person types them, with commas between.
func (g *Tasks) SetTags(id, typed string) {
	t := g.tasks[id]
	if t == nil {
		return
	}
	tags := ParseTags(typed)
	if slices.Equal(tags, t.Tags) {
		return
	}
	before := t.Tags
	g.edit(id, wire.VideoEdit{Tags: &tags},
		func(t *wire.VideoTask) { t.Tags = tags }, func(t *wire.VideoTask) { t.Tags = before })
}

// ParseTags reads tags with commas between: at most MaxTaskTags, each once
// whatever its case, cut to MaxTag characters.
func ParseTags(typed string) []string {
	tags := []string{}
	for _, tag := range strings.Split(typed, ",") {
		tag = strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(tag), "#")), " ")
		if r := []rune(tag); len(r) > wire.MaxTag {
			tag = strings.TrimSpace(string(r[:wire.MaxTag]))
		}
		again := slices.ContainsFunc(tags, func(have string) bool { return strings.EqualFold(have, tag) })
		if tag != "" && !again && len(tags) < wire.MaxTaskTags {
			tags = append(tags, tag)
		}
	}
	return tags
}

// Settle says how an unknown creation ended (G35). remote is the gateway's id
// of one that went through. done gets what is wrong with it, or nil.
func (g *Tasks) Settle(id string, wentThrough bool, remote string, done func(*wire.Problem)) {
	s := wire.VideoSettle{ID: id, Outcome: wire.DidNot}
	if wentThrough {
		s.Outcome, s.Remote = wire.WentThrough, strings.TrimSpace(remote)
		if problem := checkRemote(s.Remote); problem != nil {
			done(problem)
			return
		}
	}
	g.ask(id, wire.OpVideoSettle, s, done)
}

// checkRemote spots at once what can't be a task's id (F91, F118).
func checkRemote(id string) *wire.Problem {
	if reply.IsTaskID(id) {
		return nil
	}
	p := &wire.Problem{
		Code: "invalid_request", Field: "remote", Message: "That is not a task's id: it begins with task_.",
		Hint: "It stands in the gateway's dashboard, in the list of tasks.",
	}
	if id == "" {
		p.Message = "The task's id is missing."
	}
	return p
}

// Check asks the gateway about a task now, out of turn.
func (g *Tasks) Check(id string) {
	g.o.Call(wire.OpVideoCheck, wire.Target{ID: id}, func(_ json.RawMessage, problem *wire.Problem) {
		if problem != nil {
			g.trouble(id, problem)
		}
	})
}

// Select begins or ends the choice of several clips.
func (g *Tasks) Select(on bool) {
	g.Selecting, g.Selected = on, nil
	g.o.Changed()
}

// Toggle chooses a clip, or lets go of it. At most MaxZipTasks are chosen.
func (g *Tasks) Toggle(id string) {
	if at := slices.Index(g.Selected, id); at >= 0 {
		g.Selected = slices.Delete(g.Selected, at, at+1)
	} else if len(g.Selected) < wire.MaxZipTasks {
		g.Selected = append(g.Selected, id)
	}
	g.o.Changed()
}

// ComparePath is where the chosen clips are compared; "" with a reason where
// they can't be.
func (g *Tasks) ComparePath() (path, why string) {
	switch n := len(g.Selected); {
	case n < 2:
		return "", "Choose two to four clips."
	case n > MaxCompared:
		return "", "At most four clips are compared at once."
	}
	return ComparePath(g.Selected), ""
}

// ZipPath is where the chosen clips are downloaded as one file; "" with a
// reason where there is nothing to download.
func (g *Tasks) ZipPath() (path, why string) {
	if len(g.Selected) == 0 {
		return "", "Choose the clips first."
	}
	return wire.VideosZip + "?ids=" + strings.Join(g.Selected, ","), ""
}

// fetchArchive asks how the archive stands.
func (g *Tasks) fetchArchive() {
	g.o.Call(wire.OpArchive, nil, g.takeArchive(nil))
}

// SetArchive changes the archive's settings.
func (g *Tasks) SetArchive(s wire.ArchiveSettings, done func(*wire.Problem)) {
	g.o.Call(wire.OpSetArchive, s, g.takeArchive(done))
}

func (g *Tasks) takeArchive(done func(*wire.Problem)) func(json.RawMessage, *wire.Problem) {
	return func(data json.RawMessage, problem *wire.Problem) {
		var a wire.Archive
		problem = session.Read(data, problem, &a)
		if problem == nil {
			g.Archive, g.ArchiveReady = a, true
		}
		if done != nil {
			done(problem)
		}
		g.o.Changed()
	}
}
