package video

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"screentest/shared/wire"
)

// disposition has the browser save a file where that is asked for.
func disposition(w http.ResponseWriter, r *http.Request, t wire.VideoTask, o wire.VideoOutput) {
	if d := r.URL.Query().Get("download"); d == "" || d == "0" {
		return
	}
	name := saveName(t, o)
	value := `attachment; filename="` + name + `"`
	if strings.IndexFunc(name, func(r rune) bool { return r > '~' }) >= 0 {
		value = "attachment; filename*=UTF-8''" + url.PathEscape(name)
	}
	w.Header().Set("Content-Disposition", value)
}

// maxSaved bounds the words of a name, in characters: with all of them in four
// bytes it is still one that file systems take.
const maxSaved = 50

// saveName is a safe and telling name for an output: letters, digits and
// hyphens of the title or the prompt, and the start of the task's id.
func saveName(t wire.VideoTask, o wire.VideoOutput) string {
	text := t.Title
	if text == "" {
		text = t.Prompt
	}
	var words []rune
	for _, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r) && len(words) > 0:
			words = append(words, unicode.ToLower(r))
		case len(words) > 0 && words[len(words)-1] != '-':
			words = append(words, '-')
		}
		if len(words) >= maxSaved {
			break
		}
	}
	name := strings.Trim(string(words), "-")
	if name == "" {
		name = "clip"
	}
	name += "-" + t.ID[:min(8, len(t.ID))]
	if len(t.Outputs) > 1 {
		name += "-" + strconv.Itoa(o.Index+1)
	}
	ext := extension(o.Type)
	if o.Type == "" {
		ext = "mp4"
	}
	return name + "." + ext
}
