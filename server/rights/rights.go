// Package rights says who may do what: one table for the socket's calls and one
// for the addresses, each entry with the right that it asks for. A call or an
// address that isn't there is served to nobody.
//
// A right is about the person alone. That a conversation, a clip or a row is
// asked for by its owner is the store's business, and of somebody else's it is
// not found.
package rights

import (
	"iter"
	"maps"

	"screentest/shared/wire"
)

// A Right is what a call or an address asks of a person.
type Right int

// The rights, each with what a person has it by.
const (
	Nobody Right = iota // of what isn't in the table
	Anyone              // nobody need be signed in: signing in, links
	Own                 // signed in: reads and changes what is their own
	Send                // may send: a member or an admin; it costs money, or makes something new
	Lead                // leads the team in the address, or is an admin
	Rule                // what everybody knows of, and who runs the instance does
	Admin               // runs the instance; others don't know of it
)

// Asking is what a verdict wants to know of a person.
type Asking interface {
	SignedIn() bool
	Role() string
	// Leads says whether the person leads a team, by its id.
	Leads(team string) bool
	// MustAddFactor says whether it is only that which keeps an admin from being one.
	MustAddFactor() bool
}

// Refuse says why a person may not use what asks for a right; nil: they may.
// team is the one that is named, where the right is Lead. What a person may not
// know of is not found.
func Refuse(who Asking, r Right, team string) *wire.Problem {
	switch {
	case r == Anyone:
		return nil
	case !who.SignedIn():
		return &wire.Problem{Code: wire.CodeSignedOut, Message: "Nobody is signed in here.", Hint: "Sign in, and try again."}
	case r == Own,
		r == Send && who.Role() != wire.RoleGuest,
		r == Lead && (who.Role() == wire.RoleAdmin || who.Role() != wire.RoleGuest && who.Leads(team)),
		(r == Rule || r == Admin) && who.Role() == wire.RoleAdmin:
		return nil
	case r == Send:
		return &wire.Problem{Code: wire.CodeNotAllowed, Message: "Guests can see what’s shared with them but not send requests.",
			Hint: "Ask an admin of this instance to make you a member."}
	case who.MustAddFactor() && (r == Lead || r == Rule || r == Admin):
		return &wire.Problem{Code: wire.CodeFactorNeeded, Message: "Admins of this instance need a second factor, and you have none.",
			Hint: "Add a passkey or an authenticator app under Settings, Security."}
	case r == Rule:
		return &wire.Problem{Code: wire.CodeNotAllowed, Message: "This is for who runs the instance.", Hint: "Ask an admin of this instance."}
	}
	return &wire.Problem{Code: wire.CodeNotFound, Message: "There is nothing at this address."}
}

// OfCall is what a call asks for; Nobody where it isn't in the table.
func OfCall(op wire.Op) Right { return calls[op] }

// OfAddress is what an address asks for, "GET /api/me"; Nobody where it isn't in
// the table.
func OfAddress(address string) Right { return addresses[address] }

// Calls are those of the table.
func Calls() iter.Seq2[wire.Op, Right] { return maps.All(calls) }

// Addresses are those of the table. In an address with the right Lead, {id} is
// the team.
func Addresses() iter.Seq2[string, Right] { return maps.All(addresses) }

var calls = map[wire.Op]Right{
	wire.OpPing:          Own,
	wire.OpConversations: Own,
	wire.OpOpen:          Own,
	wire.OpMessages:      Own,
	wire.OpOutline:       Own,
	wire.OpSearch:        Own,
	wire.OpLibrary:       Own,
	wire.OpRead:          Own,
	wire.OpUnread:        Own,
	wire.OpRunRequest:    Own,
	wire.OpRunTimes:      Own,
	wire.OpRename:        Own,
	wire.OpDelete:        Own,
	wire.OpPin:           Own,
	wire.OpLanes:         Own,
	wire.OpVote:          Own,
	wire.OpStop:          Own,
	wire.OpLibraryPut:    Send,
	wire.OpLibraryDelete: Own,
	wire.OpStart:         Send,
	wire.OpWrite:         Send,

	wire.OpNotices:         Own,
	wire.OpNoticesSeen:     Own,
	wire.OpTeamLibrary:     Own,
	wire.OpTeamLibraryPast: Own,
	wire.OpTeamLibraryPut:  Send,
	wire.OpTeamLibraryDrop: Send,

	wire.OpRanking:   Own, // of a team that one is in
	wire.OpApprovals: Own,
	wire.OpDecide:    Own, // who leads the team, or asked: see package approval

	wire.OpTeamClips:   Own,
	wire.OpLook:        Own,
	wire.OpLookAway:    Own,
	wire.OpComment:     Send,
	wire.OpCommentEdit: Send,
	wire.OpReviewStep:  Send,

	wire.OpSpend:         Own,
	wire.OpLedger:        Own,
	wire.OpBudgets:       Own,
	wire.OpSetBudget:     Own,
	wire.OpModels:        Own,
	wire.OpRefreshModels: Rule, // everybody's
	wire.OpSetPrice:      Rule,

	wire.OpHook:    Own,
	wire.OpSetHook: Send, // a guest spends nothing
	wire.OpTryHook: Send,
	wire.OpKeep:    Own,
	wire.OpSetKeep: Own,
	wire.OpStorage: Rule, // of everybody
	wire.OpCorrect: Rule, // or people could lower what counts against their limits

	wire.OpVideoCreate:   Send,
	wire.OpVideoTasks:    Own,
	wire.OpVideoTask:     Own,
	wire.OpVideoSettle:   Own,
	wire.OpVideoEdit:     Own,
	wire.OpVideoDelete:   Own,
	wire.OpVideoUndelete: Own,
	wire.OpVideoPurge:    Own,
	wire.OpVideoMeasure:  Send,
	wire.OpVideoUploads:  Own,
	wire.OpVideoCheck:    Own,
	wire.OpArchive:       Own,
	wire.OpSetArchive:    Own, // a larger quota than the usual one is an admin's to give: see its handler
}

