package bff

import "sync"

// buffers lends the memory for frames, in three sizes, so that an idle socket
// holds none and a small frame does not hold a large buffer.
type buffers struct{ small, medium, large sync.Pool }

const (
	smallFrame  = 4 << 10
	mediumFrame = 32 << 10
)

// get returns a buffer with room for n bytes, or for the largest frame.
func (b *buffers) get(n int) *[]byte {
	pool, size := &b.large, maxFrame
	switch {
	case n <= smallFrame:
		pool, size = &b.small, smallFrame
	case n <= mediumFrame:
		pool, size = &b.medium, mediumFrame
	}
	if p, ok := pool.Get().(*[]byte); ok {
		return p
	}
	p := make([]byte, 0, size)
	return &p
}

func (b *buffers) put(p *[]byte) {
	*p = (*p)[:0]
	switch c := cap(*p); {
	case c > 2*maxGather: // for a message of that size only
	case c >= maxFrame:
		b.large.Put(p)
	case c >= mediumFrame:
		b.medium.Put(p)
	case c >= smallFrame:
		b.small.Put(p)
	}
}
