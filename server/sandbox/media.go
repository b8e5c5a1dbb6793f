package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"screentest/server/mp4"
	"screentest/shared/gateway"
)

// The bounds of what is measured.
const (
	minReference      = 2 * second // each (F142)
	maxReference      = 15 * second
	maxReferenceTotal = 15 * second // together, before rounding (F143, G21)
	minMotion         = 3 * second  // (F155)
	maxMotion         = 30 * second
	minVrefClip       = 4 // seconds of the result (F146)
	maxVrefClip       = 15
)

// length is a measured length in microseconds: whole numbers, so that three
// references of 5 s are 15 s and not a little more.
type length int64

const second length = 1_000_000

func lengthOf(i mp4.Info) length { return length(math.Round(i.Seconds * float64(second))) }

// String writes seconds with the decimals that they need.
func (l length) String() string {
	return strconv.FormatFloat(float64(l)/float64(second), 'f', -1, 64) + " s"
}

// measured is what the sandbox found out about the clips that a request names.
type measured struct {
	references int      // R: their lengths together, in whole seconds
	motion     mp4.Info // of the motion clip
}

// measure fetches and measures the clips of a request and holds its seconds
// against them (F142–F149, F155–F158). It does so for itself, whatever the
// client says to have measured.
func (s *Server) measure(c *call, v video) (m measured, err error) {
	switch v.mode {
	case gateway.Reference:
		m.references, err = s.measureReferences(c, v)
	case gateway.Motion:
		m.motion, err = s.measureMotion(c, v)
	}
	return m, err
}

func (s *Server) measureReferences(c *call, v video) (rounded int, err error) {
	total := length(0)
	for i, u := range v.references {
		field := "reference_video_urls[" + strconv.Itoa(i) + "]"
		info, err := s.measureURL(c, field, u)
		if err != nil {
			return 0, err
		}
		l := lengthOf(info)
		if l < minReference || l > maxReference {
			return 0, invalid(field, "%s is %v long; a reference video must be 2 to 15 s", field, l)
		}
		total += l
	}
	if total > maxReferenceTotal {
		return 0, invalid("reference_video_urls", "the reference videos are %v long together; at most 15 s are allowed", total)
	}
	// The total is rounded half up, not each file (G21).
	rounded = int((total + second/2) / second)
	if lo, hi := rounded+minVrefClip, rounded+maxVrefClip; v.seconds < lo || v.seconds > hi {
		return 0, &refusal{status: gateway.Status(gateway.CodeReferenceSeconds), code: gateway.CodeReferenceSeconds, param: "seconds",
			message: fmt.Sprintf("seconds is %d; the references are %v long, so it must be the clip's 4 to 15 s and %d s more; allowed: %d to %d",
				v.seconds, total, rounded, lo, hi)}
	}
	return rounded, nil
}

func (s *Server) measureMotion(c *call, v video) (mp4.Info, error) {
	info, err := s.measureURL(c, "video_url", v.motion)
	if err != nil {
		return info, err
	}
	l := lengthOf(info)
	if l < minMotion || l > maxMotion {
		return info, invalid("video_url", "the motion clip is %v long; it must be 3 to 30 s", l)
	}
	// Less than a second off to either side will do (G22).
	var allowed []string
	for n := l/second - 1; n <= l/second+1; n++ {
		if off := n*second - l; -second < off && off < second {
			if int(n) == v.seconds {
				return info, nil
			}
			allowed = append(allowed, strconv.Itoa(int(n)))
		}
	}
	return info, &refusal{status: gateway.Status(gateway.CodeInvalidSeconds), code: gateway.CodeInvalidSeconds, param: "seconds",
		message: fmt.Sprintf("seconds is %d, and the motion clip is %v long; allowed: %s", v.seconds, l, strings.Join(allowed, ", "))}
}

// measureURL measures one clip: a file of its own without any request, another
// one by fetching it.
func (s *Server) measureURL(c *call, field, link string) (mp4.Info, error) {
	if id, own := s.ownFile(c, link); own {
		spec, ok := s.fileSpec(id)
		if !ok {
			return mp4.Info{}, invalid(field, "%s: the link answered with status 404", field)
		}
		return mp4.Info{Seconds: spec.Seconds(), Width: spec.Width, Height: spec.Height}, nil
	}
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	body, err := s.get(ctx, link)
	if err != nil {
		return mp4.Info{}, invalid(field, "%s: %v", field, err)
	}
	defer func() { _ = body.Close() }()
	info, err := mp4.Measure(body)
	if err != nil {
		var timeout interface{ Timeout() bool }
		if errors.As(err, &timeout) && timeout.Timeout() {
			err = errors.New("the link took too long")
		}
		return info, invalid(field, "%s: %v", field, err)
	}
	return info, nil
}

// ownFile says whether a link is to a file of this sandbox, as its replies
// name them, and which.
func (s *Server) ownFile(c *call, link string) (uuid string, own bool) {
	u, err := url.Parse(link)
	if err != nil {
		return "", false
	}
	base, err := url.Parse(s.filesBase(c))
	if err != nil || !strings.EqualFold(u.Host, base.Host) || u.Scheme != base.Scheme {
		return "", false
	}
	return fileID(strings.TrimPrefix(u.Path, strings.TrimSuffix(base.Path, "/")))
}
