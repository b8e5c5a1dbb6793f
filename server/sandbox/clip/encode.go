package clip

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/Eyevinn/mp4ff/mp4"
)

// timescale is a clip's unit of time: each frame lasts a whole number of it.
const timescale = FPS * frameTicks

const frameTicks = 1000

// second is one group of pictures of a look: a key frame and what follows.
type second struct {
	sizes []uint32 // of the frames, in bytes
	data  []byte   // the frames, one after the other
	at    uint32   // where data begins in the clip's media data
	used  bool
}

// loop is a look at one size.
type loop struct {
	moov    *mp4.MoovBox
	seconds [loopSeconds]second
}

// Encode makes the file.
func (s Spec) Encode() ([]byte, error) {
	if s.Frames() < 1 {
		return nil, errors.New("clip: a clip needs at least one frame")
	}
	loops := map[int]*loop{}
	var first *loop
	for _, g := range s.Segments {
		if loops[g.Look] == nil && g.Frames > 0 {
			l, err := openLoop(s.Width, s.Height, g.Look)
			if err != nil {
				return nil, err
			}
			loops[g.Look] = l
			if first == nil {
				first = l
			}
		}
	}
	t := table{}
	for _, g := range s.Segments {
		for f := 0; f < g.Frames; f += FPS {
			t.add(&loops[g.Look].seconds[f/FPS%loopSeconds], min(FPS, g.Frames-f))
		}
	}
	return t.file(first.moov)
}

// openLoop reads a look. There are no more than a few dozen kilobytes of it.
func openLoop(w, h, look int) (*loop, error) {
	b, err := asset(w, h, look)
	if err != nil {
		return nil, err
	}
	f, err := mp4.DecodeFile(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("clip: look %d at %dx%d: %w", look, w, h, err)
	}
	frames := f.Moov.Trak.Mdia.Minf.Stbl.Stsz.SampleSize
	if len(frames) != FPS*loopSeconds {
		return nil, fmt.Errorf("clip: look %d at %dx%d has %d frames", look, w, h, len(frames))
	}
	l := &loop{moov: f.Moov}
	data := f.Mdat.Data
	for i := range l.seconds {
		sec := &l.seconds[i]
		sec.sizes = frames[i*FPS : (i+1)*FPS]
		n := 0
		for _, size := range sec.sizes {
			n += int(size)
		}
		sec.data, data = data[:n], data[n:]
	}
	return l, nil
}

// table collects a clip's seconds: what is shown when, and the bytes it needs.
type table struct {
	sizes  []uint32 // of every frame
	keys   []uint32 // numbers of the key frames, from 1
	chunks []uint32 // where every second begins in media
	counts []uint32 // frames of every second
	media  []byte
}

// add shows the first n frames of a second.
func (t *table) add(s *second, n int) {
	if !s.used {
		s.used, s.at = true, uint32(len(t.media))
		t.media = append(t.media, s.data...)
	}
	t.keys = append(t.keys, uint32(len(t.sizes))+1)
	t.sizes = append(t.sizes, s.sizes[:n]...)
	t.chunks = append(t.chunks, s.at)
	t.counts = append(t.counts, uint32(n))
}

// file writes the clip with its index before its media, so that a player can
// begin at once. The first look's headers are those of all: looks of one size
// were made to have the same.
func (t *table) file(moov *mp4.MoovBox) ([]byte, error) {
	duration := uint64(len(t.sizes)) * frameTicks
	// The movie has one track and no edits; what ffmpeg says of itself goes.
	moov.Children = []mp4.Box{moov.Mvhd, moov.Trak}
	moov.Mvhd.Timescale, moov.Mvhd.Duration = timescale, duration
	trak := moov.Trak
	trak.Edts = nil
	trak.Children = []mp4.Box{trak.Tkhd, trak.Mdia}
	trak.Tkhd.Duration = duration
	trak.Mdia.Mdhd.Timescale, trak.Mdia.Mdhd.Duration = timescale, duration

	stbl := trak.Mdia.Minf.Stbl
	stbl.Stts.SampleCount, stbl.Stts.SampleTimeDelta = []uint32{uint32(len(t.sizes))}, []uint32{frameTicks}
	stbl.Stss.SampleNumber = t.keys
	stbl.Stsz.SampleUniformSize, stbl.Stsz.SampleNumber, stbl.Stsz.SampleSize = 0, uint32(len(t.sizes)), t.sizes
	stsc := &mp4.StscBox{}
	for i, n := range t.counts {
		if i == 0 || n != t.counts[i-1] {
			if err := stsc.AddEntry(uint32(i)+1, n, 1); err != nil {
				return nil, fmt.Errorf("clip: %w", err)
			}
		}
	}
	*stbl.Stsc = *stsc

	// Offsets count from the file's beginning. Their values do not change the
	// size of the index, so it is known before they are.
	stbl.Stco.ChunkOffset = t.chunks
	ftyp := mp4.NewFtyp("isom", 0x200, []string{"isom", "iso2", "avc1", "mp41"})
	start := uint32(ftyp.Size() + moov.Size() + 8)
	for i := range t.chunks {
		t.chunks[i] += start
	}
	var b bytes.Buffer
	b.Grow(int(start) + len(t.media))
	for _, box := range []mp4.Box{ftyp, moov, &mp4.MdatBox{Data: t.media}} {
		if err := box.Encode(&b); err != nil {
			return nil, fmt.Errorf("clip: %w", err)
		}
	}
	return b.Bytes(), nil
}
