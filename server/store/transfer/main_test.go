package transfer_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(importChildEnv); dir != "" {
		importUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}
