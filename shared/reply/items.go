package reply

import (
	"bytes"
	"strings"
)

// item is a message of a responses answer: its text is put together from the
// items' texts, because a gateway may correct each when it is done.
type item struct {
	id    string
	index int64 // output_index, -1 where there was none
	text  []byte
}

// between stands between two messages of one answer.
const between = "\n\n"

// join puts the text together again after an item's text was replaced, or
// text went to another item than the last.
func (a *Answer) join() {
	if !a.stale {
		return
	}
	a.stale = false
	old, size := a.text.String(), 0
	for _, it := range a.items {
		size += len(it.text) + len(between)
	}
	a.text.Reset()
	a.text.Grow(size)
	for _, it := range a.items {
		if len(it.text) == 0 {
			continue
		}
		if a.text.Len() > 0 {
			a.text.WriteString(between)
		}
		a.text.Write(it.text)
	}
	if !strings.HasPrefix(a.text.String(), old) {
		a.Replaced++
	}
	a.Revision++
}

// itemFor finds the message that an event is about, by its place, else by its
// id, else the last one; it is made if there is none yet.
func (r *Reader) itemFor(index, id raw) *item {
	n, ok := index.int()
	if !ok {
		n = -1
	}
	hasID := len(id) > 2 && id.is('"')
	match := func(it *item) bool {
		switch {
		case ok && it.index >= 0:
			return it.index == n
		case hasID && it.id != "":
			return id.equals(it.id)
		}
		return !ok && !hasID
	}
	if r.current != nil && match(r.current) {
		return r.current
	}
	items := r.answer.items
	for i := len(items) - 1; i >= 0; i-- {
		if match(items[i]) {
			r.current = items[i]
			return items[i]
		}
	}
	if len(items) >= maxItems {
		return nil
	}
	it := &item{index: n}
	if hasID {
		it.id = short(id.text())
	}
	r.answer.items = append(items, it)
	r.current = it
	return it
}

// addDelta appends a fragment to a message.
func (r *Reader) addDelta(it *item, v raw) {
	text := r.plain(v)
	if it == nil || len(text) == 0 || !r.room(len(text)) {
		return
	}
	a := &r.answer
	switch {
	case a.stale:
	case it != a.items[len(a.items)-1]:
		a.stale = true
	default:
		if len(it.text) == 0 && a.text.Len() > 0 {
			a.text.WriteString(between)
		}
		a.text.Write(text)
	}
	it.text = append(it.text, text...)
	a.Revision++
	r.added = added{raw: v, sink: intoItem, item: it}
}

// content reads the text and citations of a message item, of a response or of
// output_item.done.
func content(v raw) (text []byte, cites []Citation, refused bool) {
	for part := range v.get("content").items() {
		var t, refusal, notes raw
		for name, val := range part.members() {
			switch string(name) {
			case "text":
				t = val
			case "refusal":
				refusal = val
			case "annotations":
				notes = val
			}
		}
		text = appendText(text, t)
		if len(refusal) > 2 && refusal.is('"') {
			refused = true
			text = appendText(text, refusal)
		}
		for note := range notes.items() {
			if c, ok := citation(note); ok && len(cites) < maxItems {
				cites = append(cites, c)
			}
		}
	}
	return text, cites, refused
}

// setFinal takes the final text of a message, where there is one.
func (r *Reader) setFinal(it *item, text []byte) {
	if it == nil || len(text) == 0 || bytes.Equal(text, it.text) {
		return
	}
	if !r.room(len(text) - len(it.text)) {
		return
	}
	it.text = text
	r.answer.stale = true
	r.answer.Revision++
}

// citation reads an annotation. An address that is not of the web is dropped:
// it would become a link.
func citation(v raw) (Citation, bool) {
	if nested := v.get("url_citation"); nested.is('{') {
		v = nested
	}
	url := webAddress(v.get("url"))
	if url == "" {
		return Citation{}, false
	}
	start, _ := v.get("start_index").int()
	end, _ := v.get("end_index").int()
	return Citation{URL: url, Title: clip(v.get("title").text(), maxID), Start: start, End: end}, true
}

func (r *Reader) cite(v raw) {
	if c, ok := citation(v); ok {
		r.addCitation(c)
	}
}

// addCitation adds one that is not there yet.
func (r *Reader) addCitation(c Citation) {
	if len(r.answer.Citations) >= maxItems {
		return
	}
	for _, have := range r.answer.Citations {
		if have == c {
			return
		}
	}
	r.answer.Citations = append(r.answer.Citations, c)
	r.answer.Revision++
}

// maxURL bounds an address, in bytes.
const maxURL = 8 << 10

// webAddress is the text of v if it is an http or https address, else "".
func webAddress(v raw) string {
	if !v.is('"') || len(v) > maxURL {
		return ""
	}
	s := strings.TrimSpace(v.text())
	for _, scheme := range []string{"http://", "https://"} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) && !strings.ContainsAny(s, " \t\r\n") {
			return s
		}
	}
	return ""
}
