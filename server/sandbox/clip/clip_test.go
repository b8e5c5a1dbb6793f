package clip

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/Eyevinn/mp4ff/mp4"

	ours "screentest/server/mp4"
)

// TestSizes: every resolution and ratio of the sample catalogue has its exact
// frame size, and what is not there has the nearest.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		resolution, ratio string
		w, h              int
	}{
		{"480p", "16:9", 854, 480}, {"480p", "9:16", 480, 854}, {"480p", "1:1", 480, 480},
		{"480p", "4:3", 640, 480}, {"480p", "3:4", 480, 640}, {"480p", "21:9", 1120, 480},
		{"720p", "16:9", 1280, 720}, {"720p", "9:16", 720, 1280}, {"720p", "1:1", 720, 720},
		{"720p", "4:3", 960, 720}, {"720p", "3:4", 720, 960}, {"720p", "21:9", 1680, 720},
		{"1080p", "16:9", 1920, 1080}, {"1080p", "9:16", 1080, 1920}, {"1080p", "1:1", 1080, 1080},
		{"4k", "16:9", 3840, 2160}, {"4K", "9:16", 2160, 3840},
		{"", "", 1280, 720}, {"540p", "16:9", 854, 480}, {"1080p", "5:4", 1080, 1080},
		{"720p", "0:1", 1280, 720}, {"720p", "1e308:1e-308", 1280, 720}, {"99999999999999999999p", "x:y", 1280, 720},
	} {
		if w, h := Size(c.resolution, c.ratio); w != c.w || h != c.h {
			t.Errorf("Size(%q, %q) = %d×%d, want %d×%d", c.resolution, c.ratio, w, h, c.w, c.h)
		}
	}
}

// TestEncode: a clip of every size, opened by mp4ff and by our own reader, is
// exactly as long and as large as asked.
func TestEncode(t *testing.T) {
	for _, s := range sizes {
		for _, frames := range []int{1, 23, 24, 25, 4 * FPS, 178} {
			spec := Spec{s.w, s.h, []Segment{{frames % Looks, frames}}}
			check(t, spec)
		}
	}
	check(t, Spec{1280, 720, []Segment{{0, 8 * FPS}, {3, 8*FPS + 5}, {0, 30}}})
}

func check(t *testing.T, spec Spec) {
	t.Helper()
	b, err := spec.Encode()
	if err != nil {
		t.Fatalf("%v: %v", spec, err)
	}
	f, err := mp4.DecodeFile(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%v: %v", spec, err)
	}
	trak := f.Moov.Trak
	if got := int(trak.GetNrSamples()); got != spec.Frames() {
		t.Errorf("%v: %d frames, want %d", spec, got, spec.Frames())
	}
	if got := float64(trak.Mdia.Mdhd.Duration) / float64(trak.Mdia.Mdhd.Timescale); got != spec.Seconds() {
		t.Errorf("%v: %v s, want %v", spec, got, spec.Seconds())
	}
	if w, h := int(trak.Tkhd.Width>>16), int(trak.Tkhd.Height>>16); w != spec.Width || h != spec.Height {
		t.Errorf("%v: %d×%d", spec, w, h)
	}
	// Every frame lies within the file, whatever chunk it is in.
	for _, r := range ranges(t, trak, spec.Frames()) {
		if r.Offset+r.Size > uint64(len(b)) {
			t.Fatalf("%v: a frame ends at %d of %d bytes", spec, r.Offset+r.Size, len(b))
		}
	}
	info, err := ours.Measure(bytes.NewReader(b))
	if err != nil || info != (ours.Info{Seconds: spec.Seconds(), Width: spec.Width, Height: spec.Height}) {
		t.Errorf("%v: measured as %+v, %v", spec, info, err)
	}
}

func ranges(t *testing.T, trak *mp4.TrakBox, n int) []mp4.DataRange {
	t.Helper()
	r, err := trak.GetRangesForSampleInterval(1, uint32(n))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLooksOfOneSizeJoin: looks of one size have the same decoder settings, so
// that one may follow the other, and no two show the same.
func TestLooksOfOneSizeJoin(t *testing.T) {
	for _, s := range sizes {
		var settings []byte
		seen := map[string]int{}
		for look := range Looks {
			l, err := openLoop(s.w, s.h, look)
			if err != nil {
				t.Fatal(err)
			}
			avc := l.moov.Trak.Mdia.Minf.Stbl.Stsd.AvcX.AvcC
			var b bytes.Buffer
			if err := avc.Encode(&b); err != nil {
				t.Fatal(err)
			}
			if settings == nil {
				settings = b.Bytes()
			} else if !bytes.Equal(settings, b.Bytes()) {
				t.Errorf("look %d at %d×%d has other decoder settings than look 0", look, s.w, s.h)
			}
			if keys := l.moov.Trak.Mdia.Minf.Stbl.Stss.SampleNumber; len(keys) != loopSeconds || keys[1] != FPS+1 {
				t.Errorf("look %d at %d×%d has its key frames at %v", look, s.w, s.h, keys)
			}
			if l.moov.Trak.Mdia.Minf.Stbl.Ctts != nil {
				t.Errorf("look %d at %d×%d has B-frames: it cannot be cut anywhere", look, s.w, s.h)
			}
			if other, ok := seen[string(l.seconds[0].data)]; ok {
				t.Errorf("looks %d and %d at %d×%d are the same", other, look, s.w, s.h)
			}
			seen[string(l.seconds[0].data)] = look
		}
	}
}

// TestExtendBeginsWithItsSource: the frames of a clip are the first frames of
// the clip that goes on from it, byte for byte.
func TestExtendBeginsWithItsSource(t *testing.T) {
	source := Spec{720, 1280, []Segment{{2, 100}}}
	longer := source.Then(Segment{5, 8 * FPS})
	a, b := frames(t, source), frames(t, longer)
	if len(b) != len(a)+8*FPS {
		t.Fatalf("%d frames, want %d more than %d", len(b), 8*FPS, len(a))
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			t.Fatalf("frame %d differs from the source's", i)
		}
	}
	if len(source.Segments) != 1 {
		t.Error("Then changed the clip it was called on")
	}
}

