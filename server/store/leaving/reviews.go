package leaving

// said deletes what somebody who is erased has said of clips. A comment's place
// stays, as that of one that was deleted, and so do the states that they gave,
// under their number. Reviews of clips that are handed over go with the clips.
func (s *step) said() error {
	if !s.erase {
		return nil
	}
	err := s.each("SELECT n FROM comments WHERE author = ? AND deleted_ms = 0", func(n int64) error {
		return s.exec("UPDATE comments SET text = '', x = NULL, y = NULL, deleted_ms = ? WHERE n = ?", s.now.UnixMilli(), n)
	}, s.person)
	if err != nil {
		return err
	}
	return s.each("SELECT n FROM review_steps WHERE person = ? AND note <> ''", func(n int64) error {
		return s.exec("UPDATE review_steps SET note = '' WHERE n = ?", n)
	}, s.person)
}
