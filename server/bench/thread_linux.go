package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// sleepExactly has the thread's sleeps end when they should, instead of up to
// 50 µs later, which saves power.
func sleepExactly() {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // they are late by that much otherwise
}

// sleep sleeps in the system, on the calling thread.
func sleep(d time.Duration) {
	left := unix.NsecToTimespec(d.Nanoseconds())
	_ = unix.Nanosleep(&left, nil) // interrupted: the caller looks at the clock
}

// pinThis keeps this process to some of the processors, its threads to come
// among it.
func pinThis(processors []int) error {
	threads, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		return err
	}
	for _, name := range threads {
		thread, err := strconv.Atoi(filepath.Base(name))
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(thread, setOf(processors)); err != nil && !os.IsNotExist(err) && err != unix.ESRCH {
			return fmt.Errorf("keep to processors %v: %w", processors, err)
		}
	}
	return nil
}

// pinned has the process that start starts kept to some of the processors.
func pinned(processors []int, start func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	if err := unix.SchedSetaffinity(0, setOf(processors)); err != nil {
		return fmt.Errorf("keep to processors %v: %w", processors, err)
	}
	err := start()
	if back := unix.SchedSetaffinity(0, &before); back != nil {
		return back
	}
	return err
}

func setOf(processors []int) *unix.CPUSet {
	var set unix.CPUSet
	for _, p := range processors {
		set.Set(p)
	}
	return &set
}
