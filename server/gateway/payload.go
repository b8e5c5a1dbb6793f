package gateway

import (
	"io"
	"sync"
)

// payload is a request's body that lets go of its bytes once they are sent.
// net/http keeps the request for as long as its reply lasts: of three hundred
// long conversations that are answered at a time, all that was sent would stay
// in memory.
type payload struct {
	mu   sync.Mutex // net/http may close it while it is read
	left []byte
}

func (p *payload) Read(dst []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := copy(dst, p.left)
	if p.left = p.left[n:]; len(p.left) == 0 {
		p.left = nil
		return n, io.EOF
	}
	return n, nil
}

// Close ends the body.
func (p *payload) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = nil
	return nil
}
