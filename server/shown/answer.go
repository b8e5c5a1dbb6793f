package shown

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/markdown"
	"screentest/shared/money"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// Bounds of what is read of logs for the reasoning and the sources of finished
// answers, the newest first.
const (
	logsOfPage = 8 << 20 // bytes
	logPiece   = 256 << 10
)

// A writer writes the messages of a thread.
type writer struct {
	s     *Service
	owner string // whose it is
	asker string // their name
	// wire says that what was sent and came may be seen.
	wire   bool
	hidden bool // see thread
	logs   int64
	// answers under way are shown as they grow, by grows; nil where they aren't.
	grows func(m wire.Message) *growing
	// show has answers as they were drawn before, and drawn is what it has of this
	// time; nil where nothing is kept.
	show  *show
	drawn map[string]drawnMessage
}

// letter names a lane while its model's name is hidden.
func letter(number int) string { return "Model " + string(rune('A'+number%26)) }

func (w *writer) model(m wire.Message) string {
	if w.hidden {
		return letter(m.Lane)
	}
	return m.Run.Model
}

// turn is a question with its answers. Everything in it has an id that is the same
// for everybody, so that a patch can name it.
func (w *writer) turn(ctx context.Context, t turn) *node {
	var h html
	h.raw(`<section class="turn"`)
	h.attr("id", "t-"+t.id)
	h.raw(`><article class="question"><h2 class="sr-only">`)
	h.text(w.asker + " asks")
	h.raw("</h2>")
	h.images(t.images)
	h.line("div", "written", t.text)
	h.raw("</article>")
	h.raw(`<div class="columns"`)
	h.attr("id", "l-"+t.id)
	h.raw(">")
	n := &node{id: "t-" + t.id, open: string(h), close: "</div></section>", inside: "l-" + t.id}
	for _, l := range t.lanes {
		id := "n-" + t.id + "-" + strconv.Itoa(l.number)
		lane := &node{id: id, open: `<div class="column" id="` + id + `">`, close: "</div>"}
		for _, m := range l.messages {
			lane.kids = append(lane.kids, w.message(ctx, m, len(t.lanes) > 1))
		}
		n.kids = append(n.kids, lane)
	}
	return n
}

// copyButton goes on from a message, with one lane or, for -1, with all. It is shown
// only to who may.
func (h *html) copyButton(message string, lane int, words string) {
	h.raw(`<button type="button" class="copy"`)
	h.attr("data-message", message)
	if lane >= 0 {
		h.attr("data-lane", strconv.Itoa(lane))
	}
	h.raw(">")
	h.text(words)
	h.raw("</button>")
}

// message is an answer, or the result of a function, drawn again only where it is
// another.
func (w *writer) message(ctx context.Context, m wire.Message, many bool) *node {
	if w.show == nil || m.Run != nil && m.Run.State == wire.Running {
		return w.draw(ctx, m, many)
	}
	d := w.show.drawn[m.ID]
	if sum := w.show.sum(m, many, w.hidden); d.node == nil || d.sum != sum {
		d = drawnMessage{sum, w.draw(ctx, m, many)}
	}
	w.drawn[m.ID] = d
	return d.node
}

func (w *writer) draw(ctx context.Context, m wire.Message, many bool) *node {
	n := &node{id: "a-" + m.ID}
	var h html
	if m.Role == "tool" {
		h.raw(`<article class="result"`)
		h.attr("id", n.id)
		h.raw(`><details class="fold"><summary>`)
		h.text("Result of " + m.Tool)
		h.raw("</summary>")
		h.raw(`<pre tabindex="0"`)
		h.attr("aria-label", "Result of "+m.Tool)
		h.raw(">\n")
		h.text(m.Text)
		h.raw("</pre></details></article>")
		n.open = string(h)
		return n
	}
	r := m.Run
	h.raw(`<article class="answer"`)
	h.attr("id", n.id)
	if r == nil { // no model wrote it
		h.raw(`><header class="line">`)
		h.line("h3", "", "Written by hand")
		h.copyButton(m.ID, -1, "Continue in a copy")
		h.raw("</header>")
		h.body(m.ID, m.Text)
		h.raw("</article>")
		n.open = string(h)
		return n
	}
	h.attr("data-state", string(r.State))
	h.raw(`><header class="line">`)
	h.line("h3", "mono", w.model(m))
	if r.State != wire.Running {
		h.copyButton(m.ID, -1, "Continue in a copy")
		if many && !w.hidden {
			h.copyButton(m.ID, m.Lane, "With this model only")
		}
	}
	h.raw("</header>")
	if r.State == wire.Running && w.grows != nil {
		if n.grows = w.grows(m); n.grows != nil {
			n.open, n.close = string(h), "</article>"
			return n
		}
	}
	said := w.fromLog(ctx, m)
	h.reasoning(m.ID, said.Reasoning())
	h.searches(said.Searches)
	h.body(m.ID, m.Text)
	for _, c := range r.Calls {
		h.call(c)
	}
	w.problem(&h, m)
	h.sources(said.Citations)
	w.state(&h, m)
	if w.wire && !w.hidden && r.State != wire.Running {
		h.raw(`<details class="fold exchange"`)
		h.attr("data-run", r.ID)
		h.raw(`><summary>Request and reply</summary><p><a`)
		h.attr("href", "?wire="+url.QueryEscape(r.ID))
		h.raw(`>As text</a></p></details>`)
	}
	h.raw("</article>")
	n.open = string(h)
	return n
}

