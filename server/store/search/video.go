package search

import (
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// videoDoc is the doc of a video task. Two docs of a task are equal as long as
// nothing changed that can be found.
func videoDoc(t wire.VideoTask) doc {
	d := doc{kinds: metaVideo, title: searchable(strings.Join(append([]string{t.Title}, t.Tags...), "\n")),
		question: searchable(prompts(t)), errors: searchable(problemText(t.Problem)), model: t.Model + " " + t.Mode}
	d.kinds += " " + metaModel(t.Model) + " " + metaState(wire.RunState(t.State))
	switch t.State {
	case wire.VideoExpired:
		d.kinds += " " + metaState(wire.Done)
	case wire.VideoRefused, wire.VideoLost:
		d.kinds += " " + metaState(wire.Failed)
	}
	if t.Problem != nil {
		d.kinds += " " + metaError
	}
	return d
}

// SameVideo says that a and b, one task at two times, can be found by the same.
func SameVideo(a, b wire.VideoTask) bool { return videoDoc(a) == videoDoc(b) }

// Words is what the gallery's search looks in.
func Words(t wire.VideoTask) string {
	return strings.ToLower(strings.Join(append([]string{prompts(t), t.Title, t.Model}, t.Tags...), "\n"))
}

// prompts are the prompt of a task, and those of its shots where it has several.
func prompts(t wire.VideoTask) string {
	all := t.Prompt
	if t.Mode == string(gateway.MultiShot) {
		for _, shot := range gateway.Scenes(t.Body) {
			all += "\n" + shot.Prompt
		}
	}
	return all
}
