//go:build js && wasm

package videodesk

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Short ways to make elements. A chain of go-app's calls is long in the
// compiled program; one plain call with the same in it is a fraction of that.

// at are attributes: names, each followed by its value. One whose value is ""
// is left out.
type at []string

// no is the value of an attribute that is there or not.
func no(there bool) string {
	if there {
		return "true"
	}
	return ""
}

// yes is the value of an attribute that says true or false.
func yes(is bool) string {
	if is {
		return "true"
	}
	return "false"
}

// elem is an element with attributes and children; class may be "".
func elem(tag, class string, attrs at, kids ...app.UI) app.HTMLElem {
	e := app.Elem(tag)
	if class != "" {
		e = e.Attr("class", class)
	}
	for i := 0; i+1 < len(attrs); i += 2 {
		if attrs[i+1] != "" {
			e = e.Attr(attrs[i], attrs[i+1])
		}
	}
	return e.Body(kids...)
}

// el is an elem that needs nothing more.
func el(tag, class string, attrs at, kids ...app.UI) app.UI { return elem(tag, class, attrs, kids...) }

// box is an element with a class and children.
func box(tag, class string, kids ...app.UI) app.UI { return elem(tag, class, nil, kids...) }

// say is an element with a class and a text.
func say(tag, class, text string) app.UI { return elem(tag, class, nil, app.Text(text)) }

// sayIf is an element with a text that is hidden where there is none.
func sayIf(tag, class, text string) app.UI {
	return elem(tag, class, at{"hidden", no(text == "")}, app.Text(text))
}

// nothing keeps a place among children, so that those after it keep theirs.
func nothing() app.UI { return elem("div", "", at{"hidden", "true"}) }

// svg is an element of a drawing.
func svg(tag string, attrs at, kids ...app.UI) app.UI {
	e := app.Elem(tag).XMLNS("http://www.w3.org/2000/svg")
	for i := 0; i+1 < len(attrs); i += 2 {
		e = e.Attr(attrs[i], attrs[i+1])
	}
	return e.Body(kids...)
}
