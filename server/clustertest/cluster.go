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
	"screentest/server/s3test"
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
	Objects  *s3test.Store

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
	front, addresses := c.addresses(n)
	c.URL = "http://" + at(front)
	files := c.files(net)
	for i, own := range addresses {
		name := strconv.Itoa(i + 1)
		line := net.line(t, "database"+name, at(c.Postgres.Port()))
		r := c.replica(name, own, append([]string{
			"-database", c.Postgres.URL(line.Port), "-gateway", c.Gateway.URL, "-public-url", c.URL, "-plain-http",
		}, flags...)...)
		r.Database = line
		files(r)
	}
	c.nginx(front)
	return c
}

// Behind starts n replicas of bin on a database, with neither a network between nor a
// gateway of the cluster's: for the pages in browsers. team says that people sign in.
func Behind(t testing.TB, bin string, n int, database string, team bool, flags ...string) *Cluster {
	t.Helper()
	c := &Cluster{t: t, bin: bin}
	front, addresses := c.addresses(n)
	c.URL = "http://localhost:" + strconv.Itoa(front) // where passkeys can be made
	flags = append([]string{"-database", database, "-files", s3test.Address(t), "-public-url", c.URL, "-plain-http"}, flags...)
	if !team {
		flags = append(flags, "-team=false")
	}
	for i, own := range addresses {
		c.replica(strconv.Itoa(i+1), own, flags...)
	}
	c.nginx(front)
	c.Start()
	return c
}

// addresses are the port of nginx, and two for each replica: what nginx passes on to,
// and what the other replicas ask.
func (c *Cluster) addresses(n int) (front int, own [][2]int) {
	c.t.Helper()
	ports := freePorts(c.t, 2*n+1)
	for i := range n {
		own = append(own, [2]int{ports[2*i], ports[2*i+1]})
	}
	return ports[2*n], own
}

// replica adds one, which does not run yet.
func (c *Cluster) replica(name string, own [2]int, flags ...string) *Replica {
	c.t.Helper()
	dir := c.t.TempDir()
	models := filepath.Join(dir, "catalogue.json")
	if err := os.WriteFile(models, gateway.SampleCatalogue().JSON(), 0o600); err != nil {
		c.t.Fatal(err)
	}
	r := &Replica{Name: name, URL: "http://" + at(own[0]), t: c.t, bin: c.bin, port: own[0], args: append([]string{
		"serve", "-addr", at(own[0]), "-replica", "http://" + at(own[1]), "-data", filepath.Join(dir, "data"), "-catalog", models,
	}, flags...)}
	c.Replicas = append(c.Replicas, r)
	c.t.Cleanup(r.end)
	return r
}

func (c *Cluster) nginx(front int) {
	c.t.Helper()
	var to []int
	for _, r := range c.Replicas {
		to = append(to, r.port)
	}
	startNginx(c.t, front, to)
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
