package clustertest

import (
	"net/url"
	"strings"
	"testing"

	"screentest/server/s3test"
)

// files gives the cluster an object store of its own, and each replica a line to it.
func (c *Cluster) files(n *network) func(*Replica) {
	c.t.Helper()
	c.Objects = s3test.New(c.t)
	address, to := c.Objects.Address(c.t), endpoint(c.t, c.Objects)
	return func(r *Replica) {
		r.Files = n.line(c.t, "files"+r.Name, to)
		r.args = append(r.args, "-files", strings.Replace(address, to, at(r.Files.Port), 1))
	}
}

func endpoint(t testing.TB, s *s3test.Store) string {
	t.Helper()
	u, err := url.Parse(s.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}
