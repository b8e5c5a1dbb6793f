package transfer_test

import (
	"os"
	"testing"

	"screentest/server/store/storetest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(importChildEnv); dir != "" {
		importUntilKilled(dir)
	}
	storetest.Main(m)
}
