package gateway

import "strconv"

// MaxKey is the longest key that is sent to a gateway, in bytes.
const MaxKey = 1 << 10

// NoKey stands for the key of a gateway that asks for none: calls are sent
// without one. Nobody can enter it, see KeyMistake.
const NoKey = "(no key)"

// KeyMistake says what is wrong with a key, "" if it can be sent as a header
// (F159).
func KeyMistake(key string) string {
	switch {
	case key == "":
		return "The key is empty."
	case len(key) > MaxKey:
		return "The key is longer than " + strconv.Itoa(MaxKey) + " characters."
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return "A key has only visible ASCII characters: no space, no line end."
		}
	}
	return ""
}
