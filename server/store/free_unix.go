//go:build linux || darwin || freebsd

package store

import "syscall"

// freeBytes is what the disk of dir has left for us; 0 where that is not known.
func freeBytes(dir string) int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
