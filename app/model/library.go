package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// FetchLibrary asks for the person's saved prompts and settings.
func (d *Desk) FetchLibrary() {
	d.server.Call(wire.OpLibrary, struct{}{}, func(data json.RawMessage, p *wire.Problem) {
		var l wire.Library
		if session.Read(data, p, &l) != nil {
			return
		}
		d.Library = nil
		for _, e := range l.Entries {
			d.hearEntry(e)
		}
		d.changed(PartComposer)
	})
}

// Entries are the saved ones of a kind, by name.
func (d *Desk) Entries(kind string) []wire.LibraryEntry {
	var es []wire.LibraryEntry
	for _, e := range d.Library {
		if e.Kind == kind {
			es = append(es, e)
		}
	}
	return es
}

// SavePrompt keeps a prompt, under an id to replace that entry or "" for a new
// one. done gets what went wrong, or nil.
func (d *Desk) SavePrompt(id, name, text string, done func(*wire.Problem)) {
	d.save(wire.LibraryEntry{ID: id, Kind: wire.LibraryPrompt, Name: name, Text: text}, done)
}

// SaveSettings keeps the parameters of a lane.
func (d *Desk) SaveSettings(lane int, name string, done func(*wire.Problem)) {
	params, err := json.Marshal(d.Params(lane))
	if err != nil {
		done(&wire.Problem{Code: "bad_params", Message: "The parameters could not be written: " + err.Error() + "."})
		return
	}
	id := ""
	for _, e := range d.Entries(wire.LibrarySettings) {
		if e.Name == strings.TrimSpace(name) {
			id = e.ID
		}
	}
	family := string(d.Model(d.LaneModel(lane)).Family)
	d.save(wire.LibraryEntry{ID: id, Kind: wire.LibrarySettings, Name: name, Family: family, Params: params}, done)
}

func (d *Desk) save(e wire.LibraryEntry, done func(*wire.Problem)) {
	if e.Name = strings.TrimSpace(e.Name); e.Name == "" {
		done(&wire.Problem{Code: "no_name", Field: "name", Message: "It needs a name."})
		return
	}
	if e.ID == "" {
		e.ID = d.newID()
	}
	d.server.Call(wire.OpLibraryPut, e, func(data json.RawMessage, p *wire.Problem) {
		var kept wire.LibraryEntry
		if p = session.Read(data, p, &kept); p == nil {
			d.hearEntry(kept)
		}
		done(p)
	})
}

// DropEntry deletes what was saved. done gets what went wrong, or nil.
func (d *Desk) DropEntry(id string, done func(*wire.Problem)) {
	d.server.Call(wire.OpLibraryDelete, wire.Target{ID: id}, func(_ json.RawMessage, p *wire.Problem) {
		if p == nil {
			d.hearEntry(wire.LibraryEntry{ID: id, Deleted: true})
		}
		done(p)
	})
}

// hearEntry puts an entry in, or takes it out.
func (d *Desk) hearEntry(e wire.LibraryEntry) {
	d.Library = slices.DeleteFunc(d.Library, func(o wire.LibraryEntry) bool { return o.ID == e.ID })
	if !e.Deleted {
		d.Library = append(d.Library, e)
		slices.SortStableFunc(d.Library, func(a, b wire.LibraryEntry) int {
			return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
		})
	}
	d.changed(PartComposer)
}

// UseSettings gives a lane saved parameters. What its model must not be sent is
// kept and not sent, as with any parameters.
func (d *Desk) UseSettings(lane int, id string) {
	for _, e := range d.Library {
		var p Params
		if e.ID == id && json.Unmarshal(e.Params, &p) == nil {
			d.SetParams(lane, p)
		}
	}
}

// Fits says that saved settings were made for the family of a lane's model.
func (d *Desk) Fits(lane int, e wire.LibraryEntry) bool {
	return gateway.Family(e.Family) == d.Model(d.LaneModel(lane)).Family
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
