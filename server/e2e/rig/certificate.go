package rig

import (
	"fmt"

	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
)

// TrustAnyCertificate lets the tab go to servers that nobody vouches for.
func (t *Tab) TrustAnyCertificate() error {
	if _, err := chromedp.Call(t.ctx, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true}); err != nil {
		return fmt.Errorf("trust any certificate: %w", err)
	}
	return nil
}
