package wire

// VideoQuery asks for tasks. An empty field asks for all.
type VideoQuery struct {
	// Deleted asks for the deleted ones; without it none of them is found.
	Deleted bool `json:"deleted,omitempty"`
	// States is any of VideoState.
	States    []VideoState `json:"states,omitempty"`
	Modes     []string     `json:"modes,omitempty"`
	Models    []string     `json:"models,omitempty"`
	Tag       string       `json:"tag,omitempty"`
	Favourite bool         `json:"favourite,omitempty"`
	Pinned    bool         `json:"pinned,omitempty"`
	Archived  bool         `json:"archived,omitempty"`
	// Gone is GoneOnly or GoneOut, of the expired tasks that have no copy here.
	Gone Gone `json:"gone,omitempty"`
	// Text is words that all occur in the prompt, the shots, the title, the
	// tags or the model, in any case.
	Text string `json:"text,omitempty"`
	From int64  `json:"from,omitempty"` // Unix milliseconds of the creation
	To   int64  `json:"to,omitempty"`   // up to but not including
	// Sort is the order. The deleted ones have the newest or the oldest first.
	Sort   VideoSort `json:"sort,omitempty"`
	Before string    `json:"before,omitempty"`
	Limit  int       `json:"limit,omitempty"`
}

// VideoSort is an order of tasks. Of equals the newest is first, by name the oldest.
type VideoSort string

// The orders.
const (
	ClipsNewest VideoSort = ""
	ClipsOldest VideoSort = "oldest"
	ClipsCost   VideoSort = "cost"   // the dearest first, by PriceNanoUSD
	ClipsLength VideoSort = "length" // the longest first, by Seconds
	ClipsName   VideoSort = "name"   // by SortName
)

// SortName is what a task is sorted by among names: the first 60 characters of
// its title, else of its prompt, with the letters A to Z small.
func (t VideoTask) SortName() string {
	name := t.Title
	if name == "" {
		name = t.Prompt
	}
	n, end := 0, len(name)
	for i := range name {
		if n == 60 {
			end = i
			break
		}
		n++
	}
	b := []byte(name[:end])
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// Gone says what a query wants of tasks whose clip plays no more: the gateway
// has deleted it, and there is no copy in the archive.
type Gone string

// What can be wanted of them.
const (
	GoneOnly Gone = "only"
	GoneOut  Gone = "out"
)

// VideoPage is a stretch of the gallery; Before is empty at its end. The
// counts are on the first page only.
type VideoPage struct {
	Tasks  []VideoTask `json:"tasks"`
	Before string      `json:"before,omitempty"`
	Counts *VideoCount `json:"counts,omitempty"`
	Found  *VideoFound `json:"found,omitempty"`
}

// VideoFound counts what a query finds by state, whatever States, Gone and
// Deleted it asks for.
type VideoFound struct {
	States  map[string]int `json:"states"` // by VideoState, without the deleted ones
	Gone    int            `json:"gone"`   // of the expired ones, those that play no more
	Deleted int            `json:"deleted"`
}

// VideoCount is over all tasks of the owner that are not deleted, whatever the
// query.
type VideoCount struct {
	All    int            `json:"all"`
	States map[string]int `json:"states"` // by VideoState
	Models map[string]int `json:"models"`
	Tags   []VideoTag     `json:"tags"` // the commonest first, at most 100
	Modes  map[string]int `json:"modes"`
}

// VideoTag is a tag and how many tasks have it.
type VideoTag struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

// VideoOpened is one task with where it comes from and what became of it.
type VideoOpened struct {
	Task VideoTask `json:"task"`
	// Ancestors are its source, the source of that, and so on: the original
	// last. Deleted ones are among them, marked.
	Ancestors []VideoTask `json:"ancestors,omitempty"`
	// Descendants are all that was made from it, the oldest first; each names
	// its Source.
	Descendants []VideoTask `json:"descendants,omitempty"`
	// LineageNanoUSD is what the original and all that was made of it have
	// cost together: charges less returns.
	LineageNanoUSD int64 `json:"lineage_nano_usd"`
	// ShownNanoUSD is that of Task, Ancestors and Descendants alone.
	ShownNanoUSD int64 `json:"shown_nano_usd"`
}
