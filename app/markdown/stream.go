package markdown

// A Block is a closed piece of a document: one or more top-level elements
// that no later text can change.
type Block struct {
	Nodes []Node
	Size  int // bytes of Markdown it was drawn from, for grouping into chunks
}

// A Tail is what to show after the last closed block.
//
// When Fresh, remove what is shown of the tail and draw Nodes; else leave it.
// Then append Text to the text of the tail's element with class OpenClass (it
// is there whenever Text is not empty). So an open code block of any length
// costs an appendData a frame and is never drawn again.
type Tail struct {
	Fresh bool
	Nodes []Node
	Text  string
}

// OpenClass is the class of the one element in a tail that takes Tail.Text.
const OpenClass = "md-open"

// A Stream draws a document that is still growing. It is for one goroutine.
type Stream struct {
	r *Renderer
}

// Append adds text, cut anywhere (even inside a character), and returns the
// blocks that it closed. They are final: draw them once.
func (s *Stream) Append(text string) []Block { return nil }

// Tail returns how to show the open rest. Call it at most once a frame, after
// the closed blocks of the frame were drawn.
func (s *Stream) Tail() Tail { return Tail{} }

// Close ends the document and returns its last blocks; the tail is then empty.
// When redraw is true, a link definition or a footnote changes blocks that
// were returned before: draw Renderer.Render of the whole text instead.
func (s *Stream) Close() (closed []Block, redraw bool) { return nil, false }
