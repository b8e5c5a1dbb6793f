//go:build js && wasm

package settings

import (
	"encoding/json"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// importing is how an import goes.
type importing struct {
	busy    bool
	outcome string
	bad     bool
	open    string // the first conversation that it brought
}

// chooseImport lets the person pick a file, and imports it.
func (p *Page) chooseImport() {
	if p.data.busy {
		return
	}
	field := p.DOM.ByID("import-file")
	field.Set("value", "")
	field.Call("click")
}

// importFile sends a file to the server. It is not read here: it may be large.
func (p *Page) importFile(file js.Value) {
	if size := file.Get("size").Float(); size > wire.MaxImport {
		p.imported(importing{bad: true, outcome: "The file has " + figure.Count(int64(size)>>20) + " MiB; an import may have " + strconv.Itoa(wire.MaxImport>>20) + "."})
		return
	}
	p.imported(importing{busy: true, outcome: "Importing " + file.Get("name").String() + "…"})
	x := js.Global().Get("XMLHttpRequest").New() // fetch tells no progress
	var funcs []js.Func
	on := func(target js.Value, event string, f func(ev js.Value)) {
		fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
			ev := args[0]
			p.Post(func() { f(ev) })
			return nil
		})
		funcs = append(funcs, fn)
		target.Call("addEventListener", event, fn)
	}
	on(x.Get("upload"), "progress", func(ev js.Value) {
		if total := ev.Get("total").Float(); total > 0 {
			done := int(100 * ev.Get("loaded").Float() / total)
			words := "Sending " + file.Get("name").String() + ": " + strconv.Itoa(done) + " %"
			if done == 100 {
				words = "Sent. The server is storing it…"
			}
			p.imported(importing{busy: true, outcome: words})
		}
	})
	on(x, "loadend", func(js.Value) {
		for _, f := range funcs {
			f.Release()
		}
		p.endImport(x.Get("status").Int(), x.Get("responseText").String())
	})
	x.Call("open", "POST", wire.ImportPath)
	x.Call("setRequestHeader", "Content-Type", "application/json")
	x.Call("send", file)
}

func (p *Page) endImport(status int, answer string) {
	if status < 200 || status > 299 {
		problem := wire.Problem{Message: "The server refused the file.", Hint: "Is it a JSON export of Screentest?"}
		if status == 0 {
			problem = wire.Problem{Message: "The server can’t be reached.", Hint: "Nothing was imported; try again when it is back."}
		} else {
			var told wire.Problem
			if json.Unmarshal([]byte(answer), &told) == nil && told.Message != "" {
				problem = told
			}
		}
		p.imported(importing{bad: true, outcome: strings.TrimSpace("Not imported. " + problem.Message + " " + problem.Hint)})
		return
	}
	var got wire.Imported
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		p.imported(importing{bad: true, outcome: "The server’s answer couldn’t be read. Reload the page and check whether the conversations are there."})
		return
	}
	p.imported(importing{outcome: importedWords(got), open: got.Open})
	p.o.Imported()
}

func importedWords(got wire.Imported) string {
	words := "Imported " + plural(got.Conversations, "conversation") + " with " + plural(got.Messages, "message")
	if got.Entries > 0 {
		words += " and " + plural(got.Entries, "library entry")
	}
	words += "."
	if got.Renewed > 0 {
		words += " " + plural(got.Renewed, "of them was", "of them were") + " already here and kept beside the old ones."
	}
	return words
}

func plural(n int, forms ...string) string {
	word := forms[0]
	switch {
	case n == 1:
	case len(forms) > 1:
		word = forms[1]
	case strings.HasSuffix(word, "y"):
		word = strings.TrimSuffix(word, "y") + "ies"
	default:
		word += "s"
	}
	return figure.Count(int64(n)) + " " + word
}

func (p *Page) imported(state importing) {
	p.data = state
	p.Redraw()
}

// Notices implements kit.Noticing: how an import goes.
func (p *Page) Notices() []app.UI {
	if p.data.outcome == "" {
		return nil
	}
	return []app.UI{kit.El("div", "toast", kit.At{"id", "import-notice"},
		kit.Box("span", "toast-words", p.data.outcome),
		kit.If(p.data.open != "", func() app.UI {
			return kit.El("a", "button", kit.At{"href", "/c/" + p.data.open,
				"onclick", p.Do("import-show", func() { p.imported(importing{}) })}, "Show")
		}),
		kit.If(!p.data.busy, func() app.UI {
			return kit.IconButton("", "Dismiss", kit.IconClose, nil, p.Do("import-dismiss", func() { p.imported(importing{}); p.o.Dismissed() }))
		}),
	)}
}

// importField is the file field, which no one sees: a command opens it.
func (p *Page) importField() app.UI {
	return kit.El("input", "sr-only", kit.At{"id", "import-file", "type", "file", "accept", "application/json,.json",
		"tabindex", -1, "aria-label", "File to import", "aria-hidden", true,
		"onchange", p.Do("import-file", func() {
			if files := p.DOM.ByID("import-file").Get("files"); files.Get("length").Int() > 0 {
				p.importFile(files.Index(0))
			}
		})})
}

// dataSettings is the part of the settings with the conversations as files.
func (p *Page) dataSettings() app.UI {
	outcome := "outcome good"
	if p.data.bad {
		outcome = "outcome bad"
	}
	return kit.El("section", "", kit.At{"id", "settings-data"},
		kit.Box("h2", "", "Export and import"),
		kit.Box("p", "soft", "One JSON file with all your conversations, answers, figures and your library. It contains no keys."+kit.When(!p.Guest, " An import adds to what’s here and replaces nothing.")),
		kit.Box("div", "line",
			kit.El("a", "button", kit.At{"id", "export-all", "href", wire.ExportAllPath, "download", ""}, kit.Icon(kit.IconExport, "icon small"), "Export everything"),
			kit.Button("", kit.At{"id", "import", "hidden", p.Guest, "disabled", p.data.busy}, p.Do("import", func() { p.chooseImport() }), "Import a file"),
		),
		kit.El("p", outcome, kit.At{"id", "import-outcome"}, p.data.outcome),
	)
}
