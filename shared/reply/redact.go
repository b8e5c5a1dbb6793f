package reply

import "strings"

// Redact masks what looks like a key: gateways repeat the key that they refuse
// in their error's text. It knows the common shapes only; whoever holds the
// key masks it exactly.
func Redact(s string) string {
	for _, start := range []string{"sk-", "Bearer "} {
		for from := 0; ; {
			i := strings.Index(s[from:], start)
			if i < 0 {
				break
			}
			i += from + len(start)
			end := i
			for end < len(s) && keyByte(s[end]) {
				end++
			}
			from = end
			if end-i >= minSecret {
				s = s[:i] + "***" + s[end:]
				from = i + len("***")
			}
		}
	}
	return s
}

// minSecret is the shortest run of characters after a key's prefix that is
// taken for a key.
const minSecret = 8

func keyByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~+/=*", c) >= 0
}
