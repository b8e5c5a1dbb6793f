//go:build js && wasm

package shell

import (
	"screentest/app/ui/kit"
	"screentest/app/ui/share"
	"screentest/app/ui/video"
)

// shares is the Shared section, by which the others say who sees what.
func (p *page) shares(clips *video.Section) kit.Section {
	s := share.New(p.Host, p.session, func() {
		p.chat.SharesChanged()
		clips.SharesChanged()
		p.changed()
	})
	p.Sharing = s.Sharing()
	return s
}
