package voice

import (
	"regexp"
	"strings"
	"unicode"
)

// language is one that an example can be written in. In its code {id} is a
// name made from the subject and {s} the subject; each runs as it stands.
type language struct {
	name    string
	pattern *regexp.Regexp
	code    string
	camel   bool // names are inCamelCase, else with_underscores
}

// languages are tried in this order; the first is what nobody asked against.
var languages = []language{
	{"go", regexp.MustCompile(`(?i)\b(go|golang)\b`), `package main

import (
	"fmt"
	"slices"
)

// {id}: {s}, in its smallest useful form.
func {id}(in []rune) []rune {
	out := slices.Clone(in)
	slices.Reverse(out)
	return out
}

func main() {
	fmt.Println(string({id}([]rune("desserts"))))
}`, true},
	{"python", regexp.MustCompile(`(?i)\bpython\b`), `from collections import Counter


def {id}(lines):
    """{S}, in its smallest useful form."""
    seen = Counter(word.lower() for line in lines for word in line.split())
    return seen.most_common(3)


if __name__ == "__main__":
    print({id}(["to be or not to be", "that is the question"]))`, false},
	{"typescript", regexp.MustCompile(`(?i)\btypescript\b`), `// {S}, in its smallest useful form.
export function {id}<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return groups;
}

console.log({id}(["ash", "oak", "alder"], (tree) => tree[0]!));`, true},
	{"javascript", regexp.MustCompile(`(?i)\b(javascript|js|node|html|css|json)\b`), `// {S}, in its smallest useful form.
function {id}(items, wait = 100) {
  return items.reduce(
    (before, item) => before.then(() => new Promise((done) => setTimeout(() => done(console.log(item)), wait))),
    Promise.resolve(),
  );
}

{id}(["ready", "steady", "go"]);`, true},
	{"rust", regexp.MustCompile(`(?i)\brust\b`), `/// {S}, in its smallest useful form.
fn {id}(text: &str) -> Option<&str> {
    text.split_whitespace().max_by_key(|word| word.len())
}

fn main() {
    println!("{:?}", {id}("the quick brown fox"));
}`, false},
	{"sql", regexp.MustCompile(`(?i)\b(sql|query|database)\b`), `-- {S}, in its smallest useful form.
WITH days(day, n) AS (
  VALUES ('Mon', 3), ('Tue', 5), ('Wed', 2)
)
SELECT day, n, sum(n) OVER (ORDER BY rowid_) AS so_far
FROM (SELECT day, n, row_number() OVER () AS rowid_ FROM days);`, false},
	{"bash", regexp.MustCompile(`(?i)\b(bash|shell|script)\b`), `#!/usr/bin/env bash
# {S}, in its smallest useful form.
set -euo pipefail

{id}() {
  sort | uniq -c | sort -rn | head -n "${1:-3}"
}

printf '%s\n' tea coffee tea water tea coffee | {id} 2`, false},
}

func snippet(w *writer) {
	l := &languages[0]
	for i := range languages {
		if languages[i].pattern.MatchString(cut(w.r.Prompt, 2000)) {
			l = &languages[i]
			break
		}
	}
	w.block("```"+l.name, strings.ReplaceAll(l.code, "{id}", identifier(w.subject, l.camel)), "```")
}

// identifier makes a name of the subject's first words.
func identifier(subject string, camel bool) string {
	var out string
	n := 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(subject), func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) }) {
		switch {
		case n == 0:
			out = word
		case camel:
			out += capital(word)
		default:
			out += "_" + word
		}
		if n++; n == 3 {
			break
		}
	}
	if n < 2 && len(out) < 12 {
		// No single word here is a keyword of any language once "it" follows.
		if camel {
			return "try" + capital(out)
		}
		return "try_" + strings.TrimSuffix("it_"+out, "_")
	}
	return cut(out, 40)
}
