package video

import (
	"encoding/json"
	"slices"

	"screentest/shared/gateway"
)

// Names in the Storage. A draft's is followed by its mode.
const (
	draftName  = "screentest.video.draft."
	modeName   = "screentest.video.mode"
	promptName = "screentest.video.prompt" // see Form.prompt
)

// Draft is what a person filled in for one mode. It is kept as JSON in the
// browser's storage; what is under way (an upload) is not kept.
type Draft struct {
	Model  string   `json:"model,omitempty"`
	Also   []string `json:"also,omitempty"` // further models that the same is sent to
	Prompt string   `json:"prompt,omitempty"`
	// Used says that a clip was made of the prompt as it stands.
	Used  bool   `json:"used,omitempty"`
	Ratio string `json:"ratio,omitempty"` // "" is the model's own
	// Seconds is the field seconds where a person chooses it, and the length
	// of the clip itself in reference video; elsewhere it is worked out.
	Seconds int `json:"seconds,omitempty"`
	// Typed is what stands in its field where that is no whole number; Seconds
	// is 0 then.
	Typed string `json:"-"`
	// References is what the gateway said that the references take together,
	// in seconds, where that differs from what was measured (F149); else 0.
	References int `json:"references,omitempty"`

	// Whole is the field seconds of a reference video that is made again: the
	// length of the clip follows from it once the references are measured.
	Whole int `json:"whole,omitempty"`

	Images []Slot  `json:"images,omitempty"`
	Videos []Slot  `json:"videos,omitempty"` // references, or the one motion clip
	Shots  []Shot  `json:"shots,omitempty"`
	Source *Source `json:"source,omitempty"` // of an extend or upscale
	// VersionOf is our task whose settings these are, whose next version is made.
	VersionOf string `json:"version_of,omitempty"`
	After     *After `json:"after,omitempty"`

	Seeds       string `json:"seeds,omitempty"` // as typed
	Watermark   string `json:"watermark,omitempty"`
	Orientation string `json:"orientation,omitempty"`
	Background  string `json:"background,omitempty"`
}

// Shot is one scene of a multi-shot clip.
type Shot struct {
	ID      string `json:"id"` // tells the cards apart while they are moved
	Prompt  string `json:"prompt"`
	Seconds int    `json:"seconds"`
	Typed   string `json:"-"` // as in Draft
}

// Source is the clip that an extend or upscale starts from.
type Source struct {
	// UUID is what the request names: the gateway's internal id of the clip.
	UUID string `json:"uuid"`
	// Task is our own task with that clip; "" where the UUID was pasted.
	Task  string `json:"task,omitempty"`
	Index int    `json:"index,omitempty"`
	Title string `json:"title,omitempty"`
	// Provenance decides which models take it.
	Provenance gateway.Provenance `json:"provenance"`
}

// clone returns a Draft that shares nothing with d.
func (d *Draft) clone() *Draft {
	c := *d
	c.Also = slices.Clone(d.Also)
	c.Images, c.Videos, c.Shots = slices.Clone(d.Images), slices.Clone(d.Videos), slices.Clone(d.Shots)
	if d.Source != nil {
		s := *d.Source
		c.Source = &s
	}
	return &c
}

// empty says that nothing was filled in, beside the prompt, that a person would
// miss.
func (d *Draft) empty() bool {
	return len(d.Images) == 0 && len(d.Videos) == 0 && d.Source == nil && !slices.ContainsFunc(d.Shots, func(s Shot) bool { return s.Prompt != "" })
}

// loadDraft reads the draft of a mode. One that can't be read is an empty one.
func loadDraft(s Storage, mode gateway.Mode) *Draft {
	d := &Draft{}
	if json.Unmarshal([]byte(s.Get(draftName+string(mode))), d) != nil {
		d = &Draft{}
	}
	keep := func(list []Slot) []Slot {
		for i := range list {
			list[i].Stage, list[i].Preview = StageReady, ""
		}
		return list
	}
	d.Images, d.Videos = keep(d.Images), keep(d.Videos)
	return d
}

// save keeps the draft. Of files that are on their way nothing is kept but
// their place.
func (d *Draft) save(s Storage, mode gateway.Mode) {
	if b, err := json.Marshal(d); err == nil {
		s.Set(draftName+string(mode), string(b))
	}
}
