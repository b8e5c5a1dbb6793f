package video

import (
	"testing"

	"screentest/shared/wire"
)

func TestSelection(t *testing.T) {
	p := opened(t, "", task(5, wire.VideoDone), task(4, wire.VideoDone), task(3, wire.VideoDone), task(2, wire.VideoDone), task(1, wire.VideoDone))
	p.Selection.Set(true)
	if path, why := p.Selection.ComparePath(); path != "" || why == "" {
		t.Errorf("compare nothing: %q, %q", path, why)
	}
	if path, why := p.Selection.ZipPath(); path != "" || why == "" {
		t.Errorf("a zip of nothing: %q, %q", path, why)
	}
	p.Selection.Toggle("t004")
	p.Selection.Toggle("t002")
	if path, _ := p.Selection.ComparePath(); path != "/video/compare?ids=t004,t002" {
		t.Error(path)
	}
	if path, _ := p.Selection.ZipPath(); path != "/api/videos.zip?ids=t004,t002" {
		t.Error(path)
	}
	for _, id := range []string{"t001", "t003", "t005"} {
		p.Selection.Toggle(id)
	}
	if path, why := p.Selection.ComparePath(); path != "" || why == "" {
		t.Errorf("compare five: %q, %q", path, why)
	}
	p.Selection.Toggle("t005")
	if path, _ := p.Selection.ComparePath(); path == "" {
		t.Error("four can't be compared")
	}
}
