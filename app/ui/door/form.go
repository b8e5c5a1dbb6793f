//go:build js && wasm

package door

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/door"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// form draws a gate: on a page of its own, and in the dialog.
type form struct {
	h    *kit.Host
	gate *door.Gate
	to   string // where single sign-on leads back to
	over bool   // it stands over a page, which must not be left
	seen bool   // the password is shown as it is typed
}

// body is what stands below the heading.
func (f *form) body() []app.UI {
	g := f.gate
	f.focus()
	switch g.Stage {
	case door.Asking:
		return []app.UI{kit.El("p", "soft", kit.At{"role", "status"}, "One moment…")}
	case door.Entered:
		if len(g.Codes) > 0 {
			return []app.UI{recoveryCodes(f.h, g.Codes, g.GoIn)}
		}
		return []app.UI{kit.El("p", "soft", kit.At{"id", "door-in", "role", "status"}, "You are signed in.")}
	case door.Shut:
		return []app.UI{f.shut()}
	}
	return []app.UI{
		kit.SayIf("p", "soft door-lead", g.Lead()),
		kit.Either(g.Has(door.FieldName) || g.Ways.Password || g.NeedsCode, f.fields, f.problem),
		f.others(),
	}
}

// shut says why there is no form, and what leads on.
func (f *form) shut() app.UI {
	g := f.gate
	return kit.Box("div", "door-form",
		kit.Notice(kit.Warn, "", kit.At{"id", "door-shut", "role", "alert"},
			kit.Box("p", "", g.Problem.Message), kit.Box("p", "todo", g.Problem.Hint)),
		kit.If(g.Retry(), func() app.UI {
			return kit.Button("primary wide", kit.At{"id", "door-retry"}, f.h.Do("door-retry", g.Start), "Try again")
		}),
		kit.If(g.Path != door.SignInPath, func() app.UI {
			return kit.El("a", "button wide", kit.At{"id", "door-signin", "href", door.SignInPath}, "Go to the sign-in page")
		}),
	)
}

func (f *form) fields() app.UI {
	g := f.gate
	return kit.El("form", "door-form", kit.At{"id", "door-form", "novalidate", true, "aria-labelledby", "door-title",
		"onsubmit", f.h.On("door-form", func(_ app.Context, e app.Event) { e.PreventDefault(); f.submit() })},
		kit.If(g.Has(door.FieldName), func() app.UI {
			return f.field(door.FieldName, "Name", "", kit.At{"autocomplete", "name", "maxlength", wire.MaxPersonName})
		}),
		kit.If(g.Has(door.FieldEmail), func() app.UI {
			return f.field(door.FieldEmail, "E-mail", "", kit.At{"type", "email", "inputmode", "email", "autocomplete", "username", "autocapitalize", "none", "maxlength", wire.MaxEmail})
		}),
		kit.If(!g.Has(door.FieldEmail) && g.Email != "", func() app.UI { // for the browser's store of passwords
			return kit.Fixed("sr-only", kit.At{"type", "email", "autocomplete", "username", "tabindex", -1, "aria-hidden", true}, g.Email)
		}),
		kit.If(g.Has(door.FieldPassword), f.password),
		kit.If(g.Has(door.FieldCode), func() app.UI {
			return f.field(door.FieldCode, "Code", "", kit.At{"autocomplete", "one-time-code", "autocapitalize", "none", "maxlength", 40})
		}),
		f.problem(),
		kit.Button("primary wide", kit.At{"id", "door-submit", "type", "submit", "aria-disabled", g.Busy}, nil, g.Verb()),
		kit.If(g.NeedsCode, func() app.UI {
			return kit.Button("plain wide", kit.At{"id", "door-back"}, f.h.Do("door-back", g.Back), "Sign in as somebody else")
		}),
	)
}

// id is that of the element of a field.
func id(field string) string { return "door-" + field }

// said is what a field's element tells of what is wrong, and of its rule.
func (f *form) said(field, rule string) kit.At {
	wrong := f.gate.Wrong(field)
	by := ""
	if rule != "" {
		by = id(field) + "-rule"
	}
	if wrong != "" {
		return kit.At{"aria-invalid", true, "aria-describedby", id(field) + "-wrong"}
	}
	return kit.At{"aria-describedby", by}
}

func (f *form) below(field, rule string) []app.UI {
	wrong := f.gate.Wrong(field)
	return []app.UI{
		kit.El("p", "outcome bad", kit.At{"id", id(field) + "-wrong", "hidden", wrong == ""}, wrong),
		kit.El("p", "faint door-rule", kit.At{"id", id(field) + "-rule", "hidden", rule == "" || wrong != ""}, rule),
	}
}

