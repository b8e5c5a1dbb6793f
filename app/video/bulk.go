package video

import (
	"slices"
	"strconv"
	"strings"

	"screentest/shared/wire"
)

// What is done with all that are chosen at once. Each clip is a call of its own:
// what the server refuses of one is told of that one.

// Chosen are the chosen clips that are known, in the order of their choice.
func (g *Tasks) Chosen() (list []*wire.VideoTask) {
	for _, id := range g.Selection.IDs {
		if t := g.tasks[id]; t != nil {
			list = append(list, t)
		}
	}
	return list
}

// ChooseShown chooses all clips that are shown, up to wire.MaxZipTasks.
func (g *Tasks) ChooseShown() {
	g.Selection.IDs = slices.Clone(g.List[:min(len(g.List), wire.MaxZipTasks)])
	g.o.Changed()
}

// NotTogether says why the chosen ones can't be played or downloaded together;
// "" if they can, as far as it is for them.
func (g *Tasks) NotTogether() string {
	for _, t := range g.Chosen() {
		if !Playable(t) {
			return "“" + Title(*t) + "” doesn’t play."
		}
	}
	return ""
}

// AllFavourites says that every chosen one is a favourite.
func (g *Tasks) AllFavourites() bool {
	list := g.Chosen()
	return len(list) > 0 && !slices.ContainsFunc(list, func(t *wire.VideoTask) bool { return !t.Favourite })
}

// StarChosen makes all chosen ones favourites, or no more where all are.
func (g *Tasks) StarChosen() {
	on := !g.AllFavourites()
	for _, t := range g.Chosen() {
		if t.Favourite != on {
			g.SetFavourite(t.ID, on)
		}
	}
}

// TagChosen gives the chosen ones the tags that are typed, with commas between,
// or takes these away. It says what became of it, and whether it is no failure.
func (g *Tasks) TagChosen(typed string, add bool) (words string, good bool) {
	tags, wrong := parseTags(typed)
	switch {
	case wrong != "":
		return wrong, false
	case len(tags) == 0:
		return "Type a tag first.", false
	}
	changed, full := 0, 0
	for _, t := range g.Chosen() {
		have := slices.DeleteFunc(slices.Clone(t.Tags), func(tag string) bool {
			return slices.ContainsFunc(tags, func(one string) bool { return strings.EqualFold(one, tag) })
		})
		if add {
			have = append(have, tags...)
		}
		if len(have) > wire.MaxTaskTags {
			full++
			continue
		}
		changed++
		g.retag(t.ID, have)
	}
	clips := func(n int) string {
		if n == 1 {
			return "1 clip"
		}
		return strconv.Itoa(n) + " clips"
	}
	words = "#" + strings.Join(tags, ", #") + " given to " + clips(changed) + "."
	if !add {
		words = "#" + strings.Join(tags, ", #") + " taken from " + clips(changed) + "."
	}
	if full > 0 {
		words += " " + clips(full) + " would have more than " + strconv.Itoa(wire.MaxTaskTags) + " tags."
	}
	return words, full == 0
}

// Undeletable says why a task can't be deleted; "" if it can.
func Undeletable(t *wire.VideoTask) string {
	if t.State == wire.VideoCreating || t.State == wire.VideoUnknown {
		return "It isn’t known yet whether it was billed; settle that first."
	}
	return ""
}

// NotDeletable says why the chosen ones can't be deleted together.
func (g *Tasks) NotDeletable() string {
	for _, t := range g.Chosen() {
		if why := Undeletable(t); why != "" {
			return "“" + Title(*t) + "”: " + why
		}
	}
	return ""
}

// DeleteChosen deletes all chosen ones. They are offered back together.
func (g *Tasks) DeleteChosen() {
	list := g.Chosen()
	if len(list) == 0 || g.NotDeletable() != "" {
		return
	}
	last := *list[0]
	g.offer(&last)
	for _, t := range list[1:] {
		g.also = append(g.also, t.ID)
	}
	g.Selection.IDs = nil
	for _, t := range list {
		g.setDeleted(t.ID, true)
	}
}

// RestoreChosen takes all chosen ones back from the deleted ones.
func (g *Tasks) RestoreChosen() {
	list := g.Chosen()
	g.Selection.IDs = nil
	for _, t := range list {
		g.Restore(t.ID)
	}
}

// NotPurgeable says why the chosen ones can't go for good together.
func (g *Tasks) NotPurgeable() string {
	for _, t := range g.Chosen() {
		if why := NotPurged(t); why != "" {
			return "“" + Title(*t) + "”: " + why
		}
	}
	return ""
}

// PurgeChosen deletes all chosen ones for good.
func (g *Tasks) PurgeChosen() {
	list := g.Chosen()
	g.Selection.IDs = nil
	for _, t := range list {
		g.Purge(t.ID, func() {})
	}
	g.o.Changed()
}

// DeletedWords say what was just deleted, while it is offered back.
func (g *Tasks) DeletedWords() string {
	switch {
	case g.Deleted == nil:
		return ""
	case len(g.also) > 0:
		return "Deleted " + strconv.Itoa(len(g.also)+1) + " clips."
	}
	return strings.TrimSpace("Deleted “" + Title(*g.Deleted) + "”. " + ChargedOn(g.Deleted))
}
