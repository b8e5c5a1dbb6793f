package e2e

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"screentest/server/clustertest"
	"screentest/server/pgtest"
)

// replicasName names the environment variable with how many replicas serve each world,
// on PostgreSQL and behind nginx that knows nothing of sessions, in the place of one
// process on a folder.
const replicasName = "SCREENTEST_TEST_REPLICAS"

// replicas is that number, 0 for one process.
func replicas(t *testing.T) int {
	text := os.Getenv(replicasName)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s: it must be a number of replicas", replicasName, text)
	}
	return n
}

// alone are the tests, and parts of some, of what holds of one process alone, each with
// the reason.
var alone = map[string]string{
	"TestATabThatSleptThroughTheEndOfItsSession": kills,
	"TestAClipAskedForWithoutAServerWaits":       kills,
	"TestAGatewayIsConnectedInThePage":           names,
	"TestAGatewayWithoutAKeyIsConnected":         names,
	"TestTheFirstFiveMinutes/gateway":            names,
	"TestSetUpSendSignOutSignIn":                 asks,
	"TestASendIsChargedToATeam":                  asks,
	"TestADearClipIsAskedForAndReleased":         asks,
	"TestAxeFindsNothingInNotices":               asks,
	"TestATeamRanksModelsByItsVotes":             asks,
	"TestSettingsOfTheSandbox":                   inside,
	"TestFiguresOfLanesAreAligned":               inside,
	"TestImagesOnASharedPage":                    inside,
	"TestAFixedGatewayIsTested":                  "whether a gateway answers is what each replica has seen of it",
	"TestThePageAgainstOpenAIAPIMock":            names,
	"TestThePageAgainstMockLLM":                  names,
	"TestWhatIsShared":                           "it shares what it has sent a moment ago, which another replica may not know yet",
	"TestSendWhileTheServerIsAway":               kills,
	"TestUnsentMessageOutlivesTheTab":            kills,
	"TestKilledWhileClipsAreMade":                kills,
	"TestModelsThatAGatewayLists":                names,
	"TestKilledInMidStreamAndStartedAgain":       kills,
	"TestKilledWhileAClipIsReviewed":             kills,
	"TestAnIdleServerIsNotWoken":                 "replicas say each second that they are there",
	"TestAxeFindsNothingInARanking":              "it writes into the folder",
	"TestKeyEnteredReplacedForgotten":            "it looks into the folder",
}

// Why a test doesn't hold of replicas.
const (
	kills = "it ends the one process; package clustertest ends replicas"
	names = "the gateway of replicas is named when they start"
	asks  = "it sends where nobody has given a key, which the sandbox inside alone takes"
	// It is told of models, and its costs are samples.
	inside = "there is no sandbox inside"
)

// startReplicas is start with several.
func (w *world) startReplicas(n int) {
	w.t.Helper()
	test, _, _ := strings.Cut(w.t.Name(), "/")
	if why := cmp.Or(alone[w.t.Name()], alone[test]); why != "" {
		w.t.Skipf("not with replicas: %s", why)
	}
	args := slices.Clone(w.args)
	speed := "20" // as the sandbox inside has it
	for i := 0; i < len(args); {
		switch args[i] {
		case "-sandbox-speed":
			speed = args[i+1]
			args = slices.Delete(args, i, i+2)
		case "-tls-cert":
			w.t.Skip("not with replicas: nginx would be the one that encrypts")
		default:
			i++
		}
	}
	at := w.gateway
	if at == "" { // there is no sandbox inside: it would be another one in each
		at = startSandboxAt(w.t, "127.0.0.1:0", "60", "-speed", speed, "-fetch-private").URL
		w.gateway, w.lent = at, true
	}
	args = append([]string{"-gateway", at, "-catalog", w.sampleFile(), "-fetch-private"}, args...)
	w.cluster = clustertest.Behind(w.t, bin, n, pgtest.URL(w.t), slices.Contains(args, "-team"), args...)
	first := *w.cluster.Replicas[0].Program()
	first.URL = w.cluster.URL
	w.server = &first
}

// lend gives the gateway's key where the test expects a sandbox that asks for none.
func (w *world) lend(path string) {
	w.t.Helper()
	w.lendAt(w.server.URL, path)
}

// lendPerson is lend to the one person of a world without accounts, at the address by
// which they come.
func (w *world) lendPerson(base string) {
	w.t.Helper()
	if !slices.Contains(w.args, "-team") {
		w.lendAt(base, "/api/key")
	}
}

// lendAt is lend at another address.
func (w *world) lendAt(base, path string) {
	w.t.Helper()
	if !w.lent {
		return
	}
	tab, err := w.profile.Tab()
	if err != nil {
		w.t.Fatal(err)
	}
	defer tab.Close()
	if err := tab.Open(base + "/livez"); err != nil {
		w.t.Fatal(err)
	}
	var status string
	err = tab.Eval(&status, fmt.Sprintf(`fetch(%q, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({key: %q})}).then(r => String(r.status))`, path, sandboxKey))
	if err != nil || status != "204" {
		w.t.Fatalf("the sandbox's key: %s, %v", status, err)
	}
}

// lendTeam is lend to the team that everybody is in.
func (w *world) lendTeam() {
	w.t.Helper()
	if !w.lent {
		return
	}
	p := &page{w: w, base: w.server.URL}
	var err error
	if p.tab, err = w.profile.Tab(); err != nil {
		w.t.Fatal(err)
	}
	defer p.tab.Close()
	p.must(p.tab.Open(w.server.URL + "/livez"))
	w.lend("/api/teams/" + p.text(`fetch("/api/teams").then(r => r.json()).then(all => all.find(t => t.everyone).id)`) + "/key")
}
