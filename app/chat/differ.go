package chat

import (
	"unicode"
	"unicode/utf8"
)

// A Piece of two texts that are compared: it is in both, or was taken out or put in.
type Piece struct {
	Text     string
	Out, New bool
}

// maxCompared bounds the words of two texts multiplied: what of larger ones differs is
// told as a whole.
const maxCompared = 1 << 20

// Compare tells how a text became another, by words and what is between them.
func Compare(before, after string) (pieces []Piece) {
	a, b := tokens(before), tokens(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	add := func(word string, out, new bool) {
		if n := len(pieces); n > 0 && pieces[n-1].Out == out && pieces[n-1].New == new {
			pieces[n-1].Text += word
			return
		}
		pieces = append(pieces, Piece{word, out, new})
	}
	for _, word := range a[:head] {
		add(word, false, false)
	}
	differ(a[head:len(a)-tail], b[head:len(b)-tail], add)
	for _, word := range a[len(a)-tail:] {
		add(word, false, false)
	}
	return pieces
}

// differ tells of two lists of words what is in both, by the longest row of words that
// is: what was taken out comes before what was put in its place.
func differ(a, b []string, add func(word string, out, new bool)) {
	var outs, news []string
	flush := func() {
		for _, word := range outs {
			add(word, true, false)
		}
		for _, word := range news {
			add(word, false, true)
		}
		outs, news = nil, nil
	}
	if len(a)*len(b) > maxCompared {
		outs, news = a, b
		flush()
		return
	}
	// longest[i][j] is that of a[i:] and b[j:].
	width := len(b) + 1
	longest := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			flush()
			add(a[i], false, false)
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && longest[(i+1)*width+j] >= longest[i*width+j+1]:
			outs = append(outs, a[i])
			i++
		default:
			news = append(news, b[j])
			j++
		}
	}
	flush()
}

// tokens are the words of a text and each character between them.
func tokens(s string) (all []string) {
	for s != "" {
		end := 0
		for end < len(s) {
			r, size := utf8.DecodeRuneInString(s[end:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				break
			}
			end += size
		}
		if end == 0 {
			_, end = utf8.DecodeRuneInString(s)
		}
		all, s = append(all, s[:end]), s[end:]
	}
	return all
}
