package engine

import (
	"strconv"

	"github.com/google/uuid"
)

// ParseOwner reads an owner id, which is a user's number. No user has 0.
func ParseOwner(owner string) int64 {
	n, err := strconv.ParseInt(owner, 10, 64)
	if err != nil || n <= 0 {
		return 0
	}
	return n
}

func FormatOwner(n int64) string { return strconv.FormatInt(n, 10) }

// ParseID reads a UUID in canonical form, the only one that is accepted: what
// is given back must be what was given. ok is false for anything else, which
// is then simply not there.
func ParseID(id string) (b []byte, ok bool) {
	u, err := uuid.Parse(id)
	if err != nil || u.String() != id {
		return nil, false
	}
	return u[:], true
}

// WantID is parseID for ids that are about to be stored.
func WantID(field, id string) ([]byte, error) {
	b, ok := ParseID(id)
	if !ok {
		return nil, BadField("bad_id", field, "%s must be a UUID in lower case.", field)
	}
	return b, nil
}

// FormatID writes an id as parseID reads it; no id is "".
func FormatID(b []byte) string {
	u, err := uuid.FromBytes(b)
	if err != nil {
		return ""
	}
	return u.String()
}
