package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/payer"
	"screentest/server/peer"
	"screentest/server/pgtest"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// A replica that others would not reach at its address doesn't start: it would take what
// is there for its own of before.
func TestAReplicaReachesItself(t *testing.T) {
	link := func() (l *peer.Link, address string) {
		srv := httptest.NewUnstartedServer(nil)
		l = peer.New(srv.Listener.Addr().String(), bytes.Repeat([]byte{1}, 32), slog.New(slog.DiscardHandler))
		srv.Config.Handler = l
		srv.Start()
		t.Cleanup(srv.Close)
		t.Cleanup(func() { storetest.Must(t, l.Close()) })
		return l, srv.URL
	}
	a, atA := link()
	storetest.Must(t, wantSelf(t.Context(), a, atA))
	b, _ := link()
	if err := wantSelf(t.Context(), b, atA); err == nil || !strings.Contains(err.Error(), "-replica "+atA+": another replica answers there. Give the address") {
		t.Errorf("at another one's address: %v", err)
	}
	stranger := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(stranger.Close)
	for _, address := range []string{replicaAddress(t), stranger.URL} {
		c, _ := link()
		if err := wantSelf(t.Context(), c, address); err == nil || !strings.Contains(err.Error(), "doesn't reach itself") || !strings.Contains(err.Error(), "Give the address") {
			t.Errorf("where no replica is: %v", err)
		}
	}
}

// A second server on a database, by mistake, leaves the first one as it is.
func TestASecondServerWithoutAReplicasAddress(t *testing.T) {
	t.Setenv("SCREENTEST_SEAL_KEY", storetest.SealKey)
	url := pgtest.URL(t)
	first := newPlayground(t, serveConfig{data: t.TempDir(), cluster: clusterConfig{database: url}})
	for _, replica := range []string{"", replicaAddress(t)} {
		c := first.config
		c.data, c.files, c.cluster.replica = t.TempDir(), t.TempDir(), replica
		s, err := start(t.Context(), c, slog.New(slog.DiscardHandler))
		if err == nil {
			storetest.Must(t, s.close())
		}
		if err == nil || !strings.Contains(err.Error(), "Another Screentest serves this database") || !strings.Contains(err.Error(), "-replica") {
			t.Errorf("a second one with the address %q: %v", replica, err)
		}
	}
	select {
	case err := <-first.failed:
		t.Errorf("the first one ends: %v", err)
	default:
	}
	storetest.Must(t, first.store.SetServerSetting(t.Context(), "x", "still there"))
}

// A single server serves what replicas did that ended without a word, as in a copy of
// their database.
func TestASingleServerOnWhatReplicasServed(t *testing.T) {
	t.Setenv("SCREENTEST_SEAL_KEY", storetest.SealKey)
	url := pgtest.URL(t)
	for range 2 {
		before := storetest.OpenShared(t, url)
		storetest.Must(t, storetest.Second(before.Replicas().Join(t.Context(), replicaAddress(t), "test")))
	}
	d := newPlayground(t, serveConfig{data: t.TempDir(), cluster: clusterConfig{database: url}})
	select {
	case err := <-d.failed:
		t.Errorf("it ends: %v", err)
	case <-time.After(2 * time.Second): // some beats
	}
	storetest.Must(t, d.store.SetServerSetting(t.Context(), "x", "served"))
}

// What was set aside for sends that a kill was before is there again for others.
func TestWhatAKillLeftSetAside(t *testing.T) {
	t.Setenv("SCREENTEST_SEAL_KEY", storetest.SealKey)
	url, address := pgtest.URL(t), replicaAddress(t)
	killed := storetest.OpenShared(t, url)
	storetest.Must(t, storetest.Second(killed.Replicas().Join(t.Context(), address, "test")))
	owner, err := killed.EnsureLocalUser(t.Context())
	storetest.Must(t, err, storetest.Second(killed.SetAside(t.Context(), payer.Claim{Owner: owner, For: uuid.NewString(), NanoUSD: 7})))
	if aside, err := killed.AsideForEverybody(t.Context()); err != nil || aside != 7 {
		t.Fatalf("%d is set aside, %v", aside, err)
	}
	d := newPlayground(t, serveConfig{data: t.TempDir(), files: t.TempDir(), cluster: clusterConfig{database: url, replica: address}})
	if aside, err := d.store.AsideForEverybody(t.Context()); err != nil || aside != 0 {
		t.Errorf("%d is still set aside, %v", aside, err)
	}
}

// A server on a database that was moved shows everything and writes nothing, with or
// without an address for others.
func TestMovedDatabaseIsServedForReading(t *testing.T) {
	storetest.OnlySQLite(t) // it brings the database that a folder is moved to
	files, url := t.TempDir(), pgtest.URL(t)
	dir, s := served(t)
	args, key := moveArgs(dir, url, files)
	for _, args := range [][]string{args, {"move", "-from", url, "-data", t.TempDir(), "-files", files}} {
		if status, out := called(t, []string{key}, args...); status != 0 {
			t.Fatalf("%q ended with %d: %s", args, status, out)
		}
	}
	t.Setenv("SCREENTEST_SEAL_KEY", strings.TrimPrefix(key, "SCREENTEST_SEAL_KEY="))
	for _, replica := range []string{"", replicaAddress(t)} {
		d := newPlayground(t, serveConfig{data: t.TempDir(), files: files, cluster: clusterConfig{database: url, replica: replica}})
		c := dial(t, d.url, wiretest.NewHTTP())
		if m := answer(t, c, s); m.Run.State != wire.Done || m.Text == "" {
			t.Errorf("the answer is %+v", m)
		}
		if p := storetest.Problem(c.Call(t.Context(), wire.OpRename, wire.Rename{ID: s.Conversation, Title: "x"}, nil)); p.Code != "data_read_only" {
			t.Errorf("a change: %+v", p)
		}
		for _, path := range []string{"/readyz", "/metrics"} {
			resp, err := http.Get(d.url + path)
			storetest.Must(t, err, resp.Body.Close())
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s: %s", path, resp.Status)
			}
		}
	}
	db, err := store.Open(t.Context(), t.TempDir(), store.Options{Database: url, SealKey: strings.TrimPrefix(key, "SCREENTEST_SEAL_KEY=")})
	storetest.Must(t, err)
	var there int
	storetest.Must(t, db.Engine().At(t.Context()).Scan("SELECT count(*) FROM replicas", nil, &there), db.Close())
	if there != 0 {
		t.Errorf("%d replicas have a place", there)
	}
}
