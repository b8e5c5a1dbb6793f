package clustertest

import (
	"net/http"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Three replicas that start at the same moment on an empty database: one of them
// makes the tables, there is a link to the first account that works, and all serve.
func TestReplicasStartAtTheSameMoment(t *testing.T) {
	t.Parallel()
	c := New(t, 3)
	if rows := c.Postgres.Rows(t, "SELECT n FROM replicas WHERE gone_ms = 0"); len(rows) != 3 {
		t.Errorf("%d replicas are there", len(rows))
	}
	links := map[string]bool{}
	for _, r := range c.Replicas {
		links[r.SetUpLink()] = true
	}
	delete(links, "")
	if len(links) == 0 {
		t.Error("nobody has printed a link to the first account")
	}
	ann := c.SetUp()
	for link := range links {
		_, token, _ := strings.Cut(link, "#")
		second := wire.Join{Token: token, Name: "Eve", Email: "eve@example.com", Password: password}
		if r := c.browser().Ask("POST", "/api/setup", second); r.Status/100 == 2 {
			t.Errorf("there is a second first account: %s", r.Body)
		}
	}
	played, err := ann.Play(t.Context(), Turn(gateway.Chat, "[[pace: 1000]] hello"), nil)
	if err != nil || played.Answer.Run.State != wire.Done || played.Answer.Text == "" {
		t.Fatalf("%+v, %v", played.Answer.Run, err)
	}
}

// Whoever answers knows who asks, and everybody is asked.
func TestASessionHoldsOnEveryReplica(t *testing.T) {
	t.Parallel()
	c := New(t, 3)
	ann := c.SetUp()
	answered := map[string]int{}
	for range 50 {
		r := ann.Ask("GET", "/api/me", nil)
		if answered[r.Replica]++; r.Status != http.StatusOK {
			t.Errorf("%d %s by %s", r.Status, r.Body, r.Replica)
		}
	}
	if len(answered) != 3 {
		t.Errorf("answered by %v", answered)
	}
}
