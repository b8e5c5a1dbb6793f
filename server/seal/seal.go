// Package seal keeps secrets unreadable in the data folder: what is sealed
// with a [Box] can be opened only with the same key, and only as what it was
// sealed as.
//
// Get a Box from [Load] or [LoadOrCreate]. The cipher is AES-256-GCM with a
// random nonce for each value; the purpose and the row that a value belongs to
// are bound to it, so that a sealed value moved to another row or column does
// not open there.
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// format is the first byte of every sealed value; another way of sealing gets
// another number.
const format = 1

// ErrOpen is returned for a value that does not open: the key is another one,
// the value was changed, or it was sealed for something else.
var ErrOpen = errors.New("the sealed value does not open with this key")

// A Box seals and opens. It may be used from any goroutine.
type Box struct {
	aead cipher.AEAD
	key  []byte
}

// New returns a Box for a key of KeySize bytes.
func New(key []byte) (*Box, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("sealing key: %d bytes, want %d", len(key), KeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("sealing key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("sealing key: %w", err)
	}
	return &Box{aead: aead, key: bytes.Clone(key)}, nil
}

// Derive returns a key of KeySize bytes for a purpose of its own: who has it can
// open nothing.
func (b *Box) Derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, b.key, nil, "screentest "+purpose, KeySize)
	if err != nil {
		panic("seal: " + err.Error()) // only of a length that HKDF hasn't got
	}
	return key
}

// Seal returns plain sealed for one purpose ("session") and the row id within
// it. It is 29 bytes longer than plain.
func (b *Box) Seal(purpose, id string, plain []byte) []byte {
	out := make([]byte, 1, 1+len(plain)+b.aead.Overhead())
	out[0] = format
	return b.aead.Seal(out, nil, plain, binding(purpose, id))
}

// Open returns what was sealed for purpose and id, or an error that wraps
// ErrOpen.
func (b *Box) Open(purpose, id string, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 || sealed[0] != format {
		return nil, fmt.Errorf("%s: unknown format: %w", purpose, ErrOpen)
	}
	plain, err := b.aead.Open(nil, nil, sealed[1:], binding(purpose, id))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", purpose, ErrOpen)
	}
	return plain, nil
}

// binding is the additional data of a value. The length in front keeps
// ("ab", "c") and ("a", "bc") apart.
func binding(purpose, id string) []byte {
	return fmt.Appendf(nil, "screentest %d %s %s", len(purpose), purpose, id)
}

// NewKey returns a key from the system's random source.
func NewKey() []byte {
	key := make([]byte, KeySize)
	rand.Read(key) // never fails: the program ends if the system has no randomness
	return key
}

// ParseKey reads a key as people write it: 64 hex digits, or base64 (either
// alphabet, padded or not) of 32 bytes. Space around it is ignored. The error
// never contains the text.
func ParseKey(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if len(text) == hex.EncodedLen(KeySize) {
		if key, err := hex.DecodeString(text); err == nil {
			return key, nil
		}
	}
	bare := strings.TrimRight(text, "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if key, err := enc.DecodeString(bare); err == nil && len(key) == KeySize {
			return key, nil
		}
	}
	return nil, fmt.Errorf("not a sealing key: want %d bytes as base64 or as %d hex digits", KeySize, 2*KeySize)
}

// FormatKey writes a key the way ParseKey reads it, in base64.
func FormatKey(key []byte) string { return base64.StdEncoding.EncodeToString(key) }
