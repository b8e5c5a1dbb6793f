package gateway

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every number of the contract has its cases, here or in the package that the
// fact is about, or a reason why no code can show it. A case counts where its
// number stands in a name: a string or an identifier of a *_test.go file, such
// as t.Run("F58 a leading zero", …) or TestG39….

const (
	lastFact     = 170
	lastDecision = 54
)

// untestable are the facts that no code can show.
var untestable = map[string]string{
	"F52":  "an absence: there are no webhooks to receive, so there is only polling (G36)",
	"F161": "an absence: the document does not show the key error; what is taken for it is G1",
	"F169": "an absence: the document gives no limits; what a gateway that has some answers is in S (429)",
}

// elsewhere are the packages whose tests show a fact, all of those named.
var elsewhere = map[string][]string{
	// How a gateway is called.
	"F1":   {"server/gateway"},                   // base URL joined without a doubled slash
	"F118": {"server/gateway"},                   // status by task_ id, never a UUID
	"F159": {"server/gateway"},                   // Authorization on every call
	"F160": {"server/gateway"},                   // on polls too
	"G35":  {"server/gateway"},                   // creation is never repeated
	"G40":  {"server/gateway"},                   // result URLs without the key
	"G1":   {"server/gateway", "server/sandbox"}, // wrong key

	// What a gateway says.
	"F28":  {"shared/reply"}, // the reply's Content-Type decides
	"F40":  {"shared/reply"}, // non-stream bodies
	"F41":  {"shared/reply"},
	"F42":  {"shared/reply"},
	"F43":  {"shared/reply"},
	"F44":  {"shared/reply"},
	"F45":  {"shared/reply"},
	"F46":  {"shared/reply"},
	"F47":  {"shared/reply"},
	"F48":  {"shared/reply"},
	"F49":  {"shared/reply"},
	"F50":  {"shared/reply"},
	"F51":  {"shared/reply"},
	"F91":  {"shared/reply"}, // creation reply
	"F92":  {"shared/reply"},
	"F93":  {"shared/reply"},
	"F94":  {"shared/reply"},
	"F95":  {"shared/reply"},
	"F96":  {"shared/reply"}, // status reply
	"F97":  {"shared/reply"},
	"F99":  {"shared/reply"},
	"F100": {"shared/reply"},
	"F101": {"shared/reply"},
	"F103": {"shared/reply"},
	"F106": {"shared/reply"}, // every url of output
	"F163": {"shared/reply"}, // fail_reason
	"F164": {"shared/reply"}, // the shapes of errors

	// What a gateway does.
	"F2":   {"server/sandbox"}, // one account per key
	"F105": {"server/sandbox"}, // an expired file answers 404
	"F108": {"server/sandbox"},
	"F109": {"server/sandbox"},
	"F110": {"server/sandbox"},
	"F111": {"server/sandbox"},
	"F112": {"server/sandbox"},
	"F117": {"server/sandbox"},
	"F119": {"server/sandbox"}, // nothing else answers
	"F156": {"server/sandbox"}, // 100 MB
	"F157": {"server/sandbox"}, // the result lasts as the clip
	"G2":   {"server/sandbox"},
	"G4":   {"server/sandbox"},
	"G38":  {"server/sandbox"},

	// What we make of it.
	"F113": {"server/video"}, // a failure may follow any state
	"G32":  {"server/video"}, // states in any order; the end stays
	"G37":  {"app/video"},    // a warning on day 12

	// Facts of the validator that the sandbox enforces by itself, too.
	"G17": {"shared/gateway", "server/sandbox"},
	"G18": {"shared/gateway", "server/sandbox"},
	"G19": {"shared/gateway", "server/sandbox"},
	"G21": {"shared/gateway", "server/sandbox"},
	"G22": {"shared/gateway", "server/sandbox"},
	"G41": {"shared/gateway", "server/sandbox"},
}

// oneWay are the validator's facts whose cases go one way: there is nothing to
// refuse, or nothing but a warning anybody could miss.
var oneWay = map[string]string{
	"F3": "an endpoint", "F4": "an endpoint", "F5": "an endpoint",
	"F11": "everything is free", "F19": "everything is free", "F20": "everything is free",
	"G7": "it is allowed", "G8": "it is allowed",
	"G10": "the other way is in its own test",
}

