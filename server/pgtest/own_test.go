package pgtest

import "testing"

func TestAServerOfOnesOwn(t *testing.T) {
	t.Parallel()
	s := New(t)
	s.Rows(t, "CREATE TABLE kept (n INT); INSERT INTO kept VALUES (7)")
	s.Pause(t)
	s.GoOn(t)
	s.Stop(t)
	if _, err := s.query(t.Context(), "SELECT 1"); err == nil {
		t.Error("a stopped server answers")
	}
	for name, again := range map[string]*Server{"a copy": s.Restored(t), "itself": s} {
		if again == s {
			s.Start(t)
		}
		if rows := again.Rows(t, "SELECT n FROM kept"); len(rows) != 1 || rows[0][0] != "7" {
			t.Errorf("%s has %q", name, rows)
		}
	}
}
