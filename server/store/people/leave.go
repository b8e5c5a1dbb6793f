package people

import (
	"fmt"

	"screentest/server/store/engine"
)

// Deactivate shuts out somebody who leaves. The last active admin stays:
// last_admin. The time is Unix milliseconds.
func Deactivate(t *engine.Tx, n, at int64) error {
	if err := WantAnotherAdmin(t, n); err != nil {
		return err
	}
	if _, err := t.Exec("UPDATE users SET active = 0 WHERE n = ?", n); err != nil {
		return err
	}
	return shutOut(t, n, at)
}

// Forget leaves a number and a pseudonym of somebody, for the ledger and the
// audit, which speak of them. The time is Unix milliseconds.
func Forget(t *engine.Tx, n, at int64) error {
	for _, query := range []string{
		"DELETE FROM sessions WHERE owner = ?",
		"DELETE FROM settings WHERE owner = ?",
		"DELETE FROM passkeys WHERE owner = ?",
		"DELETE FROM recovery_codes WHERE owner = ?",
		"DELETE FROM links WHERE owner = ?",
		"DELETE FROM gateway_keys WHERE person = ?",
		"DELETE FROM team_people WHERE person = ?",
	} {
		if _, err := t.Exec(query, n); err != nil {
			return err
		}
	}
	_, err := t.Exec(`UPDATE users SET name = ?, email = NULL, local = 0, role = 'member', active = 0, password = '', totp = NULL, totp_step = 0,
		oidc_issuer = NULL, oidc_subject = NULL, claims = NULL, claims_ms = 0, limits = '{}', charge = '', erased_ms = ? WHERE n = ?`,
		fmt.Sprintf("Erased person %d", n), at, n)
	return err
}
