//go:build js && wasm

package kit

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Every element of the page is made here, by El or, without attributes, by Box.
// go-app's own calls, one for each tag and each attribute, are long in the
// compiled program, and each that is used adds its code to the download.

// At are attributes: names, each followed by its value. What happens to an
// element stands among them, as in HTML: "onclick", and a [Handler]. A value
// that is "" is left out. A bool says yes or no to hidden, disabled, checked and
// their like; of aria- and data- it is the word true or false.
type At []any

// El makes an element; class may be "". A child is an element, a list of them,
// a text or a number; nil is none.
func El(tag, class string, at At, kids ...any) app.UI {
	return element(app.Elem(tag), class, at, kids)
}

// Box is El without attributes.
func Box(tag, class string, kids ...any) app.UI {
	return element(app.Elem(tag), class, nil, kids)
}

// SVG is El for a drawing and what it is made of.
func SVG(tag string, at At, kids ...any) app.UI {
	return element(app.Elem(tag).XMLNS(svgNS), "", at, kids)
}

func element(e app.HTMLElem, class string, at At, kids []any) app.UI {
	if class != "" {
		e = e.Attr("class", class)
	}
	for i := 0; i+1 < len(at); i += 2 {
		name := at[i].(string)
		if h, is := at[i+1].(*Handler); is {
			e = e.On(name[len("on"):], h.do)
		} else {
			e = e.Attr(name, at[i+1])
		}
	}
	return e.Body(children(make([]app.UI, 0, len(kids)), kids)...)
}

// children adds kids to a list of elements.
func children(list []app.UI, kids []any) []app.UI {
	for _, kid := range kids {
		switch kid := kid.(type) {
		case nil:
		case app.UI:
			list = append(list, kid)
		case []app.UI:
			list = append(list, kid...)
		case []any:
			list = children(list, kid)
		default:
			list = append(list, app.Text(kid))
		}
	}
	return list
}

// SayIf is an element with a text, hidden where there is none.
func SayIf(tag, class, text string) app.UI {
	return El(tag, class, At{"hidden", text == ""}, text)
}

// Nothing keeps a place among children, so that those after it keep theirs.
func Nothing() app.UI { return El("div", "", At{"hidden", true}) }

// If makes a child only where it is to be there.
func If(there bool, make func() app.UI) app.UI {
	if !there {
		return nil
	}
	return make()
}

// Either makes one child or the other.
func Either(first bool, one, other func() app.UI) app.UI {
	if first {
		return one()
	}
	return other()
}

// When is the value of an attribute that is there only sometimes.
func When(there bool, value string) string {
	if !there {
		return ""
	}
	return value
}

// Times makes n children.
func Times(n int, make func(i int) app.UI) []app.UI {
	list := []app.UI{}
	for i := range n {
		list = append(list, make(i))
	}
	return list
}
