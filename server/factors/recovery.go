package factors

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"strings"

	"screentest/shared/wire"
)

// A recovery code has 80 random bits, so that one round of SHA-256 is enough to
// keep it by.
const (
	codeLength = 16 // of the 32 characters of rand.Text
	codeGroup  = 4
)

// NewCodes replaces an owner's recovery codes.
func (f *Factors) NewCodes(ctx context.Context, owner string) ([]string, error) {
	codes, hashes := newCodes(owner)
	if err := f.Store.SetRecoveryCodes(ctx, owner, hashes); err != nil {
		return nil, err
	}
	return codes, nil
}

func (f *Factors) checkRecovery(ctx context.Context, owner, code string) (bool, error) {
	code = bare(code)
	if len(code) != codeLength {
		return false, nil
	}
	used, err := f.Store.UseRecoveryCode(ctx, owner, hashCode(owner, code))
	if used && err == nil && f.RecoveryUsed != nil {
		f.RecoveryUsed(ctx, owner)
	}
	return used, err
}

// newCodes makes recovery codes, as they are shown and as they are kept.
func newCodes(owner string) (codes []string, hashes [][]byte) {
	for range wire.RecoveryCodes {
		code := rand.Text()[:codeLength]
		hashes = append(hashes, hashCode(owner, code))
		var shown []string
		for i := 0; i < codeLength; i += codeGroup {
			shown = append(shown, code[i:i+codeGroup])
		}
		codes = append(codes, strings.Join(shown, "-"))
	}
	return codes, hashes
}

// hashCode is what is kept of a code. The owner's number in it keeps one person's
// code from being known by another's.
func hashCode(owner, code string) []byte {
	sum := sha256.Sum256([]byte("recovery " + owner + " " + code))
	return sum[:]
}

// bare is a code as it was made, however it was typed.
func bare(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(code))
}
