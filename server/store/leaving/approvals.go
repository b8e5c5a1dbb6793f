package leaving

import "screentest/server/store/engine"

// forgetApprovals deletes what somebody asked approval for, and takes them and their
// words from what they decided.
func forgetApprovals(w *engine.Tx, person int64) error {
	for _, query := range []string{
		"DELETE FROM approvals WHERE asker = ?",
		"UPDATE approvals SET person = NULL, reason = '' WHERE person = ?",
	} {
		if _, err := w.Exec(query, person); err != nil {
			return err
		}
	}
	return nil
}
