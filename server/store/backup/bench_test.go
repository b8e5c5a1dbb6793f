package backup_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/backup"
	"screentest/server/store/storetest"
)

// Backup while 32 sides write durable rows: its speed, and what it costs them.
func BenchmarkBackup(b *testing.B) {
	ctx := context.Background()
	dir := b.TempDir()
	db := storetest.Open(b, dir, store.Options{})
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(b, err)
	log, times := storetest.AnswerLog(300)
	for range 2000 {
		storetest.OneRun(b, db, owner, log, times)
	}
	clip := make([]byte, 4<<20)
	for i := range clip {
		clip[i] = byte(i*i>>9 ^ i*7>>3)
	}
	storetest.Must(b, os.MkdirAll(filepath.Join(dir, "archive", "ab"), 0o700))
	for i := range 25 {
		clip[i]++
		storetest.Must(b, os.WriteFile(filepath.Join(dir, "archive", "ab", fmt.Sprint(i)), clip, 0o600))
	}
	writes := func(until func()) (perSecond float64) {
		var stop atomic.Bool
		var n atomic.Int64
		ended := make(chan struct{}, 32)
		begin := time.Now()
		for range 32 {
			go func() {
				for !stop.Load() {
					storetest.OneRun(b, db, owner, log[:2000], times)
					n.Add(1)
				}
				ended <- struct{}{}
			}()
		}
		until()
		took := time.Since(begin)
		stop.Store(true)
		for range 32 {
			<-ended
		}
		return float64(n.Load()) / took.Seconds()
	}
	for i := range b.N {
		var m backup.Manifest
		var took time.Duration
		file := filepath.Join(b.TempDir(), fmt.Sprint("backup", i))
		busy := writes(func() {
			begin := time.Now()
			m, err = backup.Backup(ctx, dir, file, "bench")
			took = time.Since(begin)
			storetest.Must(b, err)
		})
		alone := writes(func() { time.Sleep(took) })
		b.ReportMetric(float64(m.Bytes())/1e6/took.Seconds(), "MB/s")
		b.ReportMetric(busy, "runs/s-meanwhile")
		b.ReportMetric(alone, "runs/s-without")
	}
	b.ReportMetric(0, "ns/op")
}