func (f *form) field(name, label, rule string, at kit.At) app.UI {
	g := f.gate
	values := map[string]string{door.FieldName: g.Name, door.FieldEmail: g.Email, door.FieldCode: g.Code}
	return kit.Labelled(id(name), label, nil,
		f.h.Field(id(name), "field", append(at, f.said(name, rule)...), values[name], func(text string) { g.Fill(name, text) }),
		f.below(name, rule),
	)
}

func (f *form) password() app.UI {
	g := f.gate
	label, known, rule := "Password", "current-password", ""
	if g.NewPassword() {
		known, rule = "new-password", door.PasswordRule()
	}
	if g.Path == door.ResetPath {
		label = "New password"
	}
	at := kit.At{"type", "password", "autocomplete", known, "autocapitalize", "none"}
	if f.seen {
		at[1] = "text"
	}
	return kit.Labelled(id(door.FieldPassword), label, nil,
		kit.Box("div", "field field-box door-password",
			f.h.Field(id(door.FieldPassword), "", append(at, f.said(door.FieldPassword, rule)...), g.Password, func(text string) { g.Fill(door.FieldPassword, text) }),
			kit.Button("plain small", kit.At{"id", "door-show", "aria-pressed", f.seen, "aria-label", "Show the password"},
				f.h.Do("door-show", func() { f.seen = !f.seen; f.h.Redraw() }), kit.When(!f.seen, "Show"), kit.When(f.seen, "Hide")),
		),
		f.below(door.FieldPassword, rule),
	)
}

// problem is what is wrong with the whole.
func (f *form) problem() app.UI {
	return kit.El("p", "outcome bad", kit.At{"id", "door-wrong", "role", "alert"}, f.gate.Wrong(""))
}

// others are the other ways in.
func (f *form) others() app.UI {
	g := f.gate
	form := g.Has(door.FieldName) || g.Ways.Password
	anew := g.WithNewPasskey() && g.Ways.Password // else it is what the form does
	if !g.WithPasskey() && !g.WithSingleSignOn() && !anew {
		return kit.Nothing()
	}
	look := "wide"
	if !form {
		look = "primary wide"
	}
	return kit.Box("div", "door-form",
		kit.If(form, func() app.UI { return kit.Box("p", "door-or", "or") }),
		kit.If(anew, func() app.UI {
			return kit.Button(look, kit.At{"id", "door-new-passkey", "aria-disabled", g.Busy}, f.h.Do("door-new-passkey", f.submitWithPasskey), g.Title()+" with a passkey, without a password")
		}),
		kit.If(g.WithSingleSignOn(), func() app.UI {
			return f.elsewhere(look)
		}),
		kit.If(g.WithPasskey(), func() app.UI {
			if g.WithSingleSignOn() {
				look = "wide"
			}
			return kit.Button(look, kit.At{"id", "door-passkey", "aria-disabled", g.Busy}, f.h.Do("door-passkey", g.Passkey), "Sign in with a passkey")
		}),
	)
}

// elsewhere leads to single sign-on; over a page in a tab of its own, which
// closes itself when it has been there.
func (f *form) elsewhere(look string) app.UI {
	if f.over {
		return kit.El("a", "button "+look, kit.At{"id", "door-oidc", "href", door.SingleSignOn(f.to), "target", "_blank", "rel", "opener"}, f.gate.Ways.OIDC)
	}
	// A link of ours would be taken for one of the program's own pages.
	return kit.Button(look, kit.At{"id", "door-oidc"}, f.h.Do("door-oidc", func() {
		app.Window().Get("location").Call("assign", door.SingleSignOn(f.to))
	}), f.gate.Ways.OIDC)
}

// submit sends the form.
func (f *form) submit() {
	f.take()
	f.gate.Submit()
}

func (f *form) submitWithPasskey() {
	f.take()
	f.gate.SubmitWithPasskey()
}

// take takes what the browser may have filled in without a word.
func (f *form) take() {
	for _, name := range []string{door.FieldName, door.FieldEmail, door.FieldPassword, door.FieldCode} {
		if e := f.h.DOM.ByID(id(name)); e.Truthy() {
			f.gate.Fill(name, e.Get("value").String())
		}
	}
	f.seen = false
}

// focus goes to the field that the gate names, after the draw that is under way.
// A keyboard on the screen does not come unasked.
func (f *form) focus() {
	g := f.gate
	field := g.Focus
	if field == "" {
		return
	}
	g.Focus = ""
	if f.h.DOM.Coarse() && g.Problem == nil && !g.NeedsCode {
		return
	}
	focusAfter(f.h, id(field))
}

// focusAfter moves the focus to a control after the draw that is under way, and
// chooses the text in it.
func focusAfter(h *kit.Host, id string) {
	h.Context().Defer(func(app.Context) {
		defer h.Guard("the focus")
		if e := h.DOM.ByID(id); e.Truthy() {
			e.Call("focus")
			if e.Get("select").Truthy() {
				e.Call("select")
			}
		}
	})
}
