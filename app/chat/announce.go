package chat

import (
	"regexp"
	"strings"
)

// Announcer cuts a growing answer into sentences for a screen reader, which
// would stammer if it were given every token. The zero value is ready.
type Announcer struct {
	seen  int // bytes of the answer that were announced or passed over
	fence bool
}

// atOnce bounds what is announced at once, in bytes. Of an answer that comes
// faster than anybody can listen, only the end is read.
const atOnce = 4 << 10

// Next returns the whole sentences that text has beyond what was returned
// before, without Markdown's marks; code is named, not read. End returns the
// rest too. text has to begin with what it was before.
func (a *Announcer) Next(text string, end bool) string {
	if len(text) < a.seen {
		a.seen = 0 // the answer was replaced
	}
	rest := text[a.seen:]
	n := len(rest)
	if !end {
		n = lastStop(rest)
	}
	if n == 0 {
		return ""
	}
	a.seen += n
	var out []string
	left := n
	for line := range strings.Lines(rest[:n]) {
		late := left > atOnce
		left -= len(line)
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			a.fence = !a.fence
			if a.fence && !late {
				out = append(out, "Code block.")
			}
			continue
		}
		if a.fence || late {
			continue
		}
		if line = plain(line); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, " ")
}

// lastStop returns the length of text up to its last whole sentence or line.
func lastStop(text string) int {
	n := strings.LastIndexByte(text, '\n') + 1
	if n == len(text) || strings.Contains(text[n:], "`") {
		return n
	}
	for i := len(text) - 2; i >= n; i-- {
		if (text[i] == '.' || text[i] == '!' || text[i] == '?') && text[i+1] == ' ' {
			return i + 2
		}
	}
	return n
}

var (
	links = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	marks = strings.NewReplacer("**", "", "__", "", "`", "", "~~", "", "|", " ", "#", "", "$", "")
)

// plain takes the commonest of Markdown's marks from a line.
func plain(line string) string {
	line = marks.Replace(links.ReplaceAllString(line, "$1"))
	line = strings.TrimLeft(line, "*->+ ")
	if strings.Trim(line, "-=: ") == "" {
		return ""
	}
	return strings.Join(strings.Fields(line), " ")
}
