// Package tokens counts the tokens of a text for which a gateway reported no
// usage. Make a [Counter] and call Count.
//
// It counts with cl100k_base, a vocabulary of OpenAI's for text and code; the
// newer o200k_base would be 3 MB more of a binary that is to stay under 40.
// Another model's own may make some more or fewer of the same text, so that the
// figure stays an estimate; four characters a token, the rule of thumb, is off
// by a factor of two to four for code, figures and most other scripts than
// Latin.
package tokens

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Name is the vocabulary, as a cost's basis names it.
const Name = "cl100k_base"

const (
	// maxPiece bounds what is counted at a time, in bytes: joining the bytes of
	// a word takes the square of its length, and a text may be one word.
	maxPiece = 2 << 10
	// maxCounted bounds what of a text is counted; the rest is taken to be like
	// it. It takes some 0.3 s.
	maxCounted = 1 << 20
)

// Counter counts tokens. The zero value is ready; its first use takes some
// 10 ms and 10 MB, which are kept. It may be used from any goroutine.
type Counter struct {
	once  sync.Once
	codec *codec.Codec
}

// Name is the vocabulary's name.
func (*Counter) Name() string { return Name }

// Count returns how many tokens text has.
func (c *Counter) Count(text string) int64 {
	if text == "" {
		return 0
	}
	c.once.Do(func() { c.codec = codec.NewCl100kBase() })
	counted := text
	if len(counted) > maxCounted {
		counted = counted[:cut(counted, maxCounted)]
	}
	var n int64
	for rest := counted; rest != ""; {
		at := cut(rest, maxPiece)
		n += c.piece(rest[:at])
		rest = rest[at:]
	}
	if len(counted) < len(text) {
		n = n * int64(len(text)) / int64(len(counted))
	}
	return n
}

func (c *Counter) piece(s string) int64 {
	n, err := c.codec.Count(s)
	if err != nil {
		// The library's pattern gave up on it: a token has four bytes or so.
		return int64(len(s)+3) / 4
	}
	return int64(n)
}

// cut is where to end a piece of at most most bytes: before its last space, for
// a space belongs to the word after it, or at least between two characters.
func cut(s string, most int) int {
	if len(s) <= most {
		return len(s)
	}
	if at := strings.LastIndexAny(s[:most], " \n\t"); at > most/2 {
		return at
	}
	at := most
	for at > most-utf8.UTFMax && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}
