package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
)

// The sandbox knows its tasks by its key: one that was not read is never
// replaced, and the start ends with a word of it.
func TestTheSandboxsKeyIsNotReplacedBecauseItWasNotRead(t *testing.T) {
	db, err := storetest.TryOpen(t, t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := &server{store: db}
	home := func(ctx context.Context) (string, error) {
		key, l, err := s.openSandboxHome(ctx)
		if l != nil {
			l.Close()
		}
		return key, err
	}
	first, err := home(t.Context())
	if err != nil || first == "" {
		t.Fatalf("the first start: %q, %v", first, err)
	}
	given, giveUp := context.WithCancel(t.Context())
	giveUp()
	if key, err := home(given); !errors.Is(err, context.Canceled) {
		t.Errorf("a start that was given up made %q, %v", key, err)
	}
	if key, err := home(t.Context()); key != first || err != nil {
		t.Errorf("the next start has %q, %v; want the key of before", key, err)
	}
	const torn = `{"key":"sandb`
	if err := db.SetSecret(t.Context(), sandboxSecret, []byte(torn)); err != nil {
		t.Fatal(err)
	}
	if key, err := home(t.Context()); err == nil || !strings.Contains(err.Error(), "key of the sandbox") || !strings.Contains(err.Error(), "backup") {
		t.Errorf("one that is torn: %q, %v", key, err)
	}
	if data, err := db.Secret(t.Context(), sandboxSecret); err != nil || string(data) != torn {
		t.Errorf("it is %q now, %v", data, err)
	}
}
