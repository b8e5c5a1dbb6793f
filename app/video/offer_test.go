package video

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

const uuid = "0f6e0a3e-7f9f-4d3e-8d5a-4d8e8b8f3a11"

// clipOf is a finished clip of a model.
func clipOf(t *testing.T, model string, mode gateway.Mode) wire.VideoTask {
	t.Helper()
	m, known := gateway.SampleCatalogue().Lookup(model)
	if !known {
		t.Fatalf("no model %s", model)
	}
	p := gateway.NewProvenance(m, mode, nil)
	return wire.VideoTask{
		ID: "c", UUID: uuid, Model: model, Mode: string(mode), State: wire.VideoDone, FinishState: "SUCCESS", Version: 1,
		Family: string(p.Family), Tier: p.Tier, Resolution: p.Resolution, FinishedMS: noon.UnixMilli() - 1000,
		ExpiresMS: noon.Add(gateway.Retention).UnixMilli(),
		Outputs:   []wire.VideoOutput{{Archive: wire.ArchiveSaved, Seconds: 6}},
	}
}

func TestOffers(t *testing.T) {
	p := newPane(t)
	words := func(offers []Offer) (list []string) {
		for _, o := range offers {
			s := o.Label
			if !o.Enabled {
				s = "(" + s + ")"
			}
			list = append(list, s)
		}
		return list
	}
	late := func(t wire.VideoTask) wire.VideoTask { t.State = wire.VideoExpired; return t }
	open := clipOf(t, "beta-video-480p", gateway.TextToVideo)
	open.State, open.FinishState, open.FinishedMS, open.UUID = wire.VideoRunning, "IN_PROGRESS", 0, ""
	for _, c := range []struct {
		name string
		task wire.VideoTask
		want []string
	}{
		{"alpha original: extend and both upscales", clipOf(t, "alpha-3.1-fast", gateway.TextToVideo), []string{"Extend", "1080p", "4K"}},
		{"F130 an extend is not upscaled", clipOf(t, "alpha-3.1-fast-extend", gateway.Extend), []string{"Extend", "(Upscale)"}},
		{"beta 480p: to 720p and to 1080p", clipOf(t, "beta-video-480p", gateway.TextToVideo), []string{"Extend", "720p", "1080p"}},
		{"beta 1080p: nothing larger", clipOf(t, "beta-video-1080p", gateway.TextToVideo), []string{"Extend", "(Upscale)"}},
		{"gamma: none", clipOf(t, "gamma-2-720p", gateway.TextToVideo), []string{"(Extend)", "(Upscale)"}},
		{"expired: one button each", late(clipOf(t, "beta-video-480p", gateway.TextToVideo)), []string{"(Extend)", "(Upscale)"}},
		{"unfinished", open, []string{"(Extend)", "(Upscale)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			offers := p.Offers(&c.task)
			if got := words(offers); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
			for _, o := range offers {
				if o.Enabled == (o.Reason != "") || o.Enabled && (o.Model == "" || !strings.Contains(o.Full, "$")) {
					t.Errorf("%+v", o)
				}
			}
		})
	}
}

func TestRetry(t *testing.T) {
	failed := task(1, wire.VideoFailed)
	failed.Body, failed.Source = json.RawMessage(`{"model":"m"}`), "src"
	p := opened(t, "", failed, task(2, wire.VideoUnknown))
	p.Retry("t002", "new")
	if len(p.calls) != 0 {
		t.Errorf("G35: an unknown creation was sent again: %v", p.calls)
	}
	p.Retry("t001", "new")
	var c wire.VideoCreate
	if err := json.Unmarshal([]byte(p.asked(wire.OpVideoCreate).json()), &c); err != nil || c.ID != "new" || string(c.Body) != `{"model":"m"}` || c.Source != "src" {
		t.Errorf("%+v, %v", c, err)
	}
}
