// Package mp4 tells how long and how large somebody else's MP4 is: use [Measure].
//
// It reads the few boxes that say so by hand, though Eyevinn/mp4ff, which makes
// the sandbox's clips, could decode them: mp4ff v0.47.0 allocates by the counts
// that it reads, and panics on some files. A moov of 28 bytes whose stsz claims
// 67 million samples costs it 256 MiB, one of 24 bytes with stts 512 MiB, and
// these files come from anywhere.
package mp4

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Info is what Measure finds.
type Info struct {
	Seconds float64 // of the longest video track; above 0 and finite
	Width   int
	Height  int
}

// The bounds of what Measure reads.
const (
	maxIndex = 16 << 20 // bytes of moov and moof boxes
	maxBoxes = 100_000
)

// errNotMP4 is returned for what is no MP4 at all.
var errNotMP4 = errors.New("not an MP4 file")

// Measure finds how long an MP4 is. It reads the index only and skips the
// media, keeps at most 16 MiB, and does not trust a single length it reads:
// the file may come from anywhere.
func Measure(r io.Reader) (Info, error) {
	m := measurer{r: bufio.NewReader(r), tracks: map[uint32]*track{}}
	if err := m.file(); err != nil {
		return Info{}, err
	}
	var best Info
	for _, t := range m.tracks {
		if !t.video || t.timescale == 0 {
			continue
		}
		s := float64(t.duration) / float64(t.timescale)
		if t.duration == 0 {
			s = float64(t.fragments) / float64(t.timescale)
		}
		if s > best.Seconds && !math.IsInf(s, 0) {
			best = Info{s, t.width, t.height}
		}
	}
	if best.Seconds == 0 {
		return Info{}, errors.New("the MP4 file has no video track with a length")
	}
	return best, nil
}

type track struct {
	video         bool
	timescale     uint32
	duration      uint64 // of mdhd, in units of timescale
	fragments     uint64 // of all fragments together
	perSample     uint32 // default duration of a fragment's sample (trex)
	width, height int
}

type measurer struct {
	r      *bufio.Reader
	kept   int
	boxes  int
	tracks map[uint32]*track
}

// file reads the boxes at the top.
func (m *measurer) file() error {
	for first := true; ; first = false {
		var head [16]byte
		if _, err := io.ReadFull(m.r, head[:8]); err != nil {
			if errors.Is(err, io.EOF) && !first {
				return nil
			}
			if first {
				return errNotMP4
			}
			// Half a box at the end of a file that is otherwise whole.
			return ignoreEOF(err)
		}
		kind, size := string(head[4:8]), uint64(binary.BigEndian.Uint32(head[:4]))
		if first && kind != "ftyp" && kind != "moov" {
			return errNotMP4
		}
		header := uint64(8)
		if size == 1 {
			if _, err := io.ReadFull(m.r, head[8:]); err != nil {
				return ignoreEOF(err)
			}
			size, header = binary.BigEndian.Uint64(head[8:]), 16
		}
		if size == 0 { // to the end of the file
			size = math.MaxInt64
		}
		if size < header || size > math.MaxInt64 {
			return fmt.Errorf("the MP4 file has a box %q of %d bytes", printable(kind), size)
		}
		if err := m.count(); err != nil {
			return err
		}
		if err := m.top(kind, size-header); err != nil {
			return err
		}
	}
}

// top reads or skips one box.
func (m *measurer) top(kind string, size uint64) error {
	if kind != "moov" && kind != "moof" {
		_, err := io.CopyN(io.Discard, m.r, int64(size))
		return ignoreEOF(err)
	}
	// Grown as it comes: a length alone costs no memory.
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(m.r, min(int64(min(size, math.MaxInt64)), int64(maxIndex-m.kept)+1)))
	if err != nil {
		return err
	}
	if m.kept += int(n); m.kept > maxIndex {
		return fmt.Errorf("the MP4 file's index is larger than %d bytes", maxIndex)
	}
	if kind == "moov" {
		return m.walk(b.Bytes(), 0, m.inMovie)
	}
	return m.walk(b.Bytes(), 0, m.inFragment)
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

func (m *measurer) count() error {
	if m.boxes++; m.boxes > maxBoxes {
		return fmt.Errorf("the MP4 file has more than %d boxes", maxBoxes)
	}
	return nil
}