func frames(t *testing.T, s Spec) [][]byte {
	t.Helper()
	b, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err := mp4.DecodeFile(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	stbl := f.Moov.Trak.Mdia.Minf.Stbl
	for n := 1; n <= s.Frames(); n++ {
		chunk, first, err := stbl.Stsc.ChunkNrFromSampleNr(n)
		if err != nil {
			t.Fatal(err)
		}
		at := stbl.Stco.ChunkOffset[chunk-1]
		for k := first; k < n; k++ {
			at += stbl.Stsz.SampleSize[k-1]
		}
		out = append(out, b[at:at+stbl.Stsz.SampleSize[n-1]])
	}
	return out
}

// TestLongClipIsSmall: a second shown twice is stored once.
func TestLongClipIsSmall(t *testing.T) {
	short, err := Spec{1280, 720, []Segment{{1, 4 * FPS}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	long, err := Spec{1280, 720, []Segment{{1, 60 * FPS}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(long) > len(short)+60*FPS*4+2000 {
		t.Errorf("60 s are %d bytes, 4 s %d", len(long), len(short))
	}
	t.Logf("4 s: %d bytes, 60 s: %d bytes", len(short), len(long))
}

// TestBadSpecs: what cannot be made is an error.
func TestBadSpecs(t *testing.T) {
	for name, s := range map[string]Spec{
		"no segments":  {1280, 720, nil},
		"no frames":    {1280, 720, []Segment{{0, 0}}},
		"unknown size": {123, 45, []Segment{{0, 24}}},
		"unknown look": {1280, 720, []Segment{{Looks, 24}}},
	} {
		if _, err := s.Encode(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestFFprobeReadsEveryKindOfClip: an independent reader finds the length, the
// size, the codec and the frames that were asked for, and decodes them without
// a complaint.
func TestFFprobeReadsEveryKindOfClip(t *testing.T) {
	probe, err := exec.LookPath("ffprobe")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("ffprobe is not installed: the test set-up installs it (apt-get install ffmpeg)")
		}
		t.Log("NOT CHECKED BY AN INDEPENDENT READER: ffprobe is not installed (apt-get install ffmpeg)")
		return
	}
	for _, spec := range []Spec{
		{854, 480, []Segment{{0, 6 * FPS}}},
		{720, 1280, []Segment{{4, 178}}},
		{1680, 720, []Segment{{5, 15 * FPS}}},
		{1080, 1080, []Segment{{7, 3 * FPS}, {8, 4 * FPS}}},
		{3840, 2160, []Segment{{9, 4 * FPS}}},
		{1280, 720, []Segment{{1, 100}, {2, 8 * FPS}, {10, 8 * FPS}}},
	} {
		t.Run(fmt.Sprintf("%dx%d %.3f s", spec.Width, spec.Height, spec.Seconds()), func(t *testing.T) {
			b, err := spec.Encode()
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "clip.mp4")
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			cmd := exec.Command(probe, "-v", "warning", "-count_frames", "-show_streams", "-show_format", "-of", "json", path)
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || stderr.Len() > 0 {
				t.Fatalf("ffprobe: %v: %s", err, stderr.Bytes())
			}
			var got struct {
				Streams []struct {
					Codec    string `json:"codec_name"`
					Width    int    `json:"width"`
					Height   int    `json:"height"`
					Duration string `json:"duration"`
					Frames   string `json:"nb_read_frames"`
				} `json:"streams"`
				Format struct {
					Duration string `json:"duration"`
				} `json:"format"`
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			if len(got.Streams) != 1 {
				t.Fatalf("%d streams", len(got.Streams))
			}
			s, want := got.Streams[0], strconv.FormatFloat(spec.Seconds(), 'f', 6, 64)
			if s.Codec != "h264" || s.Width != spec.Width || s.Height != spec.Height || s.Duration != want || got.Format.Duration != want || s.Frames != strconv.Itoa(spec.Frames()) {
				t.Errorf("ffprobe sees %+v, format %s; want %s s of %d frames", s, got.Format.Duration, want, spec.Frames())
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, spec := range []Spec{
		{1280, 720, []Segment{{1, 8 * FPS}}},
		{3840, 2160, []Segment{{1, 8 * FPS}}},
		{1280, 720, []Segment{{1, 60 * FPS}}},
	} {
		b.Run(fmt.Sprintf("%dx%d %.0fs", spec.Width, spec.Height, spec.Seconds()), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := spec.Encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
