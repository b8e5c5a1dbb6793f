package store_test

import (
	"os"
	"testing"

	"screentest/server/store/storetest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerChildEnv); dir != "" {
		writeUntilKilled(dir)
	}
	storetest.Main(m)
}
