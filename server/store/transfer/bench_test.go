package transfer_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// A file of 40 000 messages, written and read.
func BenchmarkTransfer(b *testing.B) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(b)
	storetest.FillTalk(b, db, owner, 20_000)
	for b.Loop() {
		var file bytes.Buffer
		start := time.Now()
		storetest.Must(b, db.Export(ctx, owner, "", &file))
		b.ReportMetric(float64(file.Len())/1e6, "MB")
		b.ReportMetric(float64(file.Len())/1e6/time.Since(start).Seconds(), "export-MB/s")
		start = time.Now()
		_, err := db.Import(ctx, storetest.AddUser(b, db, storetest.NewID()), &file)
		storetest.Must(b, err)
		b.ReportMetric(time.Since(start).Seconds(), "import-s")
		storetest.Indexed(b, db)
		b.ReportMetric(time.Since(start).Seconds(), "import-until-found-s")
	}
}

// What another write waits while 100 000 messages are imported, at worst and as
// a share of the import's length; and what memory is kept after it.
func BenchmarkWriteDuringImport(b *testing.B) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(b)
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "file")
		storetest.Must(b, os.WriteFile(path, []byte(strings.ReplaceAll(importFile(10, wire.MaxImported/20), `"answer"`, `"`+strings.Repeat("answer ", 100)+`"`)), 0o600))
		debug.FreeOSMemory() // of making it
		file, err := os.Open(path)
		storetest.Must(b, err)
		done := make(chan error, 1)
		start := time.Now()
		go func() { done <- storetest.Second(db.Import(ctx, owner, file)) }()
		worst := time.Duration(0)
		for under := true; under; {
			began := time.Now()
			storetest.Must(b, db.SetSetting(ctx, owner, "while", fmt.Sprint(began)))
			worst = max(worst, time.Since(began))
			select {
			case err := <-done:
				storetest.Must(b, err)
				under = false
			case <-time.After(time.Millisecond):
			}
		}
		storetest.Must(b, file.Close())
		took := time.Since(start)
		b.ReportMetric(took.Seconds(), "import-s")
		b.ReportMetric(worst.Seconds(), "worst-wait-s")
		b.ReportMetric(100*worst.Seconds()/took.Seconds(), "%-of-import")
		status, _ := os.ReadFile("/proc/self/status")
		if _, rss, ok := strings.Cut(string(status), "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rss)[0])
			b.ReportMetric(float64(kb)/1000, "MB-kept")
		}
	}
}
