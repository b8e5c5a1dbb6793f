// Package seal keeps secrets unreadable in the data folder: what is sealed
// with a [Box] can be opened only with the same key, and only as what it was
// sealed as.
//
// Get a Box from [Parse], [Load] or [LoadOrCreate]. The cipher is AES-256-GCM with a
// random nonce for each value; the purpose and the row that a value belongs to
// are bound to it, so that a sealed value moved to another row or column does
// not open there.
//
// A Box may have several keys, so that one can be replaced: the first seals, and all
// open. A sealed value names its key by four bytes that tell nothing else of it: the
// format, 2, the key's id, a nonce and what it is of the cipher's. Those of the format
// 1, which don't, are opened by trying all keys.
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
	"slices"
	"strings"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// maxKeys bounds the keys of a Box.
const maxKeys = 8

// The first byte of a sealed value; another way of sealing gets another number.
const (
	formatNameless = 1
	format         = 2
)

// idSize is the length of a key's id.
const idSize = 4

// Probe is what the value is sealed as by which those who share a database know that
// they have its key.
const Probe = "seal_check"

// ErrOpen is returned for a value that does not open: the key is another one,
// the value was changed, or it was sealed for something else.
var ErrOpen = errors.New("the sealed value does not open with this key")

// A Box seals and opens. It may be used from any goroutine.
type Box struct {
	keys []key // the first seals
}

// key is one of a Box.
type key struct {
	aead  cipher.AEAD
	bytes []byte
	head  []byte // the format and the key's id
}

// New returns a Box for one or several keys of KeySize bytes, one after the other.
func New(keys []byte) (*Box, error) {
	if len(keys) == 0 || len(keys)%KeySize != 0 {
		return nil, fmt.Errorf("sealing key: %d bytes, want %d", len(keys), KeySize)
	}
	b := &Box{}
	for bytes := range slices.Chunk(bytes.Clone(keys), KeySize) {
		k := key{bytes: bytes}
		block, err := aes.NewCipher(bytes)
		if err != nil {
			return nil, fmt.Errorf("sealing key: %w", err)
		}
		if k.aead, err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return nil, fmt.Errorf("sealing key: %w", err)
		}
		id := sha256.Sum256(k.derive("key id"))
		k.head = append([]byte{format}, id[:idSize]...)
		b.keys = append(b.keys, k)
	}
	return b, nil
}

// Parse returns the Box of what [ParseKey] reads.
func Parse(text string) (*Box, error) {
	keys, err := ParseKey(text)
	if err != nil {
		return nil, err
	}
	return New(keys)
}

// Derive returns a key of KeySize bytes for a purpose of its own, made of the first
// key: who has it can open nothing. Where one key is being replaced by another on
// several machines, some have made theirs of what is among the [Box.DeriveOthers] here.
func (b *Box) Derive(purpose string) []byte { return b.keys[0].derive(purpose) }

// DeriveOthers returns what Derive would of each of the other keys.
func (b *Box) DeriveOthers(purpose string) (others [][]byte) {
	for _, k := range b.keys[1:] {
		others = append(others, k.derive(purpose))
	}
	return others
}

func (k key) derive(purpose string) []byte {
	derived, err := hkdf.Key(sha256.New, k.bytes, nil, "screentest "+purpose, KeySize)
	if err != nil {
		panic("seal: " + err.Error()) // only of a length that HKDF hasn't got
	}
	return derived
}

// IDs are the ids of the keys, in hexadecimal digits, in their order.
func (b *Box) IDs() (ids []string) {
	for _, k := range b.keys {
		ids = append(ids, IDOf(k.head))
	}
	return ids
}

// IDOf is the id of the key that a value was sealed with; "" where it names none.
func IDOf(sealed []byte) string {
	if len(sealed) < 1+idSize || sealed[0] != format {
		return ""
	}
	return hex.EncodeToString(sealed[1 : 1+idSize])
}

// Is says whether p may be a sealed value, by its beginning and its length.
func Is(p []byte) bool {
	const least = 1 + 12 + 16 // format, nonce, tag
	return len(p) >= least && p[0] == formatNameless || len(p) >= least+idSize && p[0] == format
}

// Newest says whether a value was sealed with the first key, and names it.
func (b *Box) Newest(sealed []byte) bool { return bytes.HasPrefix(sealed, b.keys[0].head) }

// Seal returns plain sealed for one purpose ("session") and the row id within
// it. It is 33 bytes longer than plain.
func (b *Box) Seal(purpose, id string, plain []byte) []byte {
	k := b.keys[0]
	out := make([]byte, 0, len(k.head)+len(plain)+k.aead.Overhead())
	out = append(out, k.head...)
	return k.aead.Seal(out, nil, plain, binding(purpose, id))
}

// Open returns what was sealed for purpose and id, or an error that wraps
// ErrOpen.
func (b *Box) Open(purpose, id string, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 || sealed[0] != format && sealed[0] != formatNameless {
		return nil, fmt.Errorf("%s: unknown format: %w", purpose, ErrOpen)
	}
	for _, k := range b.keys {
		of := sealed[1:]
		if sealed[0] == format {
			if !bytes.HasPrefix(sealed, k.head) {
				continue
			}
			of = sealed[len(k.head):]
		}
		if plain, err := k.aead.Open(nil, nil, of, binding(purpose, id)); err == nil {
			return plain, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", purpose, ErrOpen)
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
// alphabet, padded or not) of 32 bytes. Space around it is ignored. Of several, with
// commas or line feeds between them, it returns one after the other. The error
// never contains the text.
func ParseKey(text string) (keys []byte, err error) {
	n := 0
	for one := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		if strings.TrimSpace(one) == "" {
			continue
		}
		key, err := parseOne(one)
		if err != nil {
			return nil, err
		}
		if n++; n > maxKeys {
			return nil, fmt.Errorf("more than %d sealing keys: leave out those that nothing is sealed with any more", maxKeys)
		}
		keys = append(keys, key...)
	}
	if n == 0 {
		return nil, errNoKey
	}
	return keys, nil
}

var errNoKey = fmt.Errorf("not a sealing key: want %d bytes as base64 or as %d hex digits", KeySize, 2*KeySize)

func parseOne(text string) ([]byte, error) {
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
	return nil, errNoKey
}

// FormatKey writes a key the way ParseKey reads it, in base64.
func FormatKey(key []byte) string { return base64.StdEncoding.EncodeToString(key) }
