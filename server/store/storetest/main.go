package storetest

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"

	"screentest/server/disk"
)

// Main runs the tests of a package of the store. Their folders are in memory,
// where there is such a folder with room: the tests wait for some ten thousand
// syncs, which on a busy disk was nine tenths of their time, and what they show
// is true of any file system. Benchmarks measure the disk.
func Main(m *testing.M) {
	flag.Parse()
	const memory, room = "/dev/shm", 1 << 30
	if flag.Lookup("test.bench").Value.String() == "" && os.Getenv("TMPDIR") == "" && disk.Free(memory) > room {
		os.Setenv("TMPDIR", memory)
	}
	goleak.VerifyTestMain(m)
}