// body is an answer's text.
func (h *html) body(id, text string) {
	h.raw(`<div class="body md"`)
	h.attr("id", "b-"+id)
	h.raw(">")
	h.markdown(id, text)
	h.raw("</div>")
}

func (h *html) markdown(names, text string) {
	for b := range new(markdown.Renderer).Blocks(text) {
		h.nodes(names+"-", b.Nodes, nil)
	}
}

func (h *html) reasoning(id, text string) {
	if text == "" {
		return
	}
	h.raw(`<details class="fold"><summary>Reasoning</summary><div class="md thought">`)
	h.markdown("r-"+id, text)
	h.raw("</div></details>")
}

func (h *html) searches(list []*reply.Search) {
	for _, s := range list {
		words := "Searched the web"
		if s.Status == "failed" {
			words = "The web search failed"
		}
		if len(s.Queries) > 0 {
			words += ": “" + strings.Join(s.Queries, "”, “") + "”"
		}
		h.line("p", "aside", words)
	}
}

func (h *html) call(c wire.ToolCall) {
	h.raw(`<details class="fold"><summary>`)
	h.text("Calls " + c.Name)
	h.raw(`</summary><pre tabindex="0"`)
	h.attr("aria-label", "Arguments of "+c.Name)
	h.raw(">\n")
	h.text(c.Arguments)
	h.raw("</pre></details>")
}

// sources are the pages that an answer names.
func (h *html) sources(list []reply.Citation) {
	seen := map[string]bool{}
	for _, c := range list {
		address, ok := markdown.LinkAddress(c.URL)
		u, err := url.Parse(address)
		if !ok || err != nil || u.Host == "" || seen[address] {
			continue
		}
		if len(seen) == 0 {
			h.raw(`<ul class="citations" aria-label="Sources">`)
		}
		seen[address] = true
		h.raw(`<li><a target="_blank" rel="noopener noreferrer nofollow"`)
		h.attr("href", address)
		h.raw(">")
		if c.Title != "" {
			h.text(c.Title)
		} else {
			h.text(u.Host)
		}
		h.raw("</a></li>")
	}
	if len(seen) > 0 {
		h.raw("</ul>")
	}
}

// problem says what went wrong with an answer. What the gateway sent is not shown,
// nor what its owner should do; addresses, which may be the gateway's, are masked.
func (w *writer) problem(h *html, m wire.Message) {
	words := ""
	switch r := m.Run; {
	case r.Problem != nil:
		words = r.Problem.Message
	case r.State == wire.Interrupted:
		words = "The server stopped during this answer."
	}
	if words = w.s.masked(words); w.hidden {
		words = strings.ReplaceAll(words, m.Run.Model, letter(m.Lane))
	}
	h.line("p", "problem", words)
}

// states are the ends of answers in words.
var states = map[wire.RunState]string{
	wire.Running: "writing", wire.Done: "done", wire.Stopped: "stopped", wire.Failed: "failed",
	wire.Incomplete: "cut short", wire.Interrupted: "interrupted",
}

// state is the line under an answer: how it ended, its time, tokens and cost.
func (w *writer) state(h *html, m wire.Message) {
	r := m.Run
	h.raw(`<footer class="state">`)
	h.line("span", "state-name", states[r.State])
	if r.FirstTokenMS > 0 {
		h.line("span", "", "first token "+span(r.FirstTokenMS))
	}
	if r.DurationMS > 0 {
		h.line("span", "", "took "+span(r.DurationMS))
	}
	about := ""
	if r.Estimated() {
		about = "≈ "
	}
	if r.InputTokens+r.OutputTokens > 0 {
		h.line("span", "", fmt.Sprintf("%s%d tokens in, %d out", about, r.InputTokens, r.OutputTokens))
	}
	if r.CostSource != "" && !w.hidden {
		h.line("span", "", about+money.NanoUSD(r.CostNanoUSD).String())
	}
	if r.Answered != "" && r.Answered != r.Model && !w.hidden {
		h.line("span", "", "answered by "+r.Answered)
	}
	h.raw("</footer>")
}

// span is a time as people read it.
func span(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case d < time.Second:
		return strconv.FormatInt(ms, 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	default:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
}

// fromLog is what of a finished answer is in its log alone: reasoning, searches and
// sources. Where there is none, or much has been read, it is empty.
func (w *writer) fromLog(ctx context.Context, m wire.Message) *reply.Answer {
	r := m.Run
	if r.State == wire.Running || r.ReasoningBytes == 0 && r.Sources == 0 || w.logs+r.Bytes > logsOfPage {
		return &reply.Answer{}
	}
	w.logs += r.Bytes
	_, log, err := w.s.Runs.Open(ctx, w.owner, r.ID)
	if err != nil {
		return &reply.Answer{}
	}
	rd := reply.NewReader(gateway.Endpoint(r.Endpoint), r.ContentType)
	var p []byte
	for at, end := int64(0), false; !end; at += int64(len(p)) {
		p, end, err = log.Read(ctx, p[:0], at, logPiece)
		if err != nil || len(p) == 0 && !end {
			return &reply.Answer{} // it was removed meanwhile
		}
		rd.Push(p)
	}
	rd.Close()
	return rd.Answer()
}
