package video

import (
	"encoding/json"
	"strings"

	"screentest/shared/wire"
)

// Stage is how far a slot's file is.
type Stage string

// The stages. The zero Stage is that of an empty or a ready slot.
const (
	StageReady     Stage = ""
	StageUploading Stage = "uploading"
	StageMeasuring Stage = "measuring" // the link is there; the server looks at it
	StageFailed    Stage = "failed"    // not uploaded; see Slot.Problem
)

// Slot is a place for an image or a video: a link, or a file of the person's
// own that was uploaded.
type Slot struct {
	ID  string `json:"id,omitempty"`  // tells late answers where they belong
	URL string `json:"url,omitempty"` // what the request carries; "" while there is none
	// Path is where this server has the same file, for the preview; "" for a
	// link to elsewhere, from where the browser never loads.
	Path string `json:"path,omitempty"`
	Name string `json:"name,omitempty"` // of the file
	wire.Measured
	// ByHand: a person typed the length, because it could not be measured.
	ByHand bool `json:"by_hand,omitempty"`
	// Unreachable: the gateway can't fetch URL (wire.Upload).
	Unreachable bool `json:"unreachable,omitempty"`

	Stage   Stage         `json:"-"`
	Sent    int64         `json:"-"` // bytes, while uploading
	Preview string        `json:"-"` // a blob: address, until there is a Path
	Problem *wire.Problem `json:"-"` // why it could not be uploaded, or not be measured
}

// MarshalJSON leaves out what has not been uploaded.
func (s Slot) MarshalJSON() ([]byte, error) {
	if s.URL == "" {
		return []byte("{}"), nil
	}
	type plain Slot
	return json.Marshal(plain(s))
}

// Empty says that nothing was put into the slot.
func (s Slot) Empty() bool { return s.URL == "" && s.Stage == StageReady }

// free says that nothing is in the slot that can be used.
func (s Slot) free() bool { return s.Empty() || s.Stage == StageFailed }

// Shown is an address from which the page may show the file; "" if there is
// none.
func (s Slot) Shown() string {
	if s.Path != "" {
		return s.Path
	}
	return s.Preview
}

// Label names the file for a person: its name, else the end of its link.
func (s Slot) Label() string {
	if s.Name != "" {
		return s.Name
	}
	link, _, _ := strings.Cut(s.URL, "?")
	link = strings.TrimRight(link, "/")
	if i := strings.LastIndexByte(link, '/'); i >= 0 && i+1 < len(link) {
		return link[i+1:]
	}
	return link
}

// Host is that of the link, for a file that can't be shown.
func (s Slot) Host() string {
	_, rest, _ := strings.Cut(s.URL, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}
