package video

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"screentest/app/session"
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
			g.Notices.refused(id, problem)
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
		g.Notices.refused(id, problem)
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

// redo does what the server has not answered yet to a task as it tells it.
func (g *Tasks) redo(t *wire.VideoTask) {
	for _, c := range g.edits[t.ID] {
		c.do(t)
	}
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
		g.relist(&altered)
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

// SetTags gives a task tags as a person types them, with commas between, instead
// of those that it has; it says what is wrong with them, and changes nothing then.
func (g *Tasks) SetTags(id, typed string) (wrong string) {
	tags, wrong := parseTags(typed)
	if wrong == "" {
		g.retag(id, tags)
	}
	return wrong
}

func (g *Tasks) retag(id string, tags []string) {
	t := g.tasks[id]
	if t == nil || slices.Equal(tags, t.Tags) {
		return
	}
	before := t.Tags
	g.edit(id, wire.VideoEdit{Tags: &tags},
		func(t *wire.VideoTask) { t.Tags = tags }, func(t *wire.VideoTask) { t.Tags = before })
}

// parseTags reads tags with commas between, each once whatever its case, or says
// why a clip can't have them.
func parseTags(typed string) (tags []string, wrong string) {
	tags = []string{}
	for _, tag := range strings.Split(typed, ",") {
		tag = strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(tag), "#")), " ")
		if n := utf8.RuneCountInString(tag); n > wire.MaxTag {
			return nil, "A tag has at most " + strconv.Itoa(wire.MaxTag) + " characters; “" + tag + "” has " + strconv.Itoa(n) + "."
		}
		again := slices.ContainsFunc(tags, func(have string) bool { return strings.EqualFold(have, tag) })
		if tag != "" && !again {
			tags = append(tags, tag)
		}
	}
	if len(tags) > wire.MaxTaskTags {
		return nil, "A clip has at most " + strconv.Itoa(wire.MaxTaskTags) + " tags; these are " + strconv.Itoa(len(tags)) + "."
	}
	return tags, ""
}
