// Command generate makes the looks that package clip joins into clips: for
// every frame size one MP4 a look, two seconds long, each second a closed group
// of pictures. It needs ffmpeg with libx264 and is run by hand, by
//
//	go generate ./server/sandbox/clip
//
// whenever a look or a size is added; what it writes is committed, so that
// neither building nor running Screentest needs ffmpeg.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
)

const (
	fps         = 24
	loopSeconds = 2
)

// A size is a frame size in pixels, and how many times smaller it is drawn
// before ffmpeg scales it up: 4K is drawn at half its size, which nobody sees in
// flat colours.
type size struct{ w, h, scale int }

// sizes are every resolution and ratio of the sample catalogue.
var sizes = []size{
	// 480p: beta, and gamma's wider choice.
	{854, 480, 1}, {480, 854, 1}, {480, 480, 1}, {640, 480, 1}, {480, 640, 1}, {1120, 480, 1},
	// 720p: every family.
	{1280, 720, 1}, {720, 1280, 1}, {720, 720, 1}, {960, 720, 1}, {720, 960, 1}, {1680, 720, 1},
	// 1080p: beta, delta and alpha's upscale.
	{1920, 1080, 1}, {1080, 1920, 1}, {1080, 1080, 1},
	// 4K: alpha's upscale.
	{3840, 2160, 2}, {2160, 3840, 2},
}

func main() {
	out := flag.String("out", "looks", "folder to write to")
	only := flag.String("only", "", "one size, as 1280x720")
	flag.Parse()
	if err := os.MkdirAll(*out, 0o755); err != nil {
		log.Fatal(err)
	}
	for _, s := range sizes {
		if name := fmt.Sprintf("%dx%d", s.w, s.h); *only != "" && *only != name {
			continue
		}
		for i, l := range looks {
			if err := encode(*out, s, i, l); err != nil {
				log.Fatalf("%dx%d %s: %v", s.w, s.h, l.name, err)
			}
		}
	}
}

// encode draws one look at one size and writes it as OUT/WxH-NN.mp4.
func encode(out string, s size, index int, l look) error {
	path := filepath.Join(out, fmt.Sprintf("%dx%d-%02d.mp4", s.w, s.h, index))
	w, h := s.w/s.scale, s.h/s.scale
	cmd := exec.Command("ffmpeg", "-y", "-loglevel", "error",
		"-f", "rawvideo", "-pix_fmt", "rgb24", "-s", fmt.Sprintf("%dx%d", w, h), "-r", fmt.Sprint(fps), "-i", "-",
		"-vf", fmt.Sprintf("scale=%d:%d:flags=bilinear:out_color_matrix=bt709:out_range=tv,format=yuv420p", s.w, s.h),
		"-c:v", "libx264", "-profile:v", "high", "-preset", "slow", "-crf", "36", "-threads", "2",
		// No B-frames, so that a clip may be cut after any frame; a key frame
		// every second and nowhere else; headers that do not depend on the
		// content, so that looks of one size can be joined.
		"-bf", "0", "-refs", "1", "-g", fmt.Sprint(fps), "-keyint_min", fmt.Sprint(fps), "-sc_threshold", "0",
		"-x264-params", "stitchable=1:info=0",
		"-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709", "-color_range", "tv",
		"-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1",
		"-video_track_timescale", fmt.Sprint(fps*1000), "-movflags", "+faststart", path)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	frame := make([]byte, w*h*3)
	for n := range fps * loopSeconds {
		draw(frame, w, h, l, float64(n)/(fps*loopSeconds))
		if _, err := pipe.Write(frame); err != nil {
			return fmt.Errorf("frame %d: %w", n, err)
		}
	}
	if err := pipe.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}

// draw fills frame with the look at phase t of its loop, 0 ≤ t < 1. The shorter
// side of the frame is 1 long, its middle the origin.
func draw(frame []byte, w, h int, l look, t float64) {
	shade := l.at(t, float64(w)/float64(min(w, h))/2, float64(h)/float64(min(w, h))/2)
	unit := 1 / float64(min(w, h))
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for k := range workers {
		wg.Go(func() {
			for y := k; y < h; y += workers {
				v := (float64(y) + 0.5 - float64(h)/2) * unit
				row := frame[y*w*3 : (y+1)*w*3]
				for x := range w {
					c := shade((float64(x)+0.5-float64(w)/2)*unit, v, unit)
					row[x*3], row[x*3+1], row[x*3+2] = c.r, c.g, c.b
				}
			}
		})
	}
	wg.Wait()
}
