package markdown

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Bounds, in bytes, on the tail that a frame draws. Up to maxTail it is drawn
// whole each time; above, what came since is appended as plain text, and it is
// drawn again when it has grown by half, up to maxDrawnTail.
const (
	maxTail      = 8 << 10
	maxDrawnTail = 64 << 10
)

// A Block is a closed piece of a document: one or more top-level elements
// that no later text can change.
type Block struct {
	Nodes []Node
	Size  int // bytes of Markdown it was drawn from, for grouping into chunks
}

// A Tail is what to show after the last closed block.
//
// When Fresh, remove what is shown of the tail and draw Nodes; else leave it.
// The tail's element with class OpenClass, which is there whenever it is needed,
// ends with a text node. When Lines is not empty, empty that text node and draw
// Lines before it: they are in colours what stood there, and more. Then append
// Text to it. So each line of an open code block is drawn once or twice, and
// however long the block is, never again.
type Tail struct {
	Fresh bool
	Nodes []Node
	Lines []Node
	Text  string
}

// OpenClass is the class of the one element in a tail that takes Tail.Text.
const OpenClass = "md-open"

// A Stream draws a document that is still growing. It is for one goroutine.
type Stream struct {
	r    *Renderer
	buf  []byte // the source after the last closed block
	cr   bool   // it ends with a line end that was a carriage return
	refs references

	redraw   bool // a definition came after what it changes
	brackets bool // a closed block may hold what a definition would change

	tried int // length of buf's whole lines when it was last split
	vain  int // splits in a row that closed nothing

	fence           fenceMark
	inFence         bool     // buf is fenced code without its end
	scanned         int      // start of the first line of it that was not looked at
	colours         *colours // of its lines; nil where it has none
	begun, coloured int      // where its first line starts, and the first one not given to colours

	fresh bool // the tail on the page is out of date
	dirty bool // buf grew since
	open  bool // the tail on the page has an element with OpenClass
	drawn int  // length of buf when the tail was last drawn whole
	shown int  // how much of buf the tail on the page shows
}

// NewStream starts a growing document.
func (r *Renderer) NewStream() *Stream {
	return &Stream{r: r, refs: references{}}
}

// Append adds text, cut anywhere (even inside a character), and returns the
// blocks that it closed. They are final: draw them once.
func (s *Stream) Append(text string) []Block {
	if text == "" {
		return nil
	}
	s.r.Prepare()
	s.dirty = true
	s.buf, s.cr = appendLines(s.buf, text, s.cr)
	var out []Block
	for {
		if s.inFence {
			end, ok := s.fenceEnd()
			if !ok {
				return out
			}
			s.inFence = false
			out = s.emit(out, piece{end: end, kind: fence})
			s.cut(end)
			continue
		}
		whole := bytes.LastIndexByte(s.buf, '\n') + 1
		if whole <= s.tried || !s.worthwhile(whole) {
			return out
		}
		pieces, closed := s.r.split(s.buf[:whole], newContext(s.refs, references{}, nil))
		s.tried = whole
		for _, p := range pieces[:closed] {
			out = s.emit(out, p)
		}
		if closed > 0 {
			s.vain = 0
			last := pieces[closed-1].end
			s.cut(last)
			s.tried = whole - last
		} else {
			s.vain++
		}
		if closed == len(pieces) || !s.enterFence(pieces[closed].kind) {
			return out
		}
	}
}

// enterFence goes over to code without its end, which is looked through line
// by line instead of being parsed.
func (s *Stream) enterFence(kind pieceKind) bool {
	if kind != fence {
		return false
	}
	at := 0
	for at < len(s.buf) && isBlank(s.buf[at]) {
		at++
	}
	at = lineStart(s.buf, at)
	end := at + bytes.IndexByte(s.buf[at:], '\n') + 1
	m, ok := fenceOf(s.buf[at:end])
	if !ok || end == at {
		return false
	}
	s.fence, s.inFence, s.scanned, s.fresh = m, true, end, true
	s.shown, s.open = end, false
	s.begun, s.coloured, s.colours = end, end, nil
	if lang, _ := languageOf(m.info); lang != nil {
		s.colours = &colours{lang: lang}
	}
	return true
}

// fenceEnd looks for the line that ends the code.
func (s *Stream) fenceEnd() (int, bool) {
	for {
		n := bytes.IndexByte(s.buf[s.scanned:], '\n') + 1
		if n == 0 {
			return 0, false
		}
		line := s.buf[s.scanned : s.scanned+n]
		s.scanned += n
		if s.fence.closedBy(line, true) {
			return s.scanned, true
		}
	}
}

// worthwhile spares a long open block a look at every line: it waits for a line
// that looks like the start of another block, or until an eighth was added.
func (s *Stream) worthwhile(whole int) bool {
	if whole <= maxTail || whole-s.tried > s.tried/8 {
		return true
	}
	const enough = 8 // looks in vain
	if s.vain > enough {
		return false
	}
	blank := endsWithBlank(s.buf[:s.tried])
	for line := range bytes.Lines(s.buf[s.tried:whole]) {
		switch c := line[0]; {
		case c == '#', c == '`', c == '~':
			return true
		case blank && !isBlank(c) && c != '-' && c != '*' && c != '+' && !isDigit(c):
			return true
		}
		blank = len(bytes.TrimSpace(line)) == 0
	}
	return false
}

