//go:build linux || darwin || freebsd

package disk

import "syscall"

// Free is how many bytes the disk of dir has left for this program; -1 where
// that is not known.
func Free(dir string) int64 {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
