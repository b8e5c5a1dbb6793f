package gateway

import (
	"encoding/base64"
	"encoding/hex"
	"math/bits"
	"slices"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// minMasked is the shortest key that is masked in replies: a shorter one may
// be a word of the answer.
const minMasked = 8

// mask writes asterisks over the key in what a gateway sends: some repeat it
// in an error's text, and the bytes of a reply are kept and shown. Nothing
// changes its length, so that offsets stay true.
//
// The key is found as it is, in base64 at any place of what was encoded, and in
// hexadecimal; each of these as JSON or an address may escape it, any number of
// times; and as it is, spread over consecutive pieces of one text of a stream
// (see split). Otherwise encoded, or taken apart in another way, it is not
// found: the README says so.
type mask struct {
	forms   []string     // of the key; none: nothing is masked
	first   *[256]uint16 // the forms that may begin with a byte, a bit each
	split   *split
	held    []byte // the end of a read that may be the beginning of the key
	from    int64  // where in the reply held, or what is read next, begins
	scanned int64  // up to where forms were looked for
}

func newMask(key string) mask {
	if len(key) < minMasked || key == gateway.NoKey {
		return mask{}
	}
	m := mask{forms: formsOf(key), first: new([256]uint16), split: newSplit(key)}
	m.first['\\'], m.first['%'] = 1<<len(m.forms)-1, 1<<len(m.forms)-1
	for i, f := range m.forms {
		m.first[f[0]] |= 1 << i
	}
	return m
}

// formsOf is the key as it is, in hexadecimal and in base64. Of the latter the
// characters that hold nothing but bits of the key, for each of the three places
// where it can begin.
func formsOf(key string) []string {
	h := hex.EncodeToString([]byte(key))
	forms := []string{key, h, strings.ToUpper(h)}
	for at, unsure := range []int{0, 2, 3} {
		for _, code := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := code.EncodeToString([]byte(strings.Repeat("\x00", at) + key))
			forms = append(forms, text[unsure:(at+len(key))*8/6])
		}
	}
	slices.Sort(forms[1:])
	return slices.Compact(forms)
}

// cover masks p, which begins with what was held, in place and returns how much
// of it may go on. The rest is held back; nothing is, where nothing follows.
func (m *mask) cover(p []byte, last bool) int {
	if m.forms == nil || len(p) == 0 {
		return len(p)
	}
	n := m.coverForms(p, int(m.scanned-m.from), last)
	m.scanned = m.from + int64(n)
	if held := m.split.cover(p[:n], m.from); !last {
		n = held
	}
	m.held = append(m.held[:0], p[n:]...)
	m.from += int64(n)
	return n
}

// coverForms masks the forms in p from i on and returns up to where no more
// bytes could make a difference.
func (m *mask) coverForms(p []byte, i int, last bool) int {
next:
	for ; i < len(p); i++ {
		forms := m.first[p[i]]
		for ; forms != 0; forms &= forms - 1 {
			form := m.forms[bits.TrailingZeros16(forms)]
			if p[i] == form[0] && i+1 < len(p) && p[i+1] != form[1] && p[i+1] != '\\' && p[i+1] != '%' {
				continue // as all but always
			}
			n, more := match(p[i:], form)
			if more && !last {
				return i
			}
			if n > 0 {
				for j := range p[i : i+n] {
					p[i+j] = '*'
				}
				i += n - 1
				continue next
			}
		}
		for p[i] == '\\' && i+1 < len(p) && p[i+1] == '\\' {
			i++ // these begin nothing that the first of them didn't
		}
	}
	return i
}

// match is how many bytes at the beginning of p stand for the form, 0 if none
// do. more: p ends before that is known.
func match(p []byte, form string) (n int, more bool) {
	for i := range len(form) {
		k, more := unit(p[n:], form[i])
		if k == 0 {
			return 0, more
		}
		n += k
	}
	return n, false
}

// unit is how many bytes at the beginning of p stand for the character c: as it
// is, or escaped as in JSON, or in JSON within JSON, or in an address.
func unit(p []byte, c byte) (n int, more bool) {
	slashes := 0
	for slashes < len(p) && p[slashes] == '\\' {
		slashes++
	}
	rest := p[slashes:]
	switch {
	case len(rest) == 0:
		return 0, slashes < maxSlashes
	case slashes > 0 && rest[0] == 'u':
		if n, more = code(p, slashes+1, 4, c); n > 0 || more {
			return n, more
		}
	}
	switch {
	case c == '\\' && slashes > 0:
		return slashes, false
	case rest[0] == c:
		return slashes + 1, false
	case slashes == 0 && rest[0] == '%':
		return code(p, 1, 2, c)
	}
	return 0, false
}

// maxSlashes bounds how many backslashes are waited behind for what they escape.
const maxSlashes = 256

// code says whether the digits hexadecimal digits at p[at:] are c, and where
// they end.
func code(p []byte, at, digits int, c byte) (n int, more bool) {
	v := 0
	for i := at; i < at+digits; i++ {
		if i == len(p) {
			return 0, true
		}
		d := hexDigit(p[i])
		if d < 0 {
			return 0, false
		}
		v = v<<4 | d
	}
	if v != int(c) {
		return 0, false
	}
	return at + digits, false
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func (m *mask) text(s string) string {
	if m.forms == nil {
		return s
	}
	p := []byte(s)
	m.coverForms(p, 0, true)
	return string(p)
}

// cause masks the words of an error, which go into the log: net/http quotes in
// them what it could not make sense of.
func (m *mask) cause(err error) error {
	if words := err.Error(); m.text(words) != words {
		return maskedError{err, m.text(words)}
	}
	return err
}

type maskedError struct {
	error
	words string
}

func (e maskedError) Error() string { return e.words }
func (e maskedError) Unwrap() error { return e.error }

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
