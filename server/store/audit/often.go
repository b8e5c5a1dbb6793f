package audit

import (
	"slices"
	"time"
)

// What a stranger can cause as often as they like is not to fill the disk, nor
// to hide something among thousands of lines.

// gatherFor is how long the same is counted, after the line of the first time,
// before a line says how many more there were.
const gatherFor = time.Minute

// maxOften is how many of different kinds are told apart meanwhile. All others
// count together, under their action alone.
const maxOften = 100

// oftenActions are those of strangers.
var oftenActions = []string{"signin.failed", "signin.code_failed"}

// An often is what is counted together.
type often struct{ person, action, object, address string }

// counted says whether an entry was counted, in place of a line of its own.
func (l *Log) counted(e Entry) bool {
	if !slices.Contains(oftenActions, e.Action) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	k := often{e.Person, e.Action, e.Object, e.Address}
	n, again := l.often[k]
	if !again && len(l.often) >= maxOften {
		k = often{action: e.Action}
		n, again = l.often[k]
		if !again {
			again = true // it has no line of its own yet
		}
	}
	if !again {
		l.often[k] = 0
	} else {
		l.often[k] = n + 1
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(gatherFor, l.tell)
	}
	return again
}

// tell writes a line of each that came again: "times" is how many there were
// besides the first, or, without person, object and address, of all those that
// were not told apart.
func (l *Log) tell() {
	l.mu.Lock()
	all := l.often
	if l.timer != nil {
		l.timer.Stop()
	}
	l.often, l.timer = map[often]int{}, nil
	l.mu.Unlock()
	for k, n := range all {
		if n > 0 {
			l.post(Entry{Person: k.person, Action: k.action, Object: k.object, Address: k.address, Detail: map[string]any{"times": n}})
		}
	}
}
