package run

import (
	"math/bits"
	"sync"
)

// Sizes of the blocks that hold the newest bytes of a log. A slow stream gets
// small ones, so that three hundred of them cost little; a fast one large
// ones, so that a block is not made for every read.
const (
	minBlock = 1 << 10
	maxBlock = 64 << 10
)

// block is a part of a log in memory.
type block struct {
	from int64  // offset of its first byte
	p    []byte // written part; the rest of the capacity is free
	born int64  // when it was made, in ms of the run
	last int64  // when it last grew
}

// blocks lends the memory of logs, and of the copies that go to the store. A
// block is given back under its log's lock, when nobody can read it any more.
type blocks struct {
	sizes [7]sync.Pool // of minBlock, twice that, … maxBlock
	flush sync.Pool    // *[]byte
}

func (b *blocks) get(size int) *block {
	if x, ok := b.of(size).Get().(*block); ok {
		return x
	}
	return &block{p: make([]byte, 0, size)}
}

func (b *blocks) put(x *block) {
	x.p = x.p[:0]
	b.of(cap(x.p)).Put(x)
}

// of is the pool of a size, which is minBlock times a power of two.
func (b *blocks) of(size int) *sync.Pool { return &b.sizes[bits.Len(uint(size/minBlock))-1] }

// buffer lends memory for a copy on its way to the store.
func (b *blocks) buffer() *[]byte {
	if p, ok := b.flush.Get().(*[]byte); ok {
		return p
	}
	return new([]byte)
}

func (b *blocks) giveBack(p *[]byte) {
	*p = (*p)[:0]
	b.flush.Put(p)
}
