package admin

import (
	"cmp"
	"maps"
	"slices"
)

// action is something that the audit has a line for: its name in the list of
// filters, and what is said of it; % is what it was done to, [whom] the person
// whom it concerned.
type action struct{ name, words string }

const whom = "%p"

var actions = map[string]action{
	"signin.ok":           {"Signed in", "signed in"},
	"signin.failed":       {"Failed to sign in", "failed to sign in as %"},
	"signin.code_failed":  {"Wrong second factor", "gave a wrong code as %"},
	"signout":             {"Signed out", "signed out"},
	"session.ended":       {"Session ended", "ended a session of %"},
	"setup.claimed":       {"Set up", "set the instance up"},
	"invite.made":         {"Invitation made", "made the invitation %"},
	"invite.revoked":      {"Invitation revoked", "revoked the invitation %"},
	"invite.used":         {"Invitation used", "joined by the invitation %"},
	"person.made":         {"Account made", "made the account of %"},
	"person.changed":      {"Account changed", "changed the account of %"},
	"person.reset":        {"Reset link made", "made a reset link for %"},
	"person.reset_used":   {"Reset link used", "set a new password by a link"},
	"person.deactivated":  {"Deactivated", "deactivated %"},
	"person.erased":       {"Erased", "erased %"},
	"person.handed_over":  {"Handed over", "handed over what % had"},
	"team.made":           {"Team made", "made the team %"},
	"team.changed":        {"Team changed", "changed the team %"},
	"team.deleted":        {"Team deleted", "deleted the team %"},
	"team.person_added":   {"Came into a team", "put %p into the team %"},
	"team.person_removed": {"Left a team", "took %p out of the team %"},
	"team.lead_changed":   {"Lead changed", "changed whether %p leads the team %"},
	"key.set":             {"Key entered", "entered a key of %"},
	"key.removed":         {"Key removed", "removed the key of %"},
	"instance.changed":    {"Instance changed", "changed the instance’s settings"},
	"limits.changed":      {"Limits changed", "changed the limits of %"},
	"passkey.added":       {"Passkey added", "added a passkey"},
	"passkey.removed":     {"Passkey removed", "removed a passkey"},
	"totp.added":          {"Authenticator added", "added an authenticator app"},
	"totp.removed":        {"Authenticator removed", "removed the authenticator app"},
	"recovery.made":       {"Recovery codes made", "made new recovery codes"},
	"recovery.used":       {"Recovery code used", "used a recovery code"},
	"oidc.linked":         {"Single sign-on linked", "linked an account of single sign-on"},
	"proxy.linked":        {"Proxy linked", "came by the proxy for the first time"},
	"oidc.mapped":         {"Groups applied", "got roles and teams by single sign-on"},
	"export.made":         {"Export made", "made an export"},
	"model.priced":        {"Model priced", "changed the price of a model"},
	"gateway.connected":   {"Gateway connected", "connected a gateway"},
	"gateway.left":        {"Sandbox used again", "went back to the sandbox"},
	"catalogue.reloaded":  {"Models read again", "read the list of models again"},
	"approval.asked":      {"Approval asked for", "asked for approval of a clip by %"},
	"approval.released":   {"Clip released", "released a clip of %p for %"},
	"approval.refused":    {"Clip refused", "refused a clip of %p for %"},
	"approval.withdrawn":  {"Approval withdrawn", "withdrew what was to be approved by %"},
	"library.put":         {"Library entry saved", "saved the library entry %"},
	"library.drop":        {"Library entry deleted", "deleted the library entry %"},
	"ledger.corrected":    {"Ledger corrected", "corrected what % had cost"},
	"ledger.chained":      {"Ledger sealed", "sealed the rows that the ledger had"},
}

// Action is an entry of the filter by what was done.
type Action struct{ ID, Name string }

// Actions are all that can be filtered by, by their names.
func Actions() []Action {
	list := make([]Action, 0, len(actions))
	for _, id := range slices.Sorted(maps.Keys(actions)) {
		list = append(list, Action{id, actions[id].name})
	}
	slices.SortStableFunc(list, func(a, b Action) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
