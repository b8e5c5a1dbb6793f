package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"pgregory.net/rapid"
)

// The hash of a row as the package doc has it, put together by hand.
func TestHashIsWhatTheDocSays(t *testing.T) {
	before := sha256.Sum256([]byte("screentest chain 1 audit"))
	if before != Audit.before() {
		t.Error("the first row follows something else")
	}
	encoded, err := hex.DecodeString("69" + "0000000000000001" + "74" + "0000000000000002" + "c3a4" + "62" + "0000000000000003" + "000102" + "6e" + "69" + "ffffffffffffffff")
	if err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256(append(before[:], encoded...))
	if got, err := next(before, []any{int64(1), "ä", []byte{0, 1, 2}, nil, int64(-1)}); got != want || err != nil {
		t.Errorf("%x, %v; want %x", got, err, want)
	}
	if _, err := next(before, []any{1.5}); err == nil {
		t.Error("a number that has no encoding was taken")
	}
}

// Rows that differ have hashes that differ, wherever a value ends and the next
// begins.
func TestNoTwoRowsHaveOneHash(t *testing.T) {
	value := rapid.OneOf(
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.StringMatching("[itbn]{0,4}"), func(s string) any { return s }),
		rapid.Map(rapid.StringMatching("[itbn]{0,4}"), func(s string) any { return []byte(s) }),
		rapid.Just[any](nil),
	)
	same := func(a, b []any) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			p, isBytes := a[i].([]byte)
			q, areBytes := b[i].([]byte)
			if isBytes != areBytes || isBytes && !bytes.Equal(p, q) || !isBytes && a[i] != b[i] {
				return false
			}
		}
		return true
	}
	rapid.Check(t, func(r *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(value, 0, 4), 2, 2).Draw(r, "rows")
		one, err := next(Hash{}, rows[0])
		two, err2 := next(Hash{}, rows[1])
		if err != nil || err2 != nil || (one == two) != same(rows[0], rows[1]) {
			r.Fatal(one, two, err, err2)
		}
	})
}
