package run

import "encoding/binary"

// read is one entry of a log's time index: bytes that came together.
type read struct {
	ms  uint32 // since the run's start; room for 49 days
	len uint32
}

// appendTimes encodes entries as the store keeps them: pairs of varints,
// milliseconds since the entry before (in the first of a run: since its
// start) and bytes. after is the milliseconds of the entry before, so that the
// stretches of a run can be joined as they are.
func appendTimes(dst []byte, after uint32, entries []read) []byte {
	for _, e := range entries {
		dst = binary.AppendUvarint(dst, uint64(e.ms-after))
		dst = binary.AppendUvarint(dst, uint64(e.len))
		after = e.ms
	}
	return dst
}

// parseTimes decodes a run's whole time index. It covers exactly size bytes: a
// damaged index is cut where it stops making sense and its last time stands
// for the rest, for times must never lose bytes.
func parseTimes(p []byte, size int64) []read {
	var out []read
	var ms uint64
	for len(p) > 0 && size > 0 {
		d, n := binary.Uvarint(p)
		if n <= 0 {
			break
		}
		k, m := binary.Uvarint(p[n:])
		if m <= 0 || k > uint64(size) {
			break
		}
		p = p[n+m:]
		ms += d
		out = append(out, read{ms: uint32(ms), len: uint32(k)})
		size -= int64(k)
	}
	const most = 1 << 30 // bytes that one entry can stand for
	for size > 0 {
		k := min(size, most)
		out = append(out, read{ms: uint32(ms), len: uint32(k)})
		size -= k
	}
	return out
}
