// Package pack compresses what is stored as a blob: requests, logs, snapshots.
package pack

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// How a blob is coded, in the columns named coding.
const (
	codingRaw  = 0
	codingZstd = 1
)

const (
	// packFrom is the size in bytes from which compressing is worth it.
	packFrom = 256
	// window is how far back an encoder looks, in bytes, and with what it keeps
	// beside the most of what it costs in memory. A log is packed in pieces of that
	// length; the default is 4 MiB.
	window = 256 << 10
	// maxUnpacked bounds what one blob may unpack to, in bytes. The largest we
	// store is a request body (wire.MaxBody).
	maxUnpacked = 64 << 20
)

// Packer compresses blobs. It may be used from any goroutine.
type Packer struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// New returns a Packer.
func New() (*Packer, error) {
	// The fastest level: a text that goes out with a request becomes 0.42 of
	// itself instead of 0.39 with the next one, in 0.8 of the time, and an event
	// stream, which repeats its frame with every token, some 0.03 with either.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(window))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxUnpacked))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return &Packer{enc: enc, dec: dec}, nil
}

// Pack returns p as it is best stored: never longer than p. The result may
// alias p, and is never nil.
func (z *Packer) Pack(p []byte) (coding int, packed []byte) {
	if len(p) >= packFrom {
		if packed := z.enc.EncodeAll(p, make([]byte, 0, len(p)/4)); len(packed) < len(p) {
			return codingZstd, packed
		}
	}
	if p == nil {
		p = []byte{} // SQLite would take nil for NULL
	}
	return codingRaw, p
}

// Unpack appends to dst what was packed.
func (z *Packer) Unpack(dst []byte, coding int, packed []byte) ([]byte, error) {
	switch coding {
	case codingRaw:
		return append(dst, packed...), nil
	case codingZstd:
		dst, err := z.dec.DecodeAll(packed, dst)
		if err != nil {
			return dst, fmt.Errorf("unpack: %w", err)
		}
		return dst, nil
	}
	return dst, fmt.Errorf("unpack: unknown coding %d: the database is from a newer Screentest", coding)
}
