package rights_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"screentest/server/rights"
	"screentest/shared/wire"
)

type asking struct {
	role  string
	leads string // a team
	held  bool   // an admin without the second factor that they must have
}

func (a asking) SignedIn() bool         { return a.role != "" }
func (a asking) Role() string           { return a.role }
func (a asking) MustAddFactor() bool    { return a.held }
func (a asking) Leads(team string) bool { return team != "" && team == a.leads }

func TestRefuse(t *testing.T) {
	const yes = ""
	people := []asking{{}, {role: wire.RoleGuest}, {role: wire.RoleMember}, {role: wire.RoleMember, leads: "red"}, {role: wire.RoleMember, leads: "blue"}, {role: wire.RoleGuest, leads: "red"}, {role: wire.RoleAdmin}, {role: wire.RoleMember, held: true}}
	for _, tt := range []struct {
		right rights.Right
		team  string
		want  []string // of people, in turn
	}{
		{rights.Nobody, "", []string{wire.CodeSignedOut, wire.CodeNotFound, wire.CodeNotFound, wire.CodeNotFound, wire.CodeNotFound, wire.CodeNotFound, wire.CodeNotFound, wire.CodeNotFound}},
		{rights.Anyone, "", []string{yes, yes, yes, yes, yes, yes, yes, yes}},
		{rights.Own, "", []string{wire.CodeSignedOut, yes, yes, yes, yes, yes, yes, yes}},
		{rights.Send, "", []string{wire.CodeSignedOut, wire.CodeNotAllowed, yes, yes, yes, wire.CodeNotAllowed, yes, yes}},
		{rights.Lead, "red", []string{wire.CodeSignedOut, wire.CodeNotFound, wire.CodeNotFound, yes, wire.CodeNotFound, wire.CodeNotFound, yes, wire.CodeFactorNeeded}},
		{rights.Rule, "red", []string{wire.CodeSignedOut, wire.CodeNotAllowed, wire.CodeNotAllowed, wire.CodeNotAllowed, wire.CodeNotAllowed, wire.CodeNotAllowed, yes, wire.CodeFactorNeeded}},
		{rights.Admin, "red", []string{wire.CodeSignedOut, wire.CodeNotFound, wire.CodeNotFound, wire.CodeNotFound, wire.CodeNotFound, wire.CodeNotFound, yes, wire.CodeFactorNeeded}},
	} {
		for i, who := range people {
			code := ""
			if p := rights.Refuse(who, tt.right, tt.team); p != nil {
				code = p.Code
			}
			if code != tt.want[i] {
				t.Errorf("right %d, team %q, %+v: %q, want %q", tt.right, tt.team, who, code, tt.want[i])
			}
		}
	}
}

// Every call that package wire names is in the table, and no other.
func TestEveryCallHasARight(t *testing.T) {
	named := ops(t)
	if len(named) < 30 {
		t.Fatalf("only %d calls were found in shared/wire", len(named))
	}
	for op, name := range named {
		if rights.OfCall(op) == rights.Nobody {
			t.Errorf("%s (%q) isn't in the table of rights", name, op)
		}
	}
	for op := range rights.Calls() {
		if named[op] == "" {
			t.Errorf("%q is in the table of rights, and no call", op)
		}
	}
}

func TestAddressesAreWellFormed(t *testing.T) {
	for address, right := range rights.Addresses() {
		method, path, ok := strings.Cut(address, " ")
		if !ok || method != strings.ToUpper(method) || !strings.HasPrefix(path, "/") {
			t.Errorf("%q is no method and path", address)
		}
		if right == rights.Lead && !strings.HasPrefix(path, "/api/teams/{id}") {
			t.Errorf("%q asks for a lead, and names no team", address)
		}
	}
}

// ops are the constants of type Op in shared/wire, as they are written there.
func ops(t *testing.T) map[wire.Op]string {
	t.Helper()
	files, err := filepath.Glob("../../shared/wire/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[wire.Op]string{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, is := n.(*ast.ValueSpec)
			if !is {
				return true
			}
			if kind, is := v.Type.(*ast.Ident); !is || kind.Name != "Op" {
				return true
			}
			for i, name := range v.Names {
				text, err := strconv.Unquote(v.Values[i].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				found[wire.Op(text)] = name.Name
			}
			return true
		})
	}
	return found
}

// What the table must not lose by a slip: the door alone is for anyone, and what
// is about all people is for who runs the instance.
func TestTheTableIsStrict(t *testing.T) {
	door := []string{
		"GET /u/{name}", "GET /api/me", "GET /api/ways", "POST /api/link", "POST /api/setup", "POST /api/join", "POST /api/reset", "POST /api/signin",
		"POST /api/signin/passkey/begin", "POST /api/signin/passkey/finish", "GET /api/oidc/start", "GET /api/oidc/callback",
	}
	for address, right := range rights.Addresses() {
		method, path, _ := strings.Cut(address, " ")
		least := rights.Own
		switch {
		case slices.Contains(door, address), strings.HasPrefix(path, wire.SharePath): // who sees a share is told by its audience
			least = rights.Anyone
		case slices.ContainsFunc([]string{"/api/people", "/api/invites", "/api/audit", "/api/instance"}, func(p string) bool { return strings.HasPrefix(path, p) }):
			least = rights.Admin
		case strings.HasPrefix(path, "/api/teams") && method != "GET":
			least = rights.Lead
		case method == "POST" && (path == "/api/uploads" || path == "/api/import" || path == "/api/key"):
			least = rights.Send
		}
		if right < least {
			t.Errorf("%s asks for right %d, want at least %d", address, right, least)
		}
	}
	for op, right := range rights.Calls() {
		least := rights.Own
		switch op {
		case wire.OpStart, wire.OpVideoCreate, wire.OpVideoMeasure, wire.OpLibraryPut:
			least = rights.Send
		case wire.OpStorage, wire.OpCorrect:
			least = rights.Rule
		}
		if right < least {
			t.Errorf("%s asks for right %d, want at least %d", op, right, least)
		}
	}
}

// What a call is asked for: a look into a table.
func BenchmarkRefuse(b *testing.B) {
	who := asking{role: wire.RoleMember}
	for b.Loop() {
		if rights.Refuse(who, rights.OfCall(wire.OpStart), "") != nil {
			b.Fatal("refused")
		}
	}
}
