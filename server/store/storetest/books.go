package storetest

import (
	"testing"

	"screentest/server/store/verify"
)

// Books looks through the books of the folder dir, or of its database on PostgreSQL,
// which a store may have open.
func Books(t testing.TB, dir string) verify.Report {
	t.Helper()
	if OnPostgres() {
		r, err := verify.VerifyPostgres(t.Context(), URLOf(t, dir), SealKey)
		Must(t, err)
		return r
	}
	r, err := verify.Verify(t.Context(), dir, "")
	Must(t, err)
	return r
}
