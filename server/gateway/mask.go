package gateway

import (
	"bytes"
	"strings"

	"screentest/shared/wire"
)

// minMasked is the shortest key that is masked in replies: a shorter one may
// be a word of the answer.
const minMasked = 8

// mask writes asterisks over the key in what a gateway sends: some repeat it
// in an error's text, and the bytes of a reply are kept and shown. Nothing
// changes its length, so that offsets stay true.
type mask struct {
	key   []byte // nil: nothing is masked
	stars []byte
	held  []byte // the end of a read that may be the beginning of the key
}

func newMask(key string) mask {
	if len(key) < minMasked {
		return mask{}
	}
	return mask{key: []byte(key), stars: bytes.Repeat([]byte{'*'}, len(key))}
}

// cover masks p in place and returns how much of it may go on; the rest is
// held back, unless nothing follows.
func (m *mask) cover(p []byte, last bool) int {
	if m.key == nil || len(p) == 0 {
		return len(p)
	}
	for rest := p; ; {
		i := bytes.Index(rest, m.key)
		if i < 0 {
			break
		}
		rest = rest[i:]
		copy(rest, m.stars)
		rest = rest[len(m.stars):]
	}
	if last || bytes.IndexByte(m.key, p[len(p)-1]) < 0 {
		return len(p)
	}
	for n := min(len(m.key)-1, len(p)); n > 0; n-- {
		if bytes.HasSuffix(p, m.key[:n]) {
			m.held = append(m.held[:0], p[len(p)-n:]...)
			return len(p) - n
		}
	}
	return len(p)
}

func (m *mask) text(s string) string {
	if m.key == nil {
		return s
	}
	return strings.ReplaceAll(s, string(m.key), string(m.stars))
}

// problem masks the words of a problem. Those of its fields that were cut may
// end within the key; the body they come from was masked before.
func (m *mask) problem(p *wire.Problem) *wire.Problem {
	for _, s := range []*string{&p.Code, &p.Message, &p.Hint, &p.Field, &p.Request, &p.Raw} {
		*s = m.text(*s)
	}
	for i := range p.Allowed {
		p.Allowed[i] = m.text(p.Allowed[i])
	}
	return p
}
