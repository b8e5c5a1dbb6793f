//go:build linux

package sandbox

import (
	"syscall"
	"testing"
)

// A write that the disk takes only half of was left in the journal: the next
// line continued it, and the sandbox did not start again.
func TestHalfAWriteLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	var lines []line
	open := func() *journal {
		lines = nil
		j, _, err := openJournal(dir, func(l line) error { lines = append(lines, l); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j := open()
	first := line{Charge: &charge{Account: "a", Subject: "first", NanoUSD: 1}}
	if err := j.append(first, true); err != nil {
		t.Fatal(err)
	}

	// Files of this process may not grow by more than half a line.
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	full := was
	full.Cur = uint64(j.size + j.size/2)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	err := j.append(line{Charge: &charge{Account: "a", Subject: "lost", NanoUSD: 2}}, true)
	if restore := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); restore != nil {
		t.Fatal(restore)
	}
	if err == nil {
		t.Fatal("half a line was taken for a whole one")
	}

	if err := j.append(line{Charge: &charge{Account: "a", Subject: "second", NanoUSD: 3}}, true); err != nil {
		t.Fatal(err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	j = open()
	if len(lines) != 2 || lines[0].Charge.Subject != "first" || lines[1].Charge.Subject != "second" {
		t.Errorf("the journal has %+v", lines)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
}
