package session

import (
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestGatewayState(t *testing.T) {
	for _, c := range []struct {
		g                  wire.Gateway
		tone, short, words string
	}{
		{wire.Gateway{Sandbox: true, HasKey: true}, "good", "", "This is the sandbox"},
		{wire.Gateway{HasKey: true}, "", "", "Nothing was asked"},
		{wire.Gateway{HasKey: true, Met: true}, "good", "", "a key is held"},
		{wire.Gateway{HasKey: true, Keyless: true, Met: true}, "good", "", "asks for no key"},
		{wire.Gateway{HasKey: true, Keyless: true, Met: true, KeyRefused: true}, "bad", "Key wanted", "It asks for a key by now."},
		{wire.Gateway{HasKey: true, KeyRefused: true, Met: true}, "bad", "Key refused", "refuses the key"},
		{wire.Gateway{Met: true}, "live", "", "no key yet"},
		{wire.Gateway{HasKey: true, KeyRefused: true, Met: true, DownMS: 1, Down: "Nothing answers."}, "bad", "Not reachable", "Not reachable since 14:32. Nothing answers."},
	} {
		tone, short, words := GatewayState(c.g, "14:32")
		if tone != c.tone || short != c.short || !strings.Contains(words, c.words) {
			t.Errorf("%+v: %q, %q, %q", c.g, tone, short, words)
		}
	}
}
