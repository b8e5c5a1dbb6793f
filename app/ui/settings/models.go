//go:build js && wasm

package settings

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/models"
	"screentest/app/ui/kit"
	"screentest/shared/gateway"
)

// modelSettings are the models that can be asked, with what they cost.
func (p *Page) modelSettings() app.UI {
	d := &p.models
	if p.session.Hello.Gateway.Sandbox {
		return kit.El("section", "", kit.At{"id", "settings-models"},
			kit.Box("h2", "", "Models"),
			kit.Box("p", "soft", "The sandbox’s models are samples, and so are their prices. Connect your gateway to see its own."),
		)
	}
	d.Want()
	list, more, add := d.Shown()
	return kit.El("section", "", kit.At{"id", "settings-models"},
		kit.Box("h2", "", "Models"),
		kit.Box("p", "soft", "Prices are in US dollars, for a million tokens in and out. Without a price, an answer’s cost isn’t known and budgets can’t count it."),
		kit.Box("div", "line",
			kit.El("span", "soft", kit.At{"id", "models-listed", "role", "status"}, p.listedWords()),
			kit.If(p.runs(), func() app.UI {
				return kit.Button("", kit.At{"id", "models-refresh", "aria-disabled", d.Busy}, p.Do("models-refresh", d.Refresh), "Refresh")
			}),
		),
		kit.If(d.Problem != nil, func() app.UI { return kit.El("p", "outcome bad", kit.At{"role", "alert"}, d.Problem.Words()) }),
		kit.Box("label", "field field-box", kit.Icon(kit.IconSearch, "icon small"),
			p.Field("models-search", "", kit.At{"type", "search", "aria-label", "Search models, or type an id to add", "placeholder", "Search models, or type an id to add", "maxlength", 200}, d.Query, d.Search)),
		kit.If(add != "" && p.runs(), func() app.UI {
			return kit.Box("div", "", kit.If(d.Form.Model != add, func() app.UI {
				return kit.Button("", kit.At{"id", "models-add"}, p.Do("models-add", func() { d.Edit(add) }), "Add ", add)
			}), p.priceForm(add))
		}),
		kit.If(len(list) == 0 && add == "", func() app.UI { return kit.Box("p", "soft", "No models match.") }),
		kit.El("ul", "model-lines", kit.At{"id", "models-list"}, kit.Times(len(list), func(i int) app.UI { return p.modelLine(list[i]) })),
		kit.If(more > 0, func() app.UI { return kit.Box("p", "soft", figure.Count(int64(more))+" more. Search to find them.") }),
	)
}

// listedWords say where the models come from.
func (p *Page) listedWords() string {
	d := p.models
	switch {
	case d.Busy:
		return "Asking the gateway…"
	case d.Now == nil:
		return "Loading…"
	case d.Now.ListedMS == 0:
		return "This gateway lists no models. Type their ids, or name them in a file."
	}
	return "The gateway lists " + figure.Plural(int64(d.Now.Listed), "model", "models") + ", as of " + kit.Wall(d.Now.ListedMS).Format("2 Jan 2006, 15:04") + "."
}

// modelLine is a model with its price, and the form that changes that.
func (p *Page) modelLine(m gateway.Model) app.UI {
	d := &p.models
	price, source := models.Price(m), ""
	switch {
	case d.Entered(m.ID):
		source = "entered here"
	case price == "":
		price = "no price"
	}
	return kit.El("li", "", kit.At{"data-model", m.ID},
		kit.Box("div", "line",
			kit.Box("span", "push cut", kit.Box("span", "mono", m.ID), kit.SayIf("span", "faint", kit.When(m.Name != "", " "+m.Name))),
			kit.SayIf("span", "faint", source),
			kit.Box("span", "figure", price),
			kit.If(p.runs(), func() app.UI {
				return kit.IconButton("small", "Price of "+m.ID, kit.IconPencil, kit.At{"aria-expanded", d.Form.Model == m.ID},
					p.Do("price "+m.ID, func() {
						if d.Form.Model == m.ID {
							d.Close()
							return
						}
						d.Edit(m.ID)
						p.After(50*time.Millisecond, func() { p.DOM.Focus("#price-form input") })
					}))
			}),
		),
		p.priceForm(m.ID),
	)
}

// priceForm enters what a model costs, if it is open for it.
func (p *Page) priceForm(id string) app.UI {
	d := &p.models
	if d.Form.Model != id {
		return kit.Nothing()
	}
	f := d.Form
	field := func(id, name, value string, set func(*models.Form, string)) app.UI {
		return kit.Labelled(id, name, "$", p.Field(id, "field", kit.At{"inputmode", "decimal", "aria-invalid", f.Wrong != "", "aria-describedby", "price-wrong"}, value,
			func(text string) { d.Type(func(f *models.Form) { set(f, text) }) }))
	}
	fields := []app.UI{
		field("price-in", "Million tokens in", f.Input, func(f *models.Form, s string) { f.Input = s }),
		field("price-out", "Million tokens out", f.Output, func(f *models.Form, s string) { f.Output = s }),
	}
	if f.Video {
		fields = []app.UI{
			field("price-second", "A second", f.Second, func(f *models.Form, s string) { f.Second = s }),
			field("price-clip", "Or a clip", f.Clip, func(f *models.Form, s string) { f.Clip = s }),
		}
	}
	return kit.El("form", "form-grid", kit.At{"id", "price-form",
		"onsubmit", p.On("price-save", func(_ app.Context, e app.Event) { e.PreventDefault(); d.Save() })},
		fields,
		kit.El("p", "outcome bad", kit.At{"id", "price-wrong", "role", "alert", "hidden", f.Wrong == ""}, f.Wrong),
		kit.Box("div", "line",
			kit.Button("primary", kit.At{"id", "price-save", "type", "submit", "disabled", f.Saving}, nil, "Save price"),
			kit.Button("", kit.At{"id", "price-reset", "hidden", !d.Entered(id), "disabled", f.Saving}, p.Do("price-reset", d.Reset), "Reset"),
			kit.Button("", nil, p.Do("price-cancel", d.Close), "Cancel"),
		),
	)
}
