//go:build !linux && !darwin && !freebsd

package disk

// Free is -1: what the disk of a folder has left is not known here.
func Free(string) int64 { return -1 }
