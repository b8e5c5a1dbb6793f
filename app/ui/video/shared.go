//go:build js && wasm

package video

import (
	"encoding/json"
	"net/url"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/app/video"
	"screentest/shared/wire"
)

// SharesChanged draws again who sees which clip.
func (s *Section) SharesChanged() { s.changed(video.PartGallery) }

// share opens the dialog that shares a clip.
func (s *Section) share(t *wire.VideoTask) { s.Sharing.Open(wire.ShareClip, t.ID, video.Title(*t)) }

// wantShared takes ?reuse=SHARE from the address: the form is filled with the
// settings of a clip that is shared with one, once it is known what it can have.
func (s *Section) wantShared(query url.Values) {
	if s.Sharing == nil || query.Get("reuse") == "" {
		return
	}
	s.reusing = query.Get("reuse")
	js.Global().Get("history").Call("replaceState", nil, "", Path) // it is done once
	s.reuseShared()
}

func (s *Section) reuseShared() {
	share := s.reusing
	if share == "" || !s.desk.Greeted || s.Guest {
		return
	}
	s.reusing = ""
	s.Ask("POST", "/api/shares/"+url.PathEscape(share)+"/reuse", nil, func(data json.RawMessage, p *wire.Problem) {
		var r wire.Reuse
		switch p := session.Read(data, p, &r); {
		case p != nil:
			s.desk.Tasks.Notices.Say(p.Words(), video.Bad)
		case !s.desk.ReuseShared(r):
			s.desk.Tasks.Notices.Say("This clip’s model isn’t in the catalogue, so its settings can’t be reused.", video.Bad)
		default:
			s.writeOn()
		}
	})
}

// after says of whose clip the form has the settings.
func (f *Form) after() app.UI {
	form := f.model()
	c := form.After()
	if c == nil {
		return kit.Nothing()
	}
	return kit.Box("div", "line after",
		kit.CopiedFrom("form-after", c),
		kit.IconButton("small", "Forget where the settings come from", kit.IconClose, kit.At{"id", "forget-after"},
			f.on("forget-after", func(app.Event) { form.ForgetAfter(); f.focusMode() })))
}
