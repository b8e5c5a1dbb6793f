package rig

import (
	"context"
	"io"
	"net"
	"sync"
)

// Line is the network between a browser and a server: a TCP relay that can be
// cut, as a train in a tunnel does it. What passes through it is not looked at.
type Line struct {
	listener net.Listener
	target   string
	done     sync.WaitGroup

	mu    sync.Mutex
	down  bool
	conns map[net.Conn]struct{}
}

// NewLine listens on a loopback port and relays to target ("127.0.0.1:8080").
func NewLine(target string) (*Line, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Line{listener: listener, target: target, conns: map[net.Conn]struct{}{}}
	l.done.Go(l.serve)
	return l, nil
}

// URL is where a browser goes.
func (l *Line) URL() string { return "http://" + l.listener.Addr().String() }

// Cut breaks every connection and lets no new one through until Mend.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for c := range l.conns {
		c.Close()
	}
}

// Mend lets new connections through again.
func (l *Line) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
}

// Close ends the relay.
func (l *Line) Close() {
	l.listener.Close()
	l.Cut()
	l.done.Wait()
}

func (l *Line) serve() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.done.Go(func() { l.relay(near) })
	}
}

func (l *Line) relay(near net.Conn) {
	defer near.Close()
	if !l.keep(near) {
		return
	}
	defer l.drop(near)
	far, err := new(net.Dialer).DialContext(context.Background(), "tcp", l.target)
	if err != nil {
		return
	}
	defer far.Close()
	if !l.keep(far) {
		return
	}
	defer l.drop(far)

	l.done.Go(func() {
		_, _ = io.Copy(far, near)
		closeWrite(far)
	})
	_, _ = io.Copy(near, far)
}

func closeWrite(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.CloseWrite()
	}
}

// keep registers c for the next cut; false means that the line is down.
func (l *Line) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return false
	}
	l.conns[c] = struct{}{}
	return true
}

func (l *Line) drop(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}
