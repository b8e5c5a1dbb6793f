package shown

import (
	"compress/gzip"
	"context"
	"net/http"
	"strings"
	"time"

	"screentest/server/sight"
	"screentest/shared/wire"
)

// doc is what a page shows of a conversation, the same for all who see it.
func (w *writer) doc(ctx context.Context, t thread) *node {
	root := &node{id: "doc", open: `<div id="doc">`, close: "</div>"}
	leaf := func(tag, id string, inside func(h *html)) {
		var h html
		h.el(tag, []string{"id", id}, func() { inside(&h) })
		root.kids = append(root.kids, &node{id: id, open: string(h)})
	}
	leaf("h1", "title", func(h *html) { h.text(t.title) })
	if t.hidden {
		leaf("p", "hidden-names", func(h *html) {
			h.text("The models are shown without their names until " + w.asker + " has voted for an answer.")
		})
	}
	if t.earlier != "" {
		leaf("p", "earlier", func(h *html) {
			h.raw("<a")
			h.attr("href", "?before="+t.earlier)
			h.raw(">Earlier messages</a>")
		})
	}
	thread := &node{id: "thread", open: `<div id="thread">`, close: "</div>"}
	for _, turn := range t.turns {
		thread.kids = append(thread.kids, w.turn(ctx, turn))
	}
	root.kids = append(root.kids, thread)
	if len(t.turns) == 0 {
		leaf("p", "empty", func(h *html) { h.text("Nothing was asked here yet.") })
	}
	if t.later {
		leaf("p", "later", func(h *html) { h.raw(`<a href="?">The newest messages</a>`) })
	}
	return root
}

// A content is what a page shows.
type content struct {
	title string
	html  string
	from  string // the last patch that is in html; "" where none follows
}

// page is the whole page.
func (s *Service) page(v Viewer, key string, seen sight.Sight, c content) []byte {
	var h html
	s.head(&h, c.title)
	h.raw(`<body><header class="top"><a class="brand" href="/">Screentest</a><p>`)
	h.text("Shared by " + seen.OwnerName)
	if seen.Kind == wire.ShareConversation && !seen.Live {
		h.text(", as it was on " + day(seen.CreatedMS))
	}
	if seen.ExpiresMS > 0 {
		h.text(", until " + day(seen.ExpiresMS))
	}
	h.raw(`</p><p id="live" role="status"></p></header><main id="main"`)
	h.attr("data-share", key)
	if c.from != "" {
		h.attr("data-from", c.from)
	}
	if v.Owner != "" {
		h.raw(" data-person")
	}
	if v.Member {
		h.raw(" data-member")
	}
	if seen.ByLink {
		h.raw(" data-link")
	}
	h.raw(">", c.html, "</main>")
	if c.from != "" {
		h.raw(`<noscript><p class="note">What is added shows when the page is loaded again.</p></noscript>`)
	}
	if v.Owner == "" {
		h.raw(`<footer class="note"><a`)
		h.attr("href", wire.SharePath+key+"?in")
		h.raw(`>Sign in to continue in a copy</a></footer>`)
	}
	h.raw("</body></html>\n")
	return h
}

func (s *Service) head(h *html, title string) {
	h.raw(`<!doctype html><html lang="en"><head><meta charset="utf-8">`,
		`<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">`,
		`<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>`)
	h.text(title + " · Screentest")
	h.raw(`</title><link rel="icon" type="image/svg+xml"`)
	h.attr("href", s.File("/web/icon.svg"))
	h.raw(`><link rel="stylesheet"`)
	h.attr("href", s.File("/web/shown.css"))
	h.raw(`><script type="module"`)
	h.attr("src", s.File("/web/shown.js"))
	h.raw("></script></head>")
}

// note is a page that says one thing.
func (s *Service) note(title, words string) []byte {
	var h html
	s.head(&h, title)
	h.raw(`<body><header class="top"><a class="brand" href="/">Screentest</a></header><main id="main">`)
	h.line("h1", "", title)
	h.line("p", "", words)
	h.raw("</main></body></html>\n")
	return h
}

// arrive is a page that loads itself again. A link on another site leads here
// without the session, which a browser keeps back from there; the second time it
// comes from here.
func (s *Service) arrive() []byte {
	return []byte(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0"><title>Screentest</title></head><body></body></html>` + "\n")
}

func day(ms int64) string { return time.UnixMilli(ms).UTC().Format("2 January 2006, 15:04 UTC") }

// notShown is what is said of what there is nothing to see of, whatever the reason.
const (
	notShownTitle = "Nothing is shared here"
	notShownWords = "It may never have been shared, is not shared any more, or is not shared with you."
)

// send answers with a page, compressed where that is understood.
func send(w http.ResponseWriter, r *http.Request, status int, page []byte) {
	h := w.Header()
	private(h)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Vary", "Accept-Encoding")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.WriteHeader(status)
		_, _ = w.Write(page) // an error means that nobody reads it any more
		return
	}
	h.Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	z := gzip.NewWriter(w)
	_, _ = z.Write(page)
	_ = z.Close()
}

// private keeps an answer out of caches, indexes and the addresses that are told to
// other sites.
func private(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	h.Set("Referrer-Policy", "no-referrer")
}
