package spend

import (
	"strings"

	"screentest/shared/wire"
)

// RowName says what a row of the ledger paid for: the conversation's or the clip's
// title, where it is known, else what it was: "Text", "Video".
func RowName(r wire.LedgerRow) string {
	switch {
	case r.Title != "":
		return r.Title
	case r.What == wire.WhatVideo:
		return "Video"
	}
	return "Text"
}

// RowKind says what a row is, where it is no charge, and the model: "Return ·
// beta-video-720p".
func RowKind(r wire.LedgerRow) string {
	switch r.Kind {
	case wire.KindReturn:
		return "Return · " + r.Model
	case wire.KindCorrection:
		return "Correction · " + r.Model
	}
	return r.Model
}

// Own says that a row is one's own.
func (d *Desk) Own(r wire.LedgerRow) bool { return d.Me == nil || r.PersonID == d.Me.ID }

// Payer says who spent a row's sum and what it was charged to, where that is not
// plain.
func (d *Desk) Payer(r wire.LedgerRow) string {
	var parts []string
	if !d.Own(r) || d.View.Others() && d.Me != nil {
		parts = append(parts, r.Person)
	}
	if d.Spend != nil && len(d.Spend.PaidBy) > 1 && r.PaidBy != "" {
		parts = append(parts, r.PaidBy)
	}
	return strings.Join(parts, " · ")
}

// RowAddress is where what a row paid for is seen, "" where it was deleted, or is
// somebody else's.
func (d *Desk) RowAddress(r wire.LedgerRow) string {
	switch {
	case !d.Own(r):
		return ""
	case r.What == wire.WhatVideo:
		return "/video/" + r.Subject
	case r.Conversation == "":
		return ""
	case r.Message == "":
		return "/c/" + r.Conversation
	}
	return "/c/" + r.Conversation + "?m=" + r.Message
}
