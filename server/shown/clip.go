package shown

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"

	"screentest/server/sight"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// clipStates are the states of a clip in words.
var clipStates = map[wire.VideoState]string{
	wire.VideoCreating: "being sent", wire.VideoUnknown: "not known", wire.VideoQueued: "waiting at the gateway", wire.VideoRunning: "being made",
	wire.VideoDone: "done", wire.VideoFailed: "failed", wire.VideoExpired: "done", wire.VideoRefused: "refused", wire.VideoLost: "lost",
}

// clip is what is shown of a clip. Its files are at addresses of this page; the
// gateway's are in no way part of it.
func (s *Service) clip(ctx context.Context, key string, seen sight.Sight) (*node, error) {
	opened, err := s.Videos.Open(ctx, seen.Owner, seen.Subject)
	if err != nil {
		return nil, err
	}
	t := opened.Task
	if t.Deleted {
		return nil, fs.ErrNotExist
	}
	root := &node{id: "doc", open: `<div id="doc" class="clip">`, close: "</div>"}
	leaf := func(tag, id string, inside func(h *html)) {
		var h html
		h.el(tag, []string{"id", id}, func() { inside(&h) })
		root.kids = append(root.kids, &node{id: id, open: string(h)})
	}
	leaf("h1", "title", func(h *html) { h.text(seen.Title) })
	leaf("div", "player", func(h *html) { player(h, key, t) })
	leaf("p", "clip-state", func(h *html) {
		h.text(clipStates[t.State])
		if t.State == wire.VideoRunning && t.Progress >= 0 {
			h.text(" · " + strconv.Itoa(t.Progress) + " %")
		}
		if t.Problem != nil && t.State.Final() {
			h.text(": " + s.masked(t.Problem.Message))
		}
	})
	leaf("div", "settings", func(h *html) { settings(h, t) })
	leaf("p", "clip-links", func(h *html) {
		h.raw(`<a class="copy"`)
		h.attr("href", "/video?reuse="+seen.Share)
		h.raw(`>Use these settings</a> <a class="person"`)
		h.attr("href", "/review/"+seen.Share)
		h.raw(">Open the review</a>")
	})
	return root, nil
}

// player plays the files of a clip.
func player(h *html, key string, t wire.VideoTask) {
	at := func(kind string, index int) string {
		return wire.SharePath + key + "/" + kind + "/0/" + strconv.Itoa(index)
	}
	for _, o := range t.Outputs {
		if o.Archive != wire.ArchiveSaved && o.Link == "" {
			continue // it plays no more
		}
		h.raw(`<video controls playsinline preload="metadata"`)
		h.attr("aria-label", "Clip "+strconv.Itoa(o.Index+1))
		if o.Width > 0 && o.Height > 0 {
			h.attr("width", strconv.Itoa(o.Width))
			h.attr("height", strconv.Itoa(o.Height))
		}
		if o.Poster {
			h.attr("poster", at("poster", o.Index))
		}
		h.attr("src", at("media", o.Index))
		h.raw("></video>")
	}
}

// settings are what the clip was made with, as far as they are no addresses.
func settings(h *html, t wire.VideoTask) {
	h.line("p", "written", t.Prompt)
	if scenes := gateway.Scenes(t.Body); len(scenes) > 0 {
		h.raw(`<ol class="scenes">`)
		for _, sc := range scenes {
			h.raw("<li>")
			h.text(fmt.Sprintf("%s (%d s)", sc.Prompt, sc.Duration))
			h.raw("</li>")
		}
		h.raw("</ol>")
	}
	h.raw("<dl>")
	row := func(name, value string) {
		if value != "" {
			h.line("dt", "", name)
			h.line("dd", "", value)
		}
	}
	row("Model", t.Model)
	if t.Seconds > 0 {
		row("Length", strconv.Itoa(t.Seconds)+" s")
	}
	var r gateway.VideoRequest
	if json.Unmarshal(t.Body, &r) == nil {
		row("Aspect ratio", r.AspectRatio)
		row("Images", count(len(r.ImageURLs)))
		row("Reference videos", count(len(r.ReferenceVideoURLs)))
		if r.Seeds != nil {
			row("Seed", strconv.Itoa(*r.Seeds))
		}
		row("Character's orientation", r.CharacterOrientation)
		row("Background", r.BackgroundSource)
	}
	if t.PriceNanoUSD > 0 {
		row("Price", money.NanoUSD(t.PriceNanoUSD).String())
	}
	if t.FinishedMS > t.CreatedMS {
		row("Made in", span(t.FinishedMS-t.CreatedMS))
	}
	row("Made on", day(t.CreatedMS))
	h.raw("</dl>")
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
