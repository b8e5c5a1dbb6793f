package engine_test

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestErrorsAreSentences(t *testing.T) {
	cause := errors.New("no such block (5)")
	for want, e := range map[string]*engine.Error{
		"The disk is broken.":                     {Problem: wire.Problem{Message: "The disk is broken."}},
		"The disk is broken (no such block (5))":  {Problem: wire.Problem{Message: "The disk is broken."}, Err: cause},
		"The backup can't be used: it is damaged": {Problem: wire.Problem{Message: "The backup can't be used: it is damaged"}},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e, want)
		}
	}
}

// A backup and a restore say where there was too little room; what else went
// wrong stays as it is.
func TestTooLittleRoomIsSaid(t *testing.T) {
	full := fmt.Errorf("write the backup: %w", &os.PathError{Op: "write", Path: "my.backup", Err: syscall.ENOSPC})
	if got := storetest.Problem(engine.NoRoom(full, "There is too little room.", "Free some.")); got.Code != "disk_full" || got.Message != "There is too little room." || got.Hint != "Free some." {
		t.Errorf("a full disk: %+v", got)
	}
	other := errors.New("something else")
	for _, err := range []error{nil, other} {
		if got := engine.NoRoom(err, "There is too little room.", ""); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}
