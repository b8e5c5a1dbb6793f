package share

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"screentest/shared/wire"
)

// KindName names what is shared.
func KindName(kind string) string {
	if kind == wire.ShareClip {
		return "Clip"
	}
	return "Conversation"
}

// Title is what a share's subject is called.
func Title(s wire.Share) string {
	if s.Title == "" {
		return "Untitled"
	}
	return s.Title
}

// Audience is who sees a share: names, a team, or by what.
func Audience(s wire.Share) string {
	switch s.Audience {
	case wire.ShareWithAll:
		return "Everybody here"
	case wire.ShareByLink:
		return "Anyone with the link"
	}
	if len(s.To) == 0 {
		return "No one any more"
	}
	return strings.Join(s.To, ", ")
}

// Shows is what of its subject a share shows.
func Shows(s wire.Share) string {
	words := "As it was"
	if s.Live {
		words = "Live"
	}
	if s.Wire {
		words += ", with the wire"
	}
	return words
}

// said are all words of a share that can be searched for.
func said(s wire.Share) string {
	words := []string{Title(s), KindName(s.Kind), Shows(s)}
	if s.Mine {
		words = append(words, Audience(s))
	} else {
		words = append(words, s.Owner)
	}
	return strings.Join(words, "\n")
}

// has says whether a text has every word of a query, however they are written.
func has(text, query string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Leads is where one sees what is shared: another's on the page of the share, one's
// own where one has it.
func Leads(s wire.Share) string {
	switch {
	case !s.Mine && s.Kind == wire.ShareClip:
		return "/review/" + s.ID
	case !s.Mine:
		return wire.SharePath + s.ID
	case s.Kind == wire.ShareClip:
		return "/video/" + s.Subject
	}
	return "/c/" + s.Subject
}

// Mark says who else sees a conversation or a clip of the person's; "" is nobody.
func (d *Desk) Mark(kind, id string) string {
	var people, others []string
	all, link := false, false
	for _, s := range d.Of(kind, id) {
		switch s.Audience {
		case wire.ShareWithPeople:
			people = append(people, s.To...)
		case wire.ShareWithTeam:
			others = append(others, s.To...)
		case wire.ShareWithAll:
			all = true
		case wire.ShareByLink:
			link = true
		}
	}
	slices.Sort(people)
	slices.Sort(others)
	people, others = slices.Compact(people), slices.Compact(others)
	switch len(people) {
	case 0:
	case 1:
		others = append([]string{people[0]}, others...)
	default:
		others = append([]string{strconv.Itoa(len(people)) + " people"}, others...)
	}
	if all {
		others = []string{"everybody here"}
	}
	words := ""
	if len(others) > 0 {
		words = "Shared with " + and(others)
		if link {
			words += " and by link"
		}
	} else if link {
		words = "Shared by link"
	}
	return words
}

// and joins names in words.
func and(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Wires says what it means that the wire is shown, or not, of a conversation or a
// clip.
func Wires(kind string, on bool) string {
	switch {
	case !on:
		return "Requests and raw replies stay private."
	case kind == wire.ShareClip:
		return "They also see the clip’s exact request. Keys and addresses are left out."
	}
	return "They also see the exact requests, including system prompts and parameters, and every event. Keys and addresses are left out."
}

// Lives says what it means that something is shown as it becomes, or as it is now.
func Lives(kind string, live bool) string {
	switch {
	case kind == wire.ShareClip && live:
		return "They see the clip and its later versions."
	case kind == wire.ShareClip:
		return "They see this version only."
	case live:
		return "They see your changes and answers as they stream."
	}
	return "They see it as it is now. Later changes stay private."
}

// moment is how a time is told by the viewer's clock.
const moment = "2 Jan 2006, 15:04"

// Ending says when a share ends, by a clock of the viewer's; "" where it doesn't.
func Ending(expiresMS int64, wall func(ms int64) time.Time) string {
	if expiresMS == 0 {
		return ""
	}
	return wall(expiresMS).Format(moment)
}
