package session

import "screentest/shared/wire"

// GatewayState is what is known of the gateway: the tone of its dot, "" where
// nothing was asked of it yet, a word for the bar, "" where its name says enough,
// and it in a sentence. since is the time of DownMS as the person's clock shows it.
func GatewayState(g wire.Gateway, since string) (tone, short, words string) {
	switch {
	case g.Sandbox:
		return "good", "", "This is the sandbox, a whole gateway inside this server. Its answers are made up, its prices are samples, and nothing is charged or sent anywhere."
	case g.DownMS != 0:
		return "bad", "Not reachable", "Not reachable since " + since + ". " + g.Down
	case g.KeyRefused && g.Keyless:
		return "bad", "Key wanted", "It asks for a key by now. Enter one below and connect it again."
	case g.KeyRefused:
		return "bad", "Key refused", "It refuses the key that is held."
	case !g.HasKey:
		return "live", "", "It has no key yet, so nothing can be sent."
	case !g.Met:
		return "", "", "Nothing was asked of it yet."
	case g.Keyless:
		return "good", "", "It answers, and asks for no key."
	}
	return "good", "", "It answers, and a key is held."
}
