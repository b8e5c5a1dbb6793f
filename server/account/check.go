package account

import (
	"fmt"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"screentest/shared/wire"
)

// Name is a person's name as it is kept: without space around it.
func Name(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return "", refused("name", "The name is missing.", "Say what others call you.")
	case n > wire.MaxPersonName:
		return "", refused("name", fmt.Sprintf("The name has %d characters, and %d is the most.", n, wire.MaxPersonName), "Shorten it.")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", refused("name", "The name has characters that can't be shown.", "Write it in letters.")
	}
	return name, nil
}

// Email is an address of mail as it is kept and looked for: in lower case,
// without space around it.
func Email(email string) (string, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if email == "" {
		return "", refused("email", "The e-mail address is missing.", "Give one such as ann@example.com.")
	}
	if len(email) > wire.MaxEmail {
		return "", refused("email", fmt.Sprintf("The e-mail address is longer than %d bytes.", wire.MaxEmail), "Give a shorter one.")
	}
	// What is written otherwise than it is read has a name or quotes about it.
	read, err := mail.ParseAddress(email)
	if err != nil || read.Address != email || strings.ContainsFunc(email, unicode.IsSpace) || strings.ContainsFunc(email, unicode.IsControl) {
		return "", refused("email", "This is no e-mail address.", "Give one such as ann@example.com.")
	}
	return email, nil
}

// Role says whether there is such a role.
func Role(role string) error {
	switch role {
	case wire.RoleAdmin, wire.RoleMember, wire.RoleGuest:
		return nil
	}
	return refused("role", "There is no such role.", "It is one of admin, member and guest.")
}

// Deactivated is what who was deactivated is told, once it is known that it is
// they.
func Deactivated() *wire.Problem {
	return &wire.Problem{Code: wire.CodeDeactivated, Message: "This account was deactivated.", Hint: "Ask an admin of this instance."}
}

func refused(field, message, hint string) error {
	return &wire.Problem{Code: "invalid_request", Field: field, Message: message, Hint: hint}
}
