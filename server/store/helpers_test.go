package store_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerChildEnv); dir != "" {
		writeUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}
