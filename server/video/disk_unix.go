//go:build linux || darwin || freebsd

package video

import "syscall"

// freeBytes is what is left on the disk of a folder for this program; -1 where
// it is not known.
func freeBytes(dir string) int64 {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