// emit draws a piece and appends it to out.
func (s *Stream) emit(out []Block, p piece) []Block {
	part := s.buf[p.start:p.end]
	if p.kind == note {
		s.redraw = true
		return out
	}
	own := references{}
	nodes := s.r.draw(part, p.kind, newContext(s.refs, own, nil))
	if len(own) > 0 && s.brackets {
		s.redraw = true
	}
	for k, v := range own {
		s.refs[k] = v
	}
	if len(nodes) == 0 {
		return out
	}
	s.brackets = s.brackets || bytes.IndexByte(part, '[') >= 0
	return append(out, Block{Nodes: nodes, Size: len(part)})
}

// cut drops the first n bytes of buf.
func (s *Stream) cut(n int) {
	s.buf = append(s.buf[:0], s.buf[n:]...)
	s.tried, s.scanned, s.shown, s.drawn = 0, 0, 0, 0
	s.fresh, s.open = true, false
}

// Tail returns how to show the open rest. Call it at most once a frame, after
// the closed blocks of the frame were drawn.
func (s *Stream) Tail() Tail {
	if !s.fresh && !s.dirty {
		return Tail{}
	}
	fresh := s.fresh
	s.fresh, s.dirty = false, false
	size := len(s.buf)
	switch {
	case s.inFence:
		return s.codeTail(fresh)
	case size <= maxTail,
		size <= maxDrawnTail && (fresh || !s.open || size >= s.drawn+s.drawn/2):
		return s.drawTail()
	case fresh || !s.open:
		s.open = true
		s.shown = 0
		return Tail{Fresh: true, Nodes: []Node{el("pre", "md-plain "+OpenClass)}, Text: s.take(size)}
	}
	return Tail{Text: s.take(size)}
}

// drawTail draws the tail whole, with an element for what follows when it is
// long.
func (s *Stream) drawTail() Tail {
	end := wholeRunes(s.buf)
	t := Tail{Fresh: true, Nodes: s.r.draw(s.buf[:end], flow, newContext(s.refs, references{}, nil))}
	s.drawn, s.shown, s.open = len(s.buf), end, len(s.buf) > maxTail
	if s.open {
		t.Nodes = append(t.Nodes, el("pre", "md-plain "+OpenClass))
	}
	return t
}

// codeTail appends to open code. A last line that may become the end of the
// code is held back.
func (s *Stream) codeTail(fresh bool) Tail {
	t := Tail{Fresh: fresh}
	if fresh {
		_, label := languageOf(s.fence.info)
		t.Nodes = []Node{codeFrame(label, el("code", OpenClass))}
		s.open = true
	}
	t.Lines = s.colour()
	end := len(s.buf)
	if last := s.buf[s.scanned:]; s.fence.closedBy(last, false) {
		end = s.scanned
	}
	switch {
	case end <= s.shown:
	case s.fence.indent == 0:
		t.Text = s.take(end)
	default:
		// Whole lines only, so that it is known how much of an indent goes.
		whole := s.shown + bytes.LastIndexByte(s.buf[s.shown:end], '\n') + 1
		t.Text = flatText(s.unindented(s.shown, whole), true)
		s.shown = whole
	}
	return t
}

// colour gives the lines that have come to their end since the last frame, of
// those that get colours.
func (s *Stream) colour() []Node {
	if s.colours == nil || s.scanned == s.coloured {
		return nil
	}
	end := s.scanned
	if end-s.begun > maxHighlight {
		end = s.begun + colourable(string(s.buf[s.begun:end]))
	}
	var lines []Node
	if end > s.coloured {
		lines = s.colours.add(s.unindented(s.coloured, end))
		s.coloured, s.shown = end, end
	}
	if end < s.scanned {
		s.colours = nil
	}
	return lines
}

// unindented is the code from start to end without the fence's indent.
func (s *Stream) unindented(start, end int) string {
	if s.fence.indent == 0 {
		return string(s.buf[start:end])
	}
	var b strings.Builder
	for line := range bytes.Lines(s.buf[start:end]) {
		for i := 0; i < s.fence.indent && len(line) > 0 && line[0] == ' '; i++ {
			line = line[1:]
		}
		b.Write(line)
	}
	return b.String()
}

// take is the text of buf up to end that the page does not show yet.
func (s *Stream) take(end int) string {
	end = s.shown + wholeRunes(s.buf[s.shown:end])
	text := flatText(string(s.buf[s.shown:end]), s.inFence)
	s.shown = end
	return text
}

// Close ends the document and returns its last blocks; the tail is then empty.
// When redraw is true, a link definition or a footnote changes blocks that
// were returned before: draw Renderer.Render of the whole text instead.
func (s *Stream) Close() (closed []Block, redraw bool) {
	if s.inFence {
		closed = s.emit(nil, piece{end: len(s.buf), kind: fence})
	} else if len(s.buf) > 0 {
		pieces, _ := s.r.split(s.buf, newContext(s.refs, references{}, nil))
		for _, p := range pieces {
			closed = s.emit(closed, p)
		}
	}
	s.inFence = false
	s.cut(len(s.buf))
	return closed, s.redraw
}

// appendLines appends text with every line ended by a newline alone. cr says
// that dst ends with a newline that was a carriage return, so that a newline
// which follows belongs to it.
func appendLines(dst []byte, text string, cr bool) ([]byte, bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\r':
			dst = append(dst, '\n')
		case c == '\n' && cr:
		default:
			dst = append(dst, c)
		}
		cr = text[i] == '\r'
	}
	return dst, cr
}

// wholeRunes is the length of p without a character at its end that is not
// whole yet.
func wholeRunes(p []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if c := p[len(p)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(p[len(p)-i:]) {
				return len(p) - i
			}
			break
		}
	}
	return len(p)
}
