// Package markdown turns Markdown into a small tree of neutral nodes that the
// page draws with createElement and textContent.
package markdown

// A Renderer turns Markdown into Nodes. Its parser and lexers are made on
// first use, so that making a Renderer costs nothing. The zero value is ready.
type Renderer struct{}

// Render draws a whole document. Joined, its blocks are the same tree that a
// Stream gives for the same text, however that was cut.
func (r *Renderer) Render(source string) []Block { return nil }

// NewStream starts a growing document.
func (r *Renderer) NewStream() *Stream { return &Stream{r: r} }
