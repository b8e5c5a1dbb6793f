package peer

import (
	"errors"
	"sync"
	"time"
)

// maxWords bounds how many requests are remembered, of twice [goodFor].
const maxWords = 1 << 18

// once remembers the words of requests for as long as these are good, so that each is
// taken once. It is ready as it is.
type once struct {
	mu          sync.Mutex
	now, before map[string]struct{}
	since       time.Time // when now was begun
}

// take remembers a word; an error says that it was there, or that there are too many.
// Only words of those who have the key come here.
func (o *once) take(word string, at time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch age := at.Sub(o.since); {
	case o.now == nil || age >= 4*goodFor:
		o.now, o.before, o.since = map[string]struct{}{}, nil, at
	case age >= 2*goodFor:
		o.now, o.before, o.since = map[string]struct{}{}, o.now, at
	}
	_, is := o.now[word]
	_, was := o.before[word]
	switch {
	case is || was:
		return errors.New("it was made before: somebody repeats what a replica has said")
	case len(o.now) >= maxWords:
		return errors.New("too many requests came within a minute")
	}
	o.now[word] = struct{}{}
	return nil
}
