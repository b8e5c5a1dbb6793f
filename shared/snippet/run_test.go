package snippet

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"screentest/shared/gateway"
)

// nasty are bodies with what each language has to write otherwise.
func nasty() []string {
	return []string{
		"", " ", "\n", "\n\n", "'", "''", "'''", "''''", `"`, `"""`, "`", "``", "```\ncode\n```", "a`b`c",
		`\`, `\\`, `ends in \`, `'\''`, `\'''`, `\n`, `\u0041`, `\x41`, `\N{BULLET}`, `\101`, "$HOME", "${HOME}", "$(id)", "`id`", "!!", "!event",
		"%s %d %% %", "@key @url @body", "#comment", "--data", "-n", "\\c", "\x00", "\x00\x01\x7f", "\r", "\r\n", "\t", "a\tb", "\x1b[31m",
		"\ufeff", "a\ufeffb", "\u2028\u2029", "\u202e\u2066", "\u0085", "é", "你好", "🙂", "👩\u200d👩\u200d👧", "\u00a0", "\ufffd", "\U0010ffff",
		"\xff", "\xc3", "\xed\xa0\x80", "\xf0\x9f\x99", "a\xffb'c\\d`e\n",
		`{"model":"zeta-1","messages":[{"role":"user","content":"It's a \"test\" \\ of ` + "`code`" + ` and ${x} and '''"}]}`,
		"{\n\t\"a\": 1\r\n}", strings.Repeat("`'\\$\"", 500), strings.Repeat("x", 200_000), strings.Repeat("'\x01", 60_000),
	}
}

// bodies are those, and random ones made of them.
func bodies() []string {
	all := nasty()
	short := all[:len(all)-3]
	r := rand.New(rand.NewPCG(4, 4))
	for range 400 {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(short[r.IntN(len(short))])
			if r.IntN(3) == 0 {
				b.WriteByte(byte(r.IntN(256)))
			}
		}
		all = append(all, b.String())
	}
	return all
}

// Whatever bytes a body has, each language reads them again from what is
// written: one program a language prints all of them.
func TestEveryBodySurvives(t *testing.T) {
	all := bodies()
	for _, l := range Languages() {
		t.Run(string(l), func(t *testing.T) {
			t.Parallel()
			var program strings.Builder
			switch l {
			case Go:
				program.WriteString("package main\n\nimport \"fmt\"\n\nfunc main() {\n")
			case Python:
				program.WriteString("# coding: utf-8\n")
			}
			for _, b := range all {
				p := []byte(b)
				plain(t, l, Write(l, Request{"http://localhost", gateway.Chat, p}))
				switch l {
				case Curl:
					pipe, data := curlBody(p)
					if pipe == "" {
						pipe = "printf '%s' " + strings.TrimPrefix(data, "--data-raw ") + " |\n"
					}
					program.WriteString(pipe + "od -An -v -tx1 | tr -d ' \\n'\necho\n")
				case Go:
					fmt.Fprintf(&program, "\tfmt.Printf(\"%%x\\n\", %s)\n", goQuote(p))
				case Python:
					fmt.Fprintf(&program, "print(%s.hex())\n", pythonQuote(p))
				case JavaScript:
					fmt.Fprintf(&program, "console.log(Buffer.from(%s).toString('hex'));\n", javaScriptQuote(p))
				}
			}
			if l == Go {
				program.WriteString("}\n")
			}
			lines := strings.Split(runProgram(t, l, program.String()), "\n")
			if len(lines) != len(all)+1 {
				t.Fatalf("%d lines for %d bodies", len(lines)-1, len(all))
			}
			for i, want := range all {
				got, err := hex.DecodeString(lines[i])
				if err != nil || string(got) != want {
					t.Fatalf("body %d: %.300q came out as %.300q (%v)", i, want, got, err)
				}
			}
		})
	}
}

// runProgram runs a program in a language and returns what it prints.
func runProgram(t *testing.T, l Language, program string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	file := filepath.Join(t.TempDir(), l.File())
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	command := map[Language][]string{
		Curl: {"sh"}, Go: {"go", "run"}, Python: {"python3"}, JavaScript: {"node"},
	}[l]
	if _, err := exec.LookPath(command[0]); err != nil {
		if os.Getenv("SCREENTEST_NO_"+strings.ToUpper(command[0])) != "" { // make test has said so aloud
			t.Skipf("NOT RUN: there is no %s", command[0])
		}
		t.Fatalf("this test runs what it writes with %s (.ci/install)", command[0])
	}
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], file)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command[0], err, &stderr)
	}
	return string(out)
}

// The quoting of Go and the shell, held against readers of our own; the test
// above runs the real ones.
func FuzzWrite(f *testing.F) {
	for _, b := range nasty() {
		if len(b) < 10_000 {
			f.Add([]byte(b))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, ep := range []gateway.Endpoint{gateway.Chat, gateway.Responses, gateway.Video} {
			for _, l := range Languages() {
				text := Write(l, Request{"http://localhost", ep, body})
				plain(t, l, text)
				if text == "" {
					t.Fatal("nothing was written")
				}
			}
		}
		pipe, data := curlBody(body)
		got := ""
		switch {
		case pipe == "":
			got = unquoteShell(t, strings.TrimPrefix(data, "--data-raw "))
		case strings.HasPrefix(pipe, "printf '%s' '"):
			got = unquoteShell(t, strings.TrimSuffix(strings.TrimPrefix(pipe, "printf '%s' "), " |\n"))
		default:
			got = printfB(t, unquoteShell(t, strings.TrimSuffix(strings.TrimPrefix(pipe, "printf '%b' "), " |\n")))
		}
		if got != string(body) {
			t.Errorf("a shell would send %q for %q", got, body)
		}
		if utf8.Valid(body) {
			if q := pythonQuote(body); strings.HasPrefix(q, "r'''") && strings.Contains(strings.TrimSuffix(q[4:], "'''.encode()"), "'''") {
				t.Errorf("Python would end the string early: %s", q)
			}
		}
	})
}

// unquoteShell reads a word of a shell as POSIX says: between single quotes
// nothing is special; a backslash outside of them takes the next character.
func unquoteShell(t *testing.T, word string) string {
	t.Helper()
	var out strings.Builder
	quoted := false
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
			out.WriteByte(c)
		case c == '\\' && i+1 < len(word):
			i++
			out.WriteByte(word[i])
		default:
			t.Fatalf("%q stands unquoted in %q", c, word)
		}
	}
	if quoted {
		t.Fatalf("the quote is not closed: %q", word)
	}
	return out.String()
}

// printfB is what printf's %b writes for an argument, as POSIX says.
func printfB(t *testing.T, arg string) string {
	t.Helper()
	var out strings.Builder
	for i := 0; i < len(arg); i++ {
		if arg[i] != '\\' {
			out.WriteByte(arg[i])
			continue
		}
		rest := arg[i+1:]
		switch {
		case strings.HasPrefix(rest, `\`):
			out.WriteByte('\\')
			i++
		case strings.HasPrefix(rest, "n"):
			out.WriteByte('\n')
			i++
		case len(rest) >= 4 && rest[0] == '0':
			out.WriteByte((rest[1]-'0')<<6 | (rest[2]-'0')<<3 | (rest[3] - '0'))
			i += 4
		default:
			t.Fatalf("a backslash before %.4q in %q", rest, arg)
		}
	}
	return out.String()
}
