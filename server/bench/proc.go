package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ticksPerSecond is the unit of the times in /proc/PID/stat. Linux has 100 on
// every machine that Go runs on.
const ticksPerSecond = 100

// usage is what processes have used so far.
type usage struct {
	cpuSeconds float64 // user and system
	privateKB  float64 // resident, and not of a file: the program itself is no stream's
}

// family sums what a process and its children use, such as nginx's workers.
func family(pid int) (usage, error) {
	pids := []int{pid}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return usage{}, err
	}
	for _, name := range stats {
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			continue
		}
		// A process may be gone by now.
		if fields, err := statFields(child); err == nil && fields[1] == strconv.Itoa(pid) {
			pids = append(pids, child)
		}
	}
	var sum usage
	for _, pid := range pids {
		u, err := process(pid)
		if err != nil {
			return usage{}, err
		}
		sum.cpuSeconds += u.cpuSeconds
		sum.privateKB += u.privateKB
	}
	return sum, nil
}

func process(pid int) (usage, error) {
	fields, err := statFields(pid)
	if err != nil {
		return usage{}, err
	}
	// Of proc(5): utime is field 14, stime 15; fields starts at 3.
	var n [2]float64
	for i, at := range []int{14, 15} {
		if n[i], err = strconv.ParseFloat(fields[at-3], 64); err != nil {
			return usage{}, fmt.Errorf("/proc/%d/stat: field %d: %w", pid, at, err)
		}
	}
	private, err := privateKB(pid)
	return usage{cpuSeconds: (n[0] + n[1]) / ticksPerSecond, privateKB: private}, err
}

// privateKB reads RssAnon of /proc/PID/status.
func privateKB(pid int) (float64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, line, ok := strings.Cut(string(raw), "RssAnon:")
	fields := strings.Fields(line)
	if !ok || len(fields) == 0 {
		return 0, fmt.Errorf("/proc/%d/status: no RssAnon", pid)
	}
	return strconv.ParseFloat(fields[0], 64)
}

// statFields returns the fields of /proc/PID/stat from the third on: the second
// is the name in brackets, which may hold anything.
func statFields(pid int) ([]string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	_, rest, ok := strings.Cut(string(raw[bytes.LastIndexByte(raw, ')'):]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 22 {
		return nil, fmt.Errorf("/proc/%d/stat: not understood: %q", pid, raw)
	}
	return fields, nil
}

// processors is what all processors have done since the machine's start.
type processors struct{ idle, all float64 }

// machineTime reads /proc/stat.
func machineTime() (processors, error) {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return processors{}, err
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	var p processors
	for i, field := range strings.Fields(line)[1:] {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return processors{}, fmt.Errorf("/proc/stat: %w", err)
		}
		if i == 3 || i == 4 { // idle, and waiting for the disk
			p.idle += n
		}
		p.all += n
	}
	return p, nil
}

// busySince returns the share of the time since p in which they were not idle.
func (p processors) busySince() (float64, error) {
	now, err := machineTime()
	if err != nil || now.all == p.all {
		return 0, err
	}
	return 1 - (now.idle-p.idle)/(now.all-p.all), nil
}
