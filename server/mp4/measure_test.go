package mp4

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/Eyevinn/mp4ff/mp4"
)

// box is an MP4 box around its content.
func box(kind string, content ...[]byte) []byte {
	b := append([]byte{0, 0, 0, 0}, kind...)
	for _, c := range content {
		b = append(b, c...)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	return b
}

func u32(v ...uint32) []byte {
	var b []byte
	for _, n := range v {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// movie is an MP4 index with one video track.
func movie(timescale, duration uint32) []byte {
	return box("moov", box("trak",
		box("tkhd", u32(0, 0, 0, 7), make([]byte, 60), u32(640<<16, 480<<16)),
		box("mdia",
			box("mdhd", u32(0, 0, 0, timescale, duration, 0)),
			box("hdlr", u32(0, 0), []byte("vide"), make([]byte, 13)))))
}

// TestMeasureShapes: files as others write them.
func TestMeasureShapes(t *testing.T) {
	ftyp := box("ftyp", []byte("isom"), u32(0))
	long := append(append(u32(1), "mdat"...), binary.BigEndian.AppendUint64(nil, 16+5)...)
	long = append(long, "media"...)
	fragmented, err := fragments(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		file []byte
		want float64
	}{
		{"index first", bytes.Join([][]byte{ftyp, movie(1000, 2500), box("mdat", make([]byte, 100))}, nil), 2.5},
		{"index last", bytes.Join([][]byte{ftyp, box("mdat", make([]byte, 100)), movie(24000, 24000*3)}, nil), 3},
		{"media with a 64-bit length", bytes.Join([][]byte{ftyp, long, movie(10, 74)}, nil), 7.4},
		{"media to the end of the file", append(bytes.Join([][]byte{ftyp, movie(10, 20), u32(0)}, nil), "mdat-and-more"...), 2},
		{"cut off within the media", bytes.Join([][]byte{ftyp, movie(10, 20), u32(1000), []byte("mdat")}, nil), 2},
		{"in fragments, without a length in the index", fragmented, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Measure(bytes.NewReader(c.file))
			if err != nil || math.Abs(got.Seconds-c.want) > 1e-9 {
				t.Errorf("%v, %v; want %v s", got, err, c.want)
			}
		})
	}
}

// fragments is a fragmented file of 5 s, written by mp4ff.
func fragments(t *testing.T) ([]byte, error) {
	t.Helper()
	init := mp4.CreateEmptyInit()
	init.AddEmptyTrack(24000, "video", "und")
	var b bytes.Buffer
	if err := init.Encode(&b); err != nil {
		return nil, err
	}
	for n := range uint32(5) {
		f, err := mp4.CreateFragment(n+1, 1)
		if err != nil {
			return nil, err
		}
		for range 24 {
			f.AddFullSample(mp4.FullSample{Sample: mp4.Sample{Dur: 1000, Size: 4}, Data: []byte("data")})
		}
		if err := f.Encode(&b); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// TestMeasureRefuses: what is no clip is an error, and lengths that lie cost
// nothing.
func TestMeasureRefuses(t *testing.T) {
	ftyp := box("ftyp", []byte("isom"), u32(0))
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"nothing", "not an MP4", nil},
		{"a web page", "not an MP4", []byte("<!doctype html><title>404</title>")},
		{"no index", "no video track", ftyp},
		{"no length", "no video track", append(ftyp, movie(1000, 0)...)},
		{"timescale 0", "no video track", append(ftyp, movie(0, 1000)...)},
		{"an index that claims 4 GB", "no video track", bytes.Join([][]byte{ftyp, u32(math.MaxUint32), []byte("moov")}, nil)},
		{"an index larger than 16 MB", "index is larger", append(ftyp, box("moov", make([]byte, maxIndex+1))...)},
		{"a box shorter than its head", "box \"mdat\"", bytes.Join([][]byte{ftyp, u32(4), []byte("mdat")}, nil)},
		{"too many boxes", "more than", append(ftyp, bytes.Repeat(box("free"), maxBoxes+1)...)},
		{"sound only", "no video track", bytes.Replace(append(ftyp, movie(1000, 1000)...), []byte("vide"), []byte("soun"), 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if info, err := Measure(bytes.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v, %v; want an error with %q", info, err, c.want)
			}
		})
	}
}

// FuzzMeasure: nothing that can be sent makes it panic or find a length that
// is none.
func FuzzMeasure(f *testing.F) {
	f.Add(append(box("ftyp", []byte("isom")), movie(1000, 2500)...))
	f.Add(append(box("ftyp"), box("moof", box("traf", box("tfhd", u32(8, 1, 5)), box("trun", u32(0x100, 2, 3, 4))))...))
	f.Fuzz(func(t *testing.T, b []byte) {
		info, err := Measure(bytes.NewReader(b))
		if err == nil && (!(info.Seconds > 0) || math.IsInf(info.Seconds, 0)) {
			t.Errorf("measured as %v s", info.Seconds)
		}
	})
}