// addresses are all that hold something of a person's, or let somebody in. Pages
// and their files hold nothing: they are for anyone, and are not here.
var addresses = map[string]Right{
	"GET /ws": Own,

	"GET /api/conversations/{file}": Own,
	"GET /api/export.json":          Own,
	"POST /api/import":              Send,
	"GET /api/ledger.csv":           Own,
	"GET /api/ledger.json":          Own,

	"POST /api/images":        Send,
	"GET /api/images/{image}": Own,

	"GET /u/{name}":                    Anyone, // its name is the secret: a gateway fetches it
	"POST /api/uploads":                Send,
	"GET /media/{task}/{index}":        Own,
	"GET /api/posters/{task}/{index}":  Own,
	"POST /api/posters/{task}/{index}": Own,
	"GET /api/videos.zip":              Own,

	"GET /api/reviews/{file}": Own,
	// What is shared, for who may see it, signed in or by a link: package shown asks.
	"GET /s/{key}":                          Anyone,
	"GET /s/{key}/live":                     Anyone,
	"GET /s/{key}/media/{version}/{index}":  Anyone,
	"GET /s/{key}/poster/{version}/{index}": Anyone,
	"GET /s/{key}/wire/{run}":               Anyone,

	// The door.
	"GET /api/me":                     Anyone, // who nobody is answers by itself
	"GET /api/ways":                   Anyone,
	"POST /api/link":                  Anyone,
	"POST /api/setup":                 Anyone,
	"POST /api/join":                  Anyone,
	"POST /api/reset":                 Anyone,
	"POST /api/signin":                Anyone,
	"POST /api/signin/passkey/begin":  Anyone,
	"POST /api/signin/passkey/finish": Anyone,
	"GET /api/oidc/start":             Anyone,
	"GET /api/oidc/callback":          Anyone,
	"POST /api/signout":               Own,

	// One's own account.
	"GET /api/sessions":         Own,
	"DELETE /api/sessions":      Own,
	"DELETE /api/sessions/{id}": Own,
	"GET /api/security":         Own,
	"POST /api/password":        Own,
	"GET /api/passkeys":         Own,
	"POST /api/passkeys/begin":  Own,
	"POST /api/passkeys/finish": Own,
	"DELETE /api/passkeys/{id}": Own,
	"POST /api/totp/begin":      Own,
	"POST /api/totp/finish":     Own,
	"DELETE /api/totp":          Own,
	"POST /api/recovery":        Own,
	"POST /api/key":             Send,
	"DELETE /api/key":           Own,

	// What people show each other.
	"GET /api/shares":             Own,
	"POST /api/shares":            Send,
	"DELETE /api/shares/{id}":     Own,
	"POST /api/shares/{id}/copy":  Send,
	"POST /api/shares/{id}/reuse": Send,

	// The instance.
	"POST /api/gateway/test":                 Rule,
	"PUT /api/gateway":                       Rule,
	"DELETE /api/gateway":                    Rule,
	"GET /api/people":                        Admin,
	"PATCH /api/people/{id}":                 Admin,
	"POST /api/people/{id}/reset":            Admin,
	"POST /api/people/{id}/erase":            Admin,
	"POST /api/people/{id}/hand_over":        Admin,
	"GET /api/invites":                       Admin,
	"POST /api/invites":                      Admin,
	"DELETE /api/invites/{id}":               Admin,
	"GET /api/teams":                         Own, // of all to an admin, of their own to others
	"POST /api/teams":                        Admin,
	"PATCH /api/teams/{id}":                  Admin,
	"DELETE /api/teams/{id}":                 Admin,
	"PUT /api/teams/{id}/people/{person}":    Lead,
	"DELETE /api/teams/{id}/people/{person}": Lead,
	"POST /api/teams/{id}/key":               Lead,
	"DELETE /api/teams/{id}/key":             Lead,
	"GET /api/audit":                         Admin,
	"GET /api/instance":                      Admin,
	"PUT /api/instance":                      Admin,
}