// walk gives each box within b to visit.
func (m *measurer) walk(b []byte, id uint32, visit func(kind string, body []byte, id uint32) error) error {
	for len(b) >= 8 {
		if err := m.count(); err != nil {
			return err
		}
		size := uint64(binary.BigEndian.Uint32(b))
		if size < 8 || size > uint64(len(b)) {
			return nil // nothing in there that could be trusted
		}
		if err := visit(string(b[4:8]), b[8:size], id); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}

// inMovie reads what is inside moov.
func (m *measurer) inMovie(kind string, b []byte, id uint32) error {
	switch kind {
	case "trak":
		// tkhd comes first by the standard; a track without one has number 0.
		return m.walk(b, trackID(b), m.inMovie)
	case "mdia", "mvex":
		return m.walk(b, id, m.inMovie)
	case "tkhd":
		if w, ok := tail(b, 8); ok {
			t := m.track(id)
			t.width, t.height = int(binary.BigEndian.Uint16(w)), int(binary.BigEndian.Uint16(w[4:]))
		}
	case "mdhd":
		t := m.track(id)
		if len(b) >= 24 && b[0] == 0 {
			t.timescale, t.duration = binary.BigEndian.Uint32(b[12:]), uint64(binary.BigEndian.Uint32(b[16:]))
		} else if len(b) >= 36 && b[0] == 1 {
			t.timescale, t.duration = binary.BigEndian.Uint32(b[20:]), binary.BigEndian.Uint64(b[24:])
		}
		if t.duration == math.MaxUint32 || t.duration == math.MaxUint64 {
			t.duration = 0 // "not known"
		}
	case "hdlr":
		if len(b) >= 12 && string(b[8:12]) == "vide" {
			m.track(id).video = true
		}
	case "trex":
		if len(b) >= 16 {
			m.track(binary.BigEndian.Uint32(b[4:])).perSample = binary.BigEndian.Uint32(b[12:])
		}
	}
	return nil
}

// inFragment reads what is inside moof, and adds up the lengths.
func (m *measurer) inFragment(kind string, b []byte, id uint32) error {
	if kind != "traf" {
		return nil
	}
	var t *track
	var perSample uint32
	return m.walk(b, id, func(kind string, b []byte, _ uint32) error {
		switch {
		case kind == "tfhd" && len(b) >= 8:
			t = m.track(binary.BigEndian.Uint32(b[4:]))
			perSample = t.perSample
			at := 8
			flags := binary.BigEndian.Uint32(b)
			for _, f := range []struct {
				flag  uint32
				bytes int
			}{{1, 8}, {2, 4}} {
				if flags&f.flag != 0 {
					at += f.bytes
				}
			}
			if flags&8 != 0 && len(b) >= at+4 {
				perSample = binary.BigEndian.Uint32(b[at:])
			}
		case kind == "trun" && t != nil && len(b) >= 8:
			t.fragments += runLength(b, perSample)
		}
		return nil
	})
}

// runLength is how long the samples of a trun box last.
func runLength(b []byte, perSample uint32) (total uint64) {
	flags, n, at := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:]), 8
	for _, f := range []uint32{1, 4} {
		if flags&f != 0 {
			at += 4
		}
	}
	if flags&0x100 == 0 {
		return uint64(n) * uint64(perSample)
	}
	step := 0
	for _, f := range []uint32{0x100, 0x200, 0x400, 0x800} {
		if flags&f != 0 {
			step += 4
		}
	}
	for range n {
		if at+4 > len(b) {
			break
		}
		total += uint64(binary.BigEndian.Uint32(b[at:]))
		at += step
	}
	return total
}

func (m *measurer) track(id uint32) *track {
	t := m.tracks[id]
	if t == nil {
		t = &track{}
		m.tracks[id] = t
	}
	return t
}

// trackID finds a track's number in its header, 0 if there is none.
func trackID(trak []byte) uint32 {
	if len(trak) < 8 || string(trak[4:8]) != "tkhd" {
		return 0
	}
	b := trak[8:]
	switch {
	case len(b) >= 16 && b[0] == 0:
		return binary.BigEndian.Uint32(b[12:])
	case len(b) >= 24 && b[0] == 1:
		return binary.BigEndian.Uint32(b[20:])
	}
	return 0
}

// tail is the last n bytes of b.
func tail(b []byte, n int) ([]byte, bool) {
	if len(b) < n {
		return nil, false
	}
	return b[len(b)-n:], true
}

// printable shows a box's name, whatever it is made of.
func printable(kind string) string {
	b := []byte(kind)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '?'
		}
	}
	return string(b)
}
