package people_test

import (
	"strings"
	"testing"

	"screentest/server/store/storetest"
)

// A sealed setting is read again by its owner, is not in the data folder, and opens
// under no other name or owner.
func TestASettingIsSealed(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	bob := storetest.AddUser(t, db, "bob")
	const secret = "https://hooks.example.com/services/T0/B0/secret"
	storetest.Must(t, db.SetSealedSetting(t.Context(), ann, "hook", secret))
	if got, err := db.SealedSetting(t.Context(), ann, "hook"); err != nil || got != secret {
		t.Errorf("%q, %v", got, err)
	}
	stored, err := db.Setting(t.Context(), ann, "hook")
	if err != nil || strings.Contains(stored, "secret") || strings.Contains(stored, "hooks") {
		t.Errorf("stored as %q, %v", stored, err)
	}
	storetest.Must(t, db.SetSetting(t.Context(), ann, "other", stored), db.SetSetting(t.Context(), bob, "hook", stored), db.SetSetting(t.Context(), bob, "nonsense", "?"))
	for _, moved := range []struct{ owner, name string }{{ann, "other"}, {bob, "hook"}, {bob, "nonsense"}} {
		if got, err := db.SealedSetting(t.Context(), moved.owner, moved.name); err == nil {
			t.Errorf("%s of %s opens: %q", moved.name, moved.owner, got)
		}
	}
	storetest.Must(t, db.SetSealedSetting(t.Context(), ann, "hook", ""))
	if got, err := db.SealedSetting(t.Context(), ann, "hook"); err == nil {
		t.Errorf("forgotten: %q", got)
	}
}
