// Package freeport finds ports for what tests and measurements start.
package freeport

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Systems give ports from 32768 on to who connects somewhere. One of those might be taken
// until it is listened at, or while that is not so for a time.
const first, end = 10_000, 32_000

var given sync.Map // ports that this process was given: not all of them are listened at all the time

// Take gives n ports of 127.0.0.1 that nobody listens at, and gives none of them again.
func Take(n int) (ports []int, err error) {
	for range 100 * n {
		port := first + rand.IntN(end-first)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
		if _, taken := given.LoadOrStore(port, true); taken {
			continue
		}
		if ports = append(ports, port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, errors.New("no ports are free")
}

// One is [Take] of a single port.
func One() (port int, err error) {
	ports, err := Take(1)
	if err != nil {
		return 0, err
	}
	return ports[0], nil
}
