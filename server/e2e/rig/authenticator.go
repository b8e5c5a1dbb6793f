package rig

import (
	"fmt"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// Authenticator gives the tab a device that makes and uses passkeys, and whose
// owner always agrees.
func (t *Tab) Authenticator() error {
	if _, err := chromedp.Call(t.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		return fmt.Errorf("watch passkeys: %w", err)
	}
	_, err := chromedp.Call(t.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true,
			IsUserVerified: true, AutomaticPresenceSimulation: true,
		},
	})
	if err != nil {
		return fmt.Errorf("add an authenticator: %w", err)
	}
	return nil
}
