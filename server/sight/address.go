package sight

import "regexp"

// address is an address of the web, in JSON too.
var address = regexp.MustCompile(`(?i)\b(?:https?|wss?):\\?/\\?/[^\s"'<>\\)\]}]*(?:\\/[^\s"'<>\\)\]}]*)*`)

// NoAddresses is text in which a word stands for each address: of what went wrong and
// of what came, it may be the gateway's.
func NoAddresses(text string) string { return address.ReplaceAllString(text, "[address]") }
