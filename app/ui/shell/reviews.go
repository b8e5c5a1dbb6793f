//go:build js && wasm

package shell

import (
	"screentest/app/ui/kit"
	"screentest/app/ui/review"
	"screentest/app/ui/video"
)

// videos is the Video section, where there are accounts with what people say of
// clips.
func (p *page) videos() *video.Section {
	v := video.New(p.Host)
	if kit.HasAccounts() {
		v.SetApprovals(p.approvals)
		v.SetReviews(review.New(p.Host, review.Options{
			Session: p.session, Changed: v.SaidChanged, Compare: v.CompareOf, Seek: v.SeekCompared,
		}))
	}
	return v
}
