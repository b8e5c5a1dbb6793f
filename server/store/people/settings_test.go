package people_test

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"screentest/server/store/storetest"
)

func TestSettings(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	storetest.Must(t, db.SetSetting(ctx, owner, "theme", "dark"), db.SetSetting(ctx, owner, "theme", "light"), db.SetSetting(ctx, owner, "lanes", "2"))
	if v, err := db.Setting(ctx, owner, "theme"); err != nil || v != "light" {
		t.Errorf("%q, %v", v, err)
	}
	storetest.Must(t, db.SetSetting(ctx, owner, "theme", ""), db.SetSetting(ctx, owner, "theme", ""))
	if _, err := db.Setting(ctx, owner, "theme"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("forgotten: %v", err)
	}
	for name, err := range map[string]error{
		"no name":    db.SetSetting(ctx, owner, "", "x"),
		"long name":  db.SetSetting(ctx, owner, strings.Repeat("n", 101), "x"),
		"long value": db.SetSetting(ctx, owner, "n", strings.Repeat("v", 64<<10+1)),
	} {
		if storetest.Problem(err).Code != "bad_setting" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEachSetting(t *testing.T) {
	ctx := context.Background()
	db, ann := storetest.OpenLocal(t)
	bob := storetest.AddUser(t, db, "bob")
	storetest.AddUser(t, db, "cid")
	storetest.Must(t, db.SetSetting(ctx, ann, "retention", "a"), db.SetSetting(ctx, bob, "retention", "b"), db.SetSetting(ctx, bob, "theme", "dark"))
	got := map[string]string{}
	storetest.Must(t, db.EachSetting(ctx, "retention", func(owner, value string) error { got[owner] = value; return nil }))
	if !reflect.DeepEqual(got, map[string]string{ann: "a", bob: "b"}) {
		t.Errorf("%v", got)
	}
}
