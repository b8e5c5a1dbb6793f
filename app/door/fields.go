package door

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"screentest/shared/wire"
)

// The fields of a form, by the names that the server has for them.
const (
	FieldName     = "name"
	FieldEmail    = "email"
	FieldPassword = "password"
	FieldCode     = "code"
)

// Has says whether the form has a field.
func (g *Gate) Has(field string) bool {
	switch field {
	case FieldName:
		return g.makes() && (g.Ways.Password || g.WithNewPasskey())
	case FieldEmail:
		return g.Has(FieldName) || g.Path == SignInPath && g.Ways.Password && !g.NeedsCode
	case FieldPassword:
		return g.Ways.Password && !g.NeedsCode
	case FieldCode:
		return g.NeedsCode
	}
	return false
}

// Fill takes what stands in a field.
func (g *Gate) Fill(field, text string) {
	*map[string]*string{FieldName: &g.Name, FieldEmail: &g.Email, FieldPassword: &g.Password, FieldCode: &g.Code}[field] = text
}

// Wrong says what is wrong with a field, "" for nothing; of the form itself
// where field is "".
func (g *Gate) Wrong(field string) string {
	if g.Problem == nil || g.Stage != Open {
		return ""
	}
	at := g.Problem.Field
	if !g.Has(at) {
		at = ""
	}
	if at != field {
		return ""
	}
	return g.Problem.Words()
}

// missing says what is still to be filled in; password says that one is wanted.
func (g *Gate) missing(password bool) *wire.Problem {
	switch {
	case g.Has(FieldName) && strings.TrimSpace(g.Name) == "":
		return wrong(FieldName, "Enter your name as others will see it.")
	case g.Has(FieldEmail) && strings.TrimSpace(g.Email) == "":
		return wrong(FieldEmail, "Enter your e-mail address.")
	case password && g.Password == "" && !g.NewPassword():
		return wrong(FieldPassword, "Enter your password.")
	case password && g.NewPassword():
		return badPassword(FieldPassword, g.Password)
	case g.Has(FieldCode) && strings.TrimSpace(g.Code) == "":
		return wrong(FieldCode, "Enter the code.")
	}
	return nil
}

// PasswordRule is what is asked of a new password.
func PasswordRule() string {
	return "At least " + strconv.Itoa(wire.MinPassword) + " characters. A few unrelated words are better than one word with symbols."
}

// badPassword says what is wrong with a password to be.
func badPassword(field, text string) *wire.Problem {
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return wrong(field, "Choose a password of at least "+strconv.Itoa(wire.MinPassword)+" characters.")
	case n < wire.MinPassword:
		return wrong(field, "The password has "+strconv.Itoa(n)+" characters; it needs at least "+strconv.Itoa(wire.MinPassword)+".")
	case n > wire.MaxPassword:
		return wrong(field, "The password has "+strconv.Itoa(n)+" characters; it may have "+strconv.Itoa(wire.MaxPassword)+".")
	}
	return nil
}
