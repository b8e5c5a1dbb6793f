// Package admin is the administration of a team's instance as the page knows it:
// people and invitations, teams with their keys and limits, the audit, and what
// holds for the whole instance. It is plain Go with neither go-app nor the
// browser in it; app/ui/admin draws it.
//
// Make a [Desk] with [New] and tell it which page is shown. What is typed is kept
// apart from what the server has, in a [Form] each, so that a list that comes anew
// takes nothing from it.
package admin
