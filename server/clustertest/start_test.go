package clustertest

import (
	"net/http"
	"testing"
	"time"

	"screentest/server/wiretest"
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
	ann := c.SetUp()
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

var _ = time.Now
var _ = wiretest.NewHTTP
