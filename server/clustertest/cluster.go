// Package clustertest runs the real thing for tests: several replicas of the real
// program on a PostgreSQL and an object store, nginx in front that knows nothing of
// sessions, a gateway that notes what it was asked, and between all of them a network
// that can be cut. Everything is on this machine's loopback, and ends with the test.
//
// Start with [New]; then [Cluster.SetUp] gives the first person, and [Person.Play]
// reads an answer as a browser does.
package clustertest

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"screentest/server/e2e/rig"
	"screentest/server/pgtest"
	"screentest/shared/gateway"
)

// sealKey is that of every cluster, in hex.
var sealKey = strings.Repeat("5ea1", 16)

// A Cluster is all that serves one instance.
type Cluster struct {
	URL      string // as browsers reach it, through nginx
	Replicas []*Replica
	Gateway  *Gateway
	Postgres *pgtest.Server

	t   testing.TB
	bin string
}

// program is the real one, built once for all tests.
var program = sync.OnceValues(func() (string, error) { return rig.Build(context.Background()) })

// New starts n replicas at the same moment, on a database that is empty, and returns
// when all are ready. flags are given to each.
func New(t testing.TB, n int, flags ...string) *Cluster {
	t.Helper()
	c := Prepare(t, n, flags...)
	c.Start()
	return c
}

// Prepare is New without a start of the replicas.
func Prepare(t testing.TB, n int, flags ...string) *Cluster {
	t.Helper()
	net := newNetwork(t)
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, bin: bin, Gateway: newGateway(t, bin), Postgres: pgtest.New(t)}
	ports := freePorts(t, 2*n+1)
	c.URL = "http://" + at(ports[2*n])
	models := filepath.Join(t.TempDir(), "catalogue.json")
	if err := os.WriteFile(models, gateway.SampleCatalogue().JSON(), 0o600); err != nil {
		t.Fatal(err)
	}
	files := c.files()
	for i := range n {
		name := strconv.Itoa(i + 1)
		r := &Replica{
			Name: name, URL: "http://" + at(ports[i]), t: t, bin: bin,
			Database: net.line(t, "database"+name, at(c.Postgres.Port())),
		}
		r.args = append([]string{
			"serve", "-addr", at(ports[i]), "-replica", "http://" + at(ports[n+i]),
			"-data", filepath.Join(t.TempDir(), "data"), "-database", c.Postgres.URL(r.Database.Port),
			"-gateway", c.Gateway.URL, "-catalog", models, "-public-url", c.URL, "-plain-http",
		}, flags...)
		files(net, r)
		c.Replicas = append(c.Replicas, r)
		t.Cleanup(r.end)
	}
	startNginx(t, ports[2*n], ports[:n])
	return c
}

// Start starts all replicas at the same moment.
func (c *Cluster) Start() {
	c.t.Helper()
	var all sync.WaitGroup
	errs := make([]error, len(c.Replicas))
	for i, r := range c.Replicas {
		all.Go(func() { errs[i] = r.start() })
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			c.t.Fatalf("replica %d: %v", i+1, err)
		}
	}
}
