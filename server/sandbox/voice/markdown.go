package voice

import "strings"

// Markdown returns an answer with every Markdown feature that an answer may
// have, in a fixed order.
func Markdown() string { return everyFeature }

const everyFeature = `# Every Markdown feature

A paragraph with **bold**, *italic*, ***both***, ~~struck~~, ` + "`inline code`" + `, a [link](https://commonmark.org/help/ "with a title"), an autolink <https://go.dev/>, a bare one https://example.com/path?q=1, and a hard  
line break. Characters: & < > " ' © — “quotes” 日本語 العربية 👩‍🚀.

## Heading two

### Heading three

#### Heading four

##### Heading five

###### Heading six

Setext heading
--------------

- a list
- with a second item
  - nested once
    - nested twice
- and a last one with two paragraphs

  This is the second.

1. numbered
2. items
   1. nested
   2. again
3. end

- [x] a task that is done
- [ ] a task that is not

> A quotation.
>
> > One within it, with ` + "`code`" + `.
>
> - and a list

| Left | Centre | Right |
| :--- | :----: | ----: |
| a | b | 1 |
| **bold** | ` + "`a \\| b`" + ` | 1 234.5 |
| [link](https://example.com/) | ~~no~~ yes | −7 |

` + "```go" + `
package main

import "fmt"

// main greets.
func main() {
	for i := range 3 {
		fmt.Printf("%d: Hello, 世界\n", i)
	}
}
` + "```" + `

` + "```python" + `
def fib(n: int) -> int:
    """The n-th Fibonacci number."""
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
` + "```" + `

` + "```json" + `
{"name": "screentest", "free": true, "price": 0.05, "tags": ["a", null]}
` + "```" + `

` + "```diff" + `
- an old line
+ a new line
` + "```" + `

` + "~~~" + `
A fence without a language, with ` + "```" + ` inside.
` + "~~~" + `

    An indented code block.

Inline math $e^{i\pi} + 1 = 0$, and a display:

$$\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}$$

A footnote[^1], an image ![a small square](https://example.com/square.png "not loaded"), and a [reference link][ref].

***

Escaped: \*not italic\*, \# not a heading, 1\. not a list. An HTML comment <!-- hidden -->, a <b>tag</b>, and an entity: &copy; &#8364;.

A very long word: ` + "`" + `Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft` + "`" + `

[^1]: The footnote's text.

[ref]: https://spec.commonmark.org/ "CommonMark"

The end.`

// vocabulary has words of at most seven letters, so that with a space before
// them each is one token.
var vocabulary = strings.Fields(`amber anchor autumn basket beacon birch bridge candle canyon cedar
	circle cloud copper coral crystal desert dune ember falcon fern field forest fossil garden
	glacier granite harbour hazel heron hill horizon island ivory jasmine juniper kettle lantern
	laurel lemon lichen linen magnet maple marble meadow mirror moss nectar nettle north oak
	ocean olive orbit orchard otter paper pebble pepper pine planet plum pollen prairie quartz
	rain raven reed ripple river saffron sand season shadow shell silver sparrow spring stone
	storm summer thistle thunder timber trail tulip valley velvet village violet walnut water
	willow window winter yarrow`)

// Words returns n words, a full stop after every twelfth and a paragraph after
// every sixtieth. The same seed gives the same words; more words only add to
// fewer.
func Words(n int, seed uint64) string {
	var b strings.Builder
	b.Grow(n * 8)
	r := rng(seed)
	for i := range n {
		word := vocabulary[r.n(len(vocabulary))]
		switch {
		case i == 0:
		case i%60 == 0:
			b.WriteString("\n\n")
		default:
			b.WriteByte(' ')
		}
		if i%12 == 0 {
			word = capital(word)
		}
		b.WriteString(word)
		if i%12 == 11 || i == n-1 {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// Repeat returns the first n words of text, said over and over with a blank
// line between.
func Repeat(text string, n int) string {
	words := len(strings.Fields(text))
	if words == 0 {
		return ""
	}
	var b strings.Builder
	for ; n >= words; n -= words {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
	}
	if n > 0 {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(firstWords(text, n))
	}
	return b.String()
}

// firstWords is the beginning of text that has n words, spacing kept.
func firstWords(text string, n int) string {
	in := false
	for i, r := range text {
		if space := r == ' ' || r == '\n' || r == '\t'; space && in {
			in = false
			if n--; n == 0 {
				return text[:i]
			}
		} else if !space {
			in = true
		}
	}
	return text
}
