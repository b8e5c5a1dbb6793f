package chat

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Library is what the person saved: prompts and settings.
type Library struct {
	chat *Chat

	All []wire.LibraryEntry // by name
}

// Fetch asks for what is saved.
func (l *Library) Fetch() {
	l.chat.o.Server.Call(wire.OpLibrary, struct{}{}, func(data json.RawMessage, p *wire.Problem) {
		var saved wire.Library
		if session.Read(data, p, &saved) != nil {
			return
		}
		l.All = nil
		for _, e := range saved.Entries {
			l.put(e)
		}
		l.chat.o.Changed(PartLibrary)
	})
}

// Entries are the saved ones of a kind, by name.
func (l *Library) Entries(kind string) []wire.LibraryEntry {
	var es []wire.LibraryEntry
	for _, e := range l.All {
		if e.Kind == kind {
			es = append(es, e)
		}
	}
	return es
}

// SavePrompt saves a prompt, under an id to replace that entry or "" for a new
// one. done gets what went wrong, or nil.
func (l *Library) SavePrompt(id, name, text string, done func(*wire.Problem)) {
	l.save(wire.LibraryEntry{ID: id, Kind: wire.LibraryPrompt, Name: name, Text: text}, done)
}

// SaveSettings saves the parameters of a lane.
func (l *Library) SaveSettings(lane *Lane, name string, done func(*wire.Problem)) {
	e, err := l.Settings(lane)
	if err != nil {
		done(&wire.Problem{Code: "bad_params", Message: "The parameters could not be written: " + err.Error() + "."})
		return
	}
	e.Name = name
	for _, o := range l.Entries(wire.LibrarySettings) {
		if o.Name == strings.TrimSpace(name) {
			e.ID = o.ID
		}
	}
	l.save(e, done)
}

// Save saves an entry that was changed. Two of a kind don't have the same name.
func (l *Library) Save(e wire.LibraryEntry, done func(*wire.Problem)) {
	for _, o := range l.Entries(e.Kind) {
		if o.ID != e.ID && o.Name == strings.TrimSpace(e.Name) {
			done(&wire.Problem{Code: "name_taken", Field: "name", Message: "That name is already taken.", Hint: "Choose another one."})
			return
		}
	}
	l.save(e, done)
}

func (l *Library) save(e wire.LibraryEntry, done func(*wire.Problem)) {
	if e.Name = strings.TrimSpace(e.Name); e.Name == "" {
		done(&wire.Problem{Code: "no_name", Field: "name", Message: "Enter a name."})
		return
	}
	if e.ID == "" {
		e.ID = l.chat.o.NewID()
	}
	l.chat.o.Server.Call(wire.OpLibraryPut, e, func(data json.RawMessage, p *wire.Problem) {
		var saved wire.LibraryEntry
		if p = session.Read(data, p, &saved); p == nil {
			l.put(saved)
		}
		done(p)
	})
}

// Copy saves a new entry with what another says, under a name that is free.
func (l *Library) Copy(e wire.LibraryEntry, done func(*wire.Problem)) {
	name := e.Name
	for n := 2; slices.ContainsFunc(l.Entries(e.Kind), func(o wire.LibraryEntry) bool { return o.Name == e.Name }); n++ {
		e.Name = name + " " + strconv.Itoa(n)
	}
	e.ID = ""
	l.save(e, done)
}

// Delete deletes what was saved. done gets what went wrong, or nil.
func (l *Library) Delete(id string, done func(*wire.Problem)) {
	l.chat.o.Server.Call(wire.OpLibraryDelete, wire.Target{ID: id}, func(_ json.RawMessage, p *wire.Problem) {
		if p == nil {
			l.put(wire.LibraryEntry{ID: id, Deleted: true})
		}
		done(p)
	})
}

// put puts an entry in, or takes it out.
func (l *Library) put(e wire.LibraryEntry) {
	l.All = slices.DeleteFunc(l.All, func(o wire.LibraryEntry) bool { return o.ID == e.ID })
	if !e.Deleted {
		l.All = append(l.All, e)
		slices.SortStableFunc(l.All, func(a, b wire.LibraryEntry) int {
			return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
		})
	}
	l.chat.o.Changed(PartLibrary)
}

// UseSettings gives the lane saved parameters. What its model must not be sent is
// kept and not sent, as with any parameters.
func (l *Lane) UseSettings(id string) {
	for _, e := range l.of.chat.Library.All {
		if e.ID == id {
			l.UseParams(e.Params)
		}
	}
}

// Fits says that saved settings were made for the family of the lane's model.
func (l *Lane) Fits(e wire.LibraryEntry) bool {
	return gateway.Family(e.Family) == l.of.chat.session.Model(l.Model()).Family
}

// Variables are the names within {{ }} in a prompt, each once, in their order.
func Variables(text string) []string {
	var names []string
	pieces(text, func(name, _ string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	})
	return names
}

// Fill puts values in the places of a prompt's variables. A value is put in as
// it is: what looks like a variable in it stays.
func Fill(text string, values map[string]string) string {
	var b strings.Builder
	pieces(text, func(name, raw string) {
		if value, known := values[name]; name != "" && known {
			raw = value
		}
		b.WriteString(raw)
	})
	return b.String()
}

// pieces gives a text in stretches: variables with their name and as they
// stand there, and what is between them with no name.
func pieces(text string, each func(name, raw string)) {
	for text != "" {
		open := strings.Index(text, "{{")
		if open < 0 {
			break
		}
		end := strings.Index(text[open:], "}}")
		if end < 0 {
			break
		}
		name := strings.TrimSpace(text[open+2 : open+end])
		if name == "" || len(name) > 60 || strings.ContainsAny(name, "{}\n") {
			each("", text[:open+1])
			text = text[open+1:]
			continue
		}
		if open > 0 {
			each("", text[:open])
		}
		each(name, text[open:open+end+2])
		text = text[open+end+2:]
	}
	if text != "" {
		each("", text)
	}
}
