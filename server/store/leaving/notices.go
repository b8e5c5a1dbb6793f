package leaving

import "screentest/server/store/engine"

// forgetNotices deletes what somebody was told, and what others were told of them.
func forgetNotices(w *engine.Tx, person int64) error {
	for _, query := range []string{
		"DELETE FROM notices WHERE person = ?",
		"DELETE FROM notices WHERE by = ?",
	} {
		if _, err := w.Exec(query, person); err != nil {
			return err
		}
	}
	return nil
}
