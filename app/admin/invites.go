package admin

import (
	"strconv"
	"strings"
	"time"

	"screentest/app/figure"
	"screentest/shared/wire"
)

// The fields of an invitation's form, beside the role.
const (
	FieldTeams = "teams"
	FieldHours = "hours"
	FieldUses  = "uses"
)

// UsualInvite is what a field of the form has until something else is chosen:
// one member may come within a week.
func UsualInvite(field string) string {
	return map[string]string{FieldRole: wire.RoleMember, FieldHours: "168", FieldUses: "1"}[field]
}

// Invites are the invitations there are, and the one that is being made.
type Invites struct {
	desk *Desk

	Shown   bool // in place of the people
	List    []wire.Invite
	Came    bool
	Problem *wire.Problem

	Form Form
	Made *wire.Invite // the last one, with its link; nil before
	// Revoking is the id of the one that is being revoked; "" is none.
	Revoking string
	Trouble  *wire.Problem // with revoking
}

func (v *Invites) fetch() {
	var list []wire.Invite
	v.desk.get("/api/invites", &list, func(p *wire.Problem) {
		if v.Problem = p; p == nil {
			v.List, v.Came = list, true
		}
	})
}

// Open are the invitations by which somebody can still come.
func (v *Invites) Open() []wire.Invite {
	var open []wire.Invite
	for _, i := range v.List {
		if v.IsOpen(i) {
			open = append(open, i)
		}
	}
	return open
}

// IsOpen says whether somebody can still come by an invitation.
func (v *Invites) IsOpen(i wire.Invite) bool {
	return !i.Revoked && i.Used < i.Uses && i.ExpiresMS > v.desk.Now().UnixMilli()
}

// Value is what a field of the form shows.
func (v *Invites) Value(field string) string { return v.Form.Value(field, UsualInvite(field)) }

// Make makes the invitation.
func (v *Invites) Make() {
	f := &v.Form
	f.Wrong = nil
	hours, _ := strconv.Atoi(v.Value(FieldHours)) // chosen, not typed
	uses, err := strconv.Atoi(strings.TrimSpace(v.Value(FieldUses)))
	if err != nil || uses < 1 || uses > wire.MaxInviteUses {
		f.wrong(FieldUses, "Enter how many people may join by it, from 1 to "+figure.Count(wire.MaxInviteUses)+".")
	}
	in := wire.Invite{Role: v.Value(FieldRole), Teams: strings.Fields(v.Value(FieldTeams)), Hours: hours, Uses: uses}
	if v.desk.begin(f) {
		var made wire.Invite
		v.desk.do("POST", "/api/invites", in, &made, func(p *wire.Problem) {
			f.end(p, FieldRole, FieldTeams, FieldHours, FieldUses)
			if p == nil {
				v.Made = &made
				v.fetch()
			}
		})
	}
	v.desk.Changed()
}

// Hide forgets the link that was made: it is shown no more.
func (v *Invites) Hide() {
	v.Made, v.Form = nil, Form{}
	v.desk.Changed()
}

// Revoke ends an invitation.
func (v *Invites) Revoke(id string) {
	if v.Revoking != "" {
		return
	}
	v.Revoking = id
	v.desk.do("DELETE", "/api/invites/"+id, nil, nil, func(p *wire.Problem) {
		v.Revoking, v.Trouble = "", p
		if p == nil && v.Made != nil && v.Made.ID == id {
			v.Made = nil
		}
		v.fetch()
	})
}

// State is how an invitation stands, in words.
func (v *Invites) State(i wire.Invite) string {
	left := time.UnixMilli(i.ExpiresMS).Sub(v.desk.Now())
	switch {
	case i.Revoked:
		return "revoked"
	case i.Used >= i.Uses:
		return "used up"
	case left <= 0:
		return "expired"
	case left < time.Hour:
		return "expires within the hour"
	case left < 48*time.Hour:
		return "expires in " + figure.Plural(int(left.Round(time.Hour)/time.Hour), "hour", "hours")
	}
	return "expires in " + figure.Plural(int(left.Round(24*time.Hour)/(24*time.Hour)), "day", "days")
}
