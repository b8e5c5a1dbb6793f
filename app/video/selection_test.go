package video

import (
	"testing"

	"screentest/shared/wire"
)

func TestSelection(t *testing.T) {
	p := opened(t, "", task(5, wire.VideoDone), task(4, wire.VideoDone), task(3, wire.VideoDone), task(2, wire.VideoDone), task(1, wire.VideoDone))
	p.Select(true)
	if path, why := p.ComparePath(); path != "" || why == "" {
		t.Errorf("compare nothing: %q, %q", path, why)
	}
	if path, why := p.ZipPath(); path != "" || why == "" {
		t.Errorf("a zip of nothing: %q, %q", path, why)
	}
	p.Toggle("t004")
	p.Toggle("t002")
	if path, _ := p.ComparePath(); path != "/video/compare?ids=t004,t002" {
		t.Error(path)
	}
	if path, _ := p.ZipPath(); path != "/api/videos.zip?ids=t004,t002" {
		t.Error(path)
	}
	for _, id := range []string{"t001", "t003", "t005"} {
		p.Toggle(id)
	}
	if path, why := p.ComparePath(); path != "" || why == "" {
		t.Errorf("compare five: %q, %q", path, why)
	}
	p.Toggle("t005")
	if path, _ := p.ComparePath(); path == "" {
		t.Error("four can't be compared")
	}
}
