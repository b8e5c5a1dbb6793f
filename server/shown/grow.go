package shown

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"screentest/shared/gateway"
	"screentest/shared/markdown"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// pace is how often an answer that grows is shown, and thoughtPiece how much of its
// reasoning is said at a time, in bytes.
const pace = 50 * time.Millisecond

// growing is an answer under way: its log is read once, by follow, and what came is
// turned once into patches. All but follow is called with the show's lock.
type growing struct {
	show *show
	id   string // of the message
	run  string
	log  Log
	stop context.CancelFunc

	reader   *reply.Reader
	endpoint gateway.Endpoint
	renderer markdown.Renderer
	stream   *markdown.Stream
	at       int64 // in the log
	text     int   // bytes of the text that the stream has
	replaced int   // Answer.Replaced when the stream began

	blocks  html   // closed ones
	tail    string // the open rest as it stands, but for what its open element holds
	lines   html   // in the tail's open element, and after them
	rest    string
	opened  bool   // the tail has such an element
	thought string // the reasoning that is shown
}

// end has nobody follow the answer any more.
func (g *growing) end() {
	if g.stop != nil {
		g.stop()
	}
}

// open reads what there is of an answer, so that a page without a script has it too.
func (g *growing) open(ctx context.Context, owner string) error {
	run, log, err := g.show.s.Runs.Open(ctx, owner, g.run)
	if err != nil {
		return err
	}
	g.log, g.endpoint, g.stream = log, gateway.Endpoint(run.Endpoint), g.renderer.NewStream()
	if _, err := g.read(ctx); err != nil {
		return err
	}
	g.step()
	return nil
}

// read reads the log on to where it is now.
func (g *growing) read(ctx context.Context) (end bool, err error) {
	var p []byte
	for {
		if p, end, err = g.log.Read(ctx, p[:0], g.at, logPiece); err != nil {
			return false, err
		}
		if len(p) > 0 && g.reader == nil {
			g.reader = reply.NewReader(g.endpoint, g.log.ContentType())
		}
		if g.reader != nil {
			g.reader.Push(p)
		}
		g.at += int64(len(p))
		if end && g.reader != nil {
			g.reader.Close()
		}
		if end || len(p) < logPiece {
			return end, nil
		}
	}
}

// follow shows the answer as it grows, until its end or ctx's.
func (g *growing) follow(ctx context.Context) {
	wake := make(chan struct{}, 1)
	g.log.Watch(wake)
	defer g.log.Unwatch(wake)
	for {
		end, err := g.read(ctx)
		g.show.mu.Lock()
		if ctx.Err() == nil {
			g.show.tell(g.step())
		}
		g.show.mu.Unlock()
		if err != nil || end {
			// How it ended is told when that is stored; see Service.Changed.
			return
		}
		rest := time.NewTimer(pace)
		select {
		case <-rest.C:
		case <-ctx.Done():
			rest.Stop()
			return
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
	}
}

// step draws what has come and returns how a page that has the answer as it stood
// gets to have it as it stands.
func (g *growing) step() (patches []patch) {
	if g.reader == nil {
		return nil
	}
	a := g.reader.Answer()
	tail := "tail-" + g.id
	fresh := a.Replaced != g.replaced || len(a.Text()) < g.text || len(a.Reasoning()) < len(g.thought)
	if fresh { // what it said is no longer how it begins
		g.stream, g.replaced, g.text, g.thought = g.renderer.NewStream(), a.Replaced, 0, ""
		g.blocks, g.tail, g.lines, g.rest, g.opened = nil, "", nil, "", false
	}
	// (What a strings.Builder has given stays as it is while it grows.)
	if more := a.Reasoning()[len(g.thought):]; more != "" {
		g.thought = a.Reasoning()
		patches = append(patches, patch{"thought", "thought-" + g.id, more})
	}
	if more := a.Text()[g.text:]; more != "" {
		g.text += len(more)
		var closed html
		for _, b := range g.stream.Append(more) {
			closed.nodes(g.id+"-", b.Nodes, nil)
		}
		if len(closed) > 0 {
			g.blocks = append(g.blocks, closed...)
			patches = append(patches, patch{"add", tail, string(closed)})
		}
		patches = g.drawTail(patches, tail)
	}
	if fresh {
		var h html
		g.write(&h)
		return []patch{{"put", "grow-" + g.id, "a-" + g.id, "", string(h)}}
	}
	return patches
}

// drawTail draws the rest that is still open. Of one that is drawn anew only what is
// another is sent: mostly that is its end.
func (g *growing) drawTail(patches []patch, id string) []patch {
	t := g.stream.Tail()
	if t.Fresh {
		before := g.tail
		if g.opened {
			before = "" // what its open element holds can't be compared
		}
		var h html
		g.opened, g.lines, g.rest = false, nil, ""
		h.nodes(g.id+"-", t.Nodes, func() {
			g.opened = true
			h.raw(hole)
		})
		g.tail = string(h)
		now := strings.Replace(g.tail, hole, rest, 1)
		keep := commonStart(before, now)
		patches = append(patches, patch{"tail", id, units(now[:keep]), now[keep:]})
	}
	if !g.opened || t.Text == "" && len(t.Lines) == 0 {
		return patches
	}
	var lines html
	lines.nodes(g.id+"-", t.Lines, nil)
	again := len(lines) > 0
	if again {
		g.lines, g.rest = append(g.lines, lines...), ""
	}
	g.rest += t.Text
	return append(patches, patch{"grow", id, string(lines), again, t.Text})
}

// hole stands in a tail where its open element takes more; no text has it, since
// what is written as text has no such character. rest is the element that takes it.
const (
	hole = "\x00"
	rest = `<span class="rest"></span>`
)

// write writes the answer as it stands. The tail is there twice, so that the script
// can take it up.
func (g *growing) write(h *html) {
	h.raw(`<div class="growing"`)
	h.attr("id", "grow-"+g.id)
	h.raw(">")
	h.raw(`<details class="fold"`)
	if g.thought == "" {
		h.raw(" hidden")
	}
	h.raw(`><summary>Reasoning</summary><div class="thought written"`)
	h.attr("id", "thought-"+g.id)
	h.raw(">")
	h.text(g.thought)
	h.raw("</div></details>")
	h.raw(`<div class="body md"`)
	h.attr("id", "b-"+g.id)
	h.raw(">", string(g.blocks), `<div class="tail"`)
	h.attr("id", "tail-"+g.id)
	if !g.opened {
		h.attr("data-html", g.tail)
	}
	h.raw(">")
	before, after, _ := strings.Cut(g.tail, hole)
	h.raw(before)
	if g.opened {
		h.raw(string(g.lines), `<span class="rest">`)
		h.text(g.rest)
		h.raw("</span>")
	}
	h.raw(after, "</div></div>")
	h.raw(`<footer class="state"><span class="state-name live">`, states[wire.Running], "</span></footer></div>")
}

// commonStart is how many bytes two texts have in common at their start, in whole
// characters.
func commonStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(b) && !utf8.RuneStart(b[n]) {
		n--
	}
	return n
}

// units is the length of a text as a script counts it, in UTF-16.
func units(s string) int {
	n := 0
	for _, r := range s {
		if n++; r >= 0x10000 {
			n++
		}
	}
	return n
}
