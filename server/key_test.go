package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// noCanary looks for the key wherever it must not be.
func noCanary(t *testing.T, d *playground, dir string, raw []byte) {
	t.Helper()
	if bytes.Contains(raw, []byte(canary)) {
		t.Error("the key is in the frames")
	}
	if err := d.close(); err != nil { // so that nothing writes the log any more
		t.Error(err)
	}
	if strings.Contains(d.log.String(), canary) {
		t.Errorf("the key is in the log: %s", &d.log)
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		p, err := os.ReadFile(path)
		if bytes.Contains(p, []byte(canary)) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestKeyIsKeptOverARestartAndGoesOnlyToTheGateway(t *testing.T) {
	url := outside(t, nil)
	dir := storetest.Folder(t)
	d := newPlayground(t, serveConfig{gateway: url, data: dir})
	h := wiretest.NewHTTP()
	c := dial(t, d.url, h)
	wrong := turn(gateway.Chat, "Hello")
	setKey(t, c, "sk-wrong-0123456789")
	wrong.Body = bytes.Replace(wrong.Body, []byte(`,"stream_options":{"include_usage":true}`), nil, 1)
	play(t, c, wrong)
	if r, _ := end(t, c, wrong); r.Problem == nil || r.Problem.Code != "bad_key" {
		t.Errorf("with a wrong key: %s, %v", r.State, r.Problem)
	}
	setKey(t, c, canary)
	s := turn(gateway.Responses, "Hello")
	play(t, c, s)
	if r, _ := end(t, c, s); r.State != wire.Done {
		t.Errorf("ended %s, %v", r.State, r.Problem)
	}
	noCanary(t, d, dir, c.Raw()) // and closes it

	// The same browser comes back to the same address.
	again := newPlayground(t, serveConfig{gateway: url, data: dir, addr: strings.Replace(d.url, "http://localhost", "127.0.0.1", 1)})
	c = dial(t, again.url, h)
	hello, err := wiretest.News(t.Context(), c, wire.EventHello, func(wire.Hello) bool { return true })
	if err != nil || hello.Gateway.KeyLast4 != canary[len(canary)-4:] {
		t.Errorf("greeted with %+v, %v", hello.Gateway, err)
	}
	s = turn(gateway.Responses, "Hello again")
	play(t, c, s)
	if r, _ := end(t, c, s); r.State != wire.Done {
		t.Errorf("ended %s, %v", r.State, r.Problem)
	}
}
