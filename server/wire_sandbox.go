package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"screentest/server/sandbox"
	"screentest/shared/money"
)

// sandboxBalance is what the sandbox inside this program gives a person: more
// than they will use up.
const sandboxBalance = 1_000_000 * money.USD

// sandboxHome is what is kept of the sandbox inside this program, so that its
// tasks go on after a restart: it knows them by the key, and their files are
// at its address.
type sandboxHome struct {
	Key  string `json:"key"`
	Addr string `json:"addr"`
}

// sandboxDir is its folder in the data folder.
const sandboxDir = "sandbox"

// sandboxSecret is the secret that holds the home.
const sandboxSecret = "sandbox-home"

// openSandboxHome reads the home, or makes one, and listens at its address. If
// that is taken by now, the address is a new one.
func (s *server) openSandboxHome(ctx context.Context) (key string, l net.Listener, err error) {
	home, err := s.readSandboxHome(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("the key of the sandbox inside was not read: %w. It was left as it is, for with another one the sandbox would not know its clips: start again, or restore a backup", err)
	}
	if s.ear != nil {
		return s.openSharedHome(ctx, home)
	}
	was := home
	if home.Key == "" {
		home.Key = "sandbox-" + rand.Text()
	}
	if home.Addr != "" {
		l, err = net.Listen("tcp", home.Addr)
	}
	if l == nil || err != nil {
		if l, err = listen("127.0.0.1:0"); err != nil {
			return "", nil, err
		}
	}
	if home.Addr = l.Addr().String(); home != was {
		data, err := json.Marshal(home)
		if err == nil {
			err = s.mayWrite(s.store.SetSecret(ctx, sandboxSecret, data))
		}
		if err != nil {
			return "", nil, errors.Join(fmt.Errorf("keep the sandbox's key: %w", err), l.Close())
		}
	}
	return home.Key, l, nil
}

// sandboxAddr is the file in the sandbox's folder that holds its address, where the
// home is of several replicas: each has a sandbox of its own, at an address of its
// own, and they have the key in common.
const sandboxAddr = "address"

// openSharedHome is openSandboxHome of a replica.
func (s *server) openSharedHome(ctx context.Context, home sandboxHome) (key string, l net.Listener, err error) {
	if home.Key == "" {
		data, err := json.Marshal(sandboxHome{Key: "sandbox-" + rand.Text()})
		if err == nil {
			data, err = s.store.KeepSecret(ctx, sandboxSecret, data)
		}
		if err == nil {
			err = json.Unmarshal(data, &home)
		}
		if err != nil {
			return "", nil, fmt.Errorf("keep the sandbox's key: %w", err)
		}
	}
	dir := filepath.Join(s.config.data, sandboxDir)
	file := filepath.Join(dir, sandboxAddr)
	was, err := os.ReadFile(file)
	if err == nil {
		l, err = net.Listen("tcp", string(was))
	}
	if err != nil {
		if l, err = listen("127.0.0.1:0"); err != nil {
			return "", nil, err
		}
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = os.WriteFile(file, []byte(l.Addr().String()), 0o600)
		}
		if err != nil {
			return "", nil, errors.Join(fmt.Errorf("keep the sandbox's address: %w", err), l.Close())
		}
	}
	return home.Key, l, nil
}

// readSandboxHome reads the home. There is none before the first start; any
// other fault is told, for a new key in the place of the old one would orphan
// the tasks that the sandbox knows by it.
func (s *server) readSandboxHome(ctx context.Context) (home sandboxHome, err error) {
	data, err := s.store.Secret(ctx, sandboxSecret)
	if errors.Is(err, fs.ErrNotExist) {
		return home, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &home)
	}
	return home, err
}

// startSandbox starts the gateway inside this program, if no other is
// configured. It listens on a port of its own and is called like any gateway.
// files is the address whose files it may fetch though it is not public: the
// uploads of this program.
func (s *server) startSandbox(ctx context.Context, files string) (base, key string, err error) {
	if s.config.gateway != "" {
		return "", "", nil
	}
	key, listener, err := s.openSandboxHome(ctx)
	if err != nil {
		return "", "", err
	}
	dir := filepath.Join(s.config.data, sandboxDir)
	if s.store.ReadOnly() != nil {
		dir = "" // what it makes is kept nowhere
	}
	s.sandbox, err = sandbox.New(sandbox.Config{
		Key: key, Speed: s.config.sandboxSpeed, Catalogue: s.models.sandbox(), Logger: s.log,
		Balance: sandboxBalance, Dir: dir, FetchFrom: files,
		// For what people copy out of the page and run in a shell: an account
		// of its own, which sees nothing of the page's.
		MoreKeys: []string{sandbox.DefaultKey},
	})
	if err != nil {
		return "", "", errors.Join(err, listener.Close())
	}
	s.onClose(func(context.Context) error { return s.sandbox.Close() })
	s.serveHTTP(listener, onlyHere(s.sandbox), nil)
	return "http://" + listener.Addr().String(), key, nil
}

// inside is where the sandbox fetches uploads from. Its listener is nil where
// that is the server's own.
type inside struct {
	addr     string
	listener net.Listener
}

// listenInside takes a port of this machine for the sandbox where the server's
// own speaks https, by a name that leads elsewhere from here.
func (s *server) listenInside(addr string) (i inside, err error) {
	if s.config.gateway != "" || !s.reach.tls {
		return inside{addr: local(addr)}, nil
	}
	if i.listener, err = listen("127.0.0.1:0"); err != nil {
		return i, err
	}
	s.onClose(func(context.Context) error { i.listener.Close(); return nil })
	i.addr = i.listener.Addr().String()
	return i, nil
}
