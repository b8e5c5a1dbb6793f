package spend

import "screentest/shared/wire"

// RowName says what a row of the ledger is about: "Text · vendor/model-a".
func RowName(r wire.LedgerRow) string {
	name := "Text · "
	switch {
	case r.Kind == wire.KindReturn:
		name = "Return · "
	case r.Kind == wire.KindCorrection:
		name = "Correction · "
	case r.What == wire.WhatVideo:
		name = "Video · "
	}
	return name + r.Model
}

// RowAddress is where what a row paid for is seen, "" where it was deleted.
func RowAddress(r wire.LedgerRow) string {
	switch {
	case r.What == wire.WhatVideo:
		return "/video/" + r.Subject
	case r.Conversation == "":
		return ""
	case r.Message == "":
		return "/c/" + r.Conversation
	}
	return "/c/" + r.Conversation + "?m=" + r.Message
}
