package video

import (
	"strings"

	"screentest/shared/gateway"
)

// Say puts an issue as one would say it of the form. The verdict itself names the
// fields of the request, for those who write requests.
func (f *Form) Say(i gateway.Issue) string {
	m := i.Message
	switch {
	case strings.Contains(m, " must be a public link"):
		return "This isn’t a web address. Begin it with https:// or http://."
	case i.Code == gateway.CodePrivateAddress:
		return "Only this machine or network reaches this address; the gateway needs a public link."
	case i.Code == gateway.CodeNotMP4:
		return "The link doesn’t end in .mp4; a reference video is an MP4 file."
	case strings.HasPrefix(m, "task_id must be"):
		return "This isn’t the UUID of a clip, such as 123e4567-e89b-12d3-a456-426614174000."
	case strings.HasPrefix(m, "aspect_ratio must be"):
		return "An aspect ratio is two whole numbers, such as 16:9."
	}
	inner := i.Field[strings.LastIndexByte(i.Field, '.')+1:]
	for _, name := range []string{i.Field, inner} {
		if rest, is := strings.CutPrefix(m, name+" "); is && name != "" {
			m = f.placeName(i.Field) + " " + rest
			break
		}
	}
	m = strings.NewReplacer("a scene's prompt", "the text of a shot", "a scene ", "a shot ", "scenes", "shots",
		", and the request has ", ", but the form has ", ", counted from 1", "").Replace(m)
	if m == "" {
		return ""
	}
	return strings.ToUpper(m[:1]) + strings.TrimSuffix(m[1:], ".") + "."
}