func TestEveryNumberHasItsCases(t *testing.T) {
	root := filepath.Join("..", "..")
	named, err := numbersNamed(root)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for n := 1; n <= lastFact; n++ {
		all = append(all, fmt.Sprintf("F%d", n))
	}
	for n := 1; n <= lastDecision; n++ {
		all = append(all, fmt.Sprintf("G%d", n))
	}
	for _, number := range all {
		reason, isUntestable := untestable[number]
		places, isElsewhere := elsewhere[number]
		switch {
		case isUntestable && isElsewhere:
			t.Errorf("%s: has a place, and a reason for having none", number)
		case isUntestable && len(reason) < 20:
			t.Errorf("%s: %q is no reason", number, reason)
		case isUntestable:
			continue
		case !isElsewhere:
			places = []string{"shared/gateway"}
		}
		for _, place := range places {
			if len(named[number][place]) == 0 {
				t.Errorf("%s: no case in %s", number, place)
			}
		}
		t.Logf("%-5s %s", number, strings.Join(summary(named[number]), "; "))
	}
	for _, list := range []map[string]bool{keys(untestable), keys(elsewhere), keys(oneWay)} {
		for number := range list {
			if !slices.Contains(all, number) {
				t.Errorf("%s is no number of the contract", number)
			}
		}
	}
}

// A fact of the validator is shown both ways: a request that goes, and one
// that does not, or is warned of.
func TestFactsAreShownBothWays(t *testing.T) {
	good, bad := map[string]int{}, map[string]int{}
	for _, c := range factCases() {
		if c.want == "clean" || c.want == "ok" {
			good[c.fact]++
		} else {
			bad[c.fact]++
		}
	}
	for number := range keys(good, bad) {
		both := good[number] > 0 && bad[number] > 0
		switch reason := oneWay[number]; {
		case both && reason != "":
			t.Errorf("%s goes both ways, and is listed as one that does not: %s", number, reason)
		case !both && reason == "":
			t.Errorf("%s: %d cases that go, %d that do not", number, good[number], bad[number])
		}
	}
	// And each rule of the validator is named by a fact that has cases.
	for _, r := range Rules() {
		if good[r.Fact]+bad[r.Fact] == 0 {
			t.Errorf("the rule %q is of %s, which has no case", r.Text, r.Fact)
		}
	}
}

// keys are the keys of maps.
func keys[V any](maps ...map[string]V) map[string]bool {
	all := map[string]bool{}
	for _, m := range maps {
		for k := range m {
			all[k] = true
		}
	}
	return all
}

// summary lists the places that name a number, with how many names.
func summary(places map[string][]string) (list []string) {
	for place, names := range places {
		list = append(list, fmt.Sprintf("%s (%d)", place, len(names)))
	}
	slices.Sort(list)
	return list
}

var numberName = regexp.MustCompile(`(?:^|[^A-Za-z0-9])(?:Test|Fuzz|Benchmark)?([FG][1-9][0-9]{0,2})(?:[^0-9]|$)`)

// numbersNamed returns, for each number, the packages whose tests name it, and
// the names.
func numbersNamed(root string) (map[string]map[string][]string, error) {
	named := map[string]map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go") || d.Name() == "coverage_test.go":
			return nil
		}
		place, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, name := range namesIn(src) {
			for _, m := range numberName.FindAllStringSubmatch(strings.ReplaceAll(name, " ", "  "), -1) {
				number := m[1]
				if named[number] == nil {
					named[number] = map[string][]string{}
				}
				// A package within counts for the one around it.
				for at := filepath.ToSlash(place); at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
					named[number][at] = append(named[number][at], name)
				}
			}
		}
		return nil
	})
	return named, err
}

// namesIn returns the strings and identifiers of a Go file. Comments are not
// among them: a remark is no case.
func namesIn(src []byte) (names []string) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(src)), src, nil, 0)
	for {
		_, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return names
		case token.STRING, token.IDENT:
			names = append(names, text)
		}
	}
}
