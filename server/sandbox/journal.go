package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"screentest/server/disk"
	"screentest/shared/money"

	"github.com/gofrs/flock"
)

// The files in Config.Dir.
const (
	journalName = "sandbox.jsonl"
	lockName    = "sandbox.lock"
)

// line is one line of the journal: one thing that happened. The first line may
// be a snapshot of all that happened before.
type line struct {
	Snapshot *snapshot     `json:"snapshot,omitempty"`
	Task     *task         `json:"task,omitempty"`   // made, and charged
	Return   string        `json:"return,omitempty"` // id of a failed task whose charge went back
	Charge   *charge       `json:"charge,omitempty"` // for text
	Clock    time.Duration `json:"clock_ns,omitempty"`
}

// charge is what a text call cost.
type charge struct {
	Account string        `json:"account"`
	Subject string        `json:"subject"`
	NanoUSD money.NanoUSD `json:"nano_usd"`
}

// snapshot is all that a sandbox knows.
type snapshot struct {
	Clock    time.Duration  `json:"clock_ns"`
	Accounts []savedAccount `json:"accounts"`
	Tasks    []*task        `json:"tasks"`
}

type savedAccount struct {
	Name     string        `json:"name"`
	Charged  money.NanoUSD `json:"charged_nano_usd"`
	Returned money.NanoUSD `json:"returned_nano_usd"`
	Entries  []entry       `json:"entries"`
}

// journal is the file that a sandbox with a folder writes down what happens
// in, one JSON line each. A nil file keeps nothing. A kill in the middle of a
// line loses that line only, which nobody was told of yet.
type journal struct {
	f    *os.File
	lock *flock.Flock
	size int64 // of the whole lines in f, in bytes
}

// append writes one line; durable waits until it is on the disk.
func (j *journal) append(l line, durable bool) error {
	if j.f == nil {
		return nil
	}
	b, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("sandbox journal: %w", err)
	}
	b = append(b, '\n')
	_, err = j.f.Write(b)
	if err == nil && durable {
		err = j.f.Sync()
	}
	if err != nil {
		// The caller is told that it did not happen, so no part of it may
		// stay: half a line would also spoil the one after it.
		return errors.Join(fmt.Errorf("sandbox journal: %w", err), j.rewind())
	}
	j.size += int64(len(b))
	return nil
}

// rewind drops what follows the last whole line.
func (j *journal) rewind() error {
	_, err := j.f.Seek(j.size, io.SeekStart)
	return errors.Join(j.f.Truncate(j.size), err)
}

func (j *journal) close() error {
	if j.f == nil {
		return nil
	}
	return errors.Join(j.f.Sync(), j.f.Close(), j.lock.Unlock())
}

// openJournal takes the folder for this process and gives each line that is in
// it to apply, in their order.
func openJournal(dir string, apply func(line) error) (j *journal, lines int, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, 0, fmt.Errorf("sandbox folder: %w", err)
	}
	lock := flock.New(filepath.Join(dir, lockName))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, 0, fmt.Errorf("sandbox folder: %w", err)
	case !ok:
		return nil, 0, fmt.Errorf("another sandbox uses the folder %s: stop it, or choose another folder", dir)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Unlock())
		}
	}()
	path := filepath.Join(dir, journalName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, fmt.Errorf("sandbox journal: %w", err)
	}
	whole, lines, err := readLines(f, apply)
	j = &journal{f: f, lock: lock, size: whole}
	if err == nil {
		err = j.rewind() // what follows is half a line
	}
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return j, lines, nil
}

// readLines reads whole lines and returns how many bytes and lines they are.
func readLines(f io.Reader, apply func(line) error) (whole int64, lines int, err error) {
	r := bufio.NewReader(f)
	for {
		b, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, lines, nil
		}
		if err != nil {
			return whole, lines, err
		}
		lines++
		var l line
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			return whole, lines, fmt.Errorf("line %d is damaged: %w: move the file away to start anew", lines, err)
		}
		if err := apply(l); err != nil {
			return whole, lines, fmt.Errorf("line %d: %w", lines, err)
		}
		whole += int64(len(b))
	}
}

// compact replaces the journal by a snapshot, so that it does not grow for
// ever. A kill leaves either the old file or the new one.
func (j *journal) compact(s snapshot) error {
	path := j.f.Name()
	next, err := os.OpenFile(path+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("sandbox journal: %w", err)
	}
	n := journal{f: next}
	if err := errors.Join(n.append(line{Snapshot: &s}, true), os.Rename(next.Name(), path)); err != nil {
		return errors.Join(err, next.Close())
	}
	_ = disk.SyncFolder(filepath.Dir(path)) // the rename stands anyway
	old := j.f
	j.f, j.size = next, n.size
	return old.Close()
}
