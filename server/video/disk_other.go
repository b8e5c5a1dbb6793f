//go:build !linux && !darwin && !freebsd

package video

// freeBytes is what is left on the disk of a folder; -1 where it is not known.
func freeBytes(string) int64 { return -1 }
