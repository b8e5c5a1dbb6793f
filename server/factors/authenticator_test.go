package factors_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// authenticator is a key that somebody holds: it makes one passkey and signs with
// it, as WebAuthn level 3 has it.
type authenticator struct {
	t          *testing.T
	origin, rp string
	unverified bool // the person is not asked who they are
	counter    uint32
	id, handle []byte
	key        *ecdsa.PrivateKey
}

// options are those of a ceremony, as a browser reads them.
type options struct {
	Challenge string `json:"challenge"`
	User      struct {
		ID string `json:"id"`
	} `json:"user"`
	RP struct {
		ID string `json:"id"`
	} `json:"rp"`
	RPID                   string `json:"rpId"`
	UserVerification       string `json:"userVerification"`
	AuthenticatorSelection struct {
		ResidentKey      string `json:"residentKey"`
		UserVerification string `json:"userVerification"`
	} `json:"authenticatorSelection"`
	ExcludeCredentials []struct {
		ID string `json:"id"`
	} `json:"excludeCredentials"`
	Timeout int `json:"timeout"`
}

func readOptions(t *testing.T, raw json.RawMessage) (o options) {
	t.Helper()
	if err := json.Unmarshal(raw, &o); err != nil || o.Challenge == "" {
		t.Fatalf("options %s, %v", raw, err)
	}
	return o
}

var b64 = base64.RawURLEncoding

// Flags of an authenticator's data.
const (
	present  = 1 << 0
	verified = 1 << 2
	attested = 1 << 6
)

func (a *authenticator) data(flags byte, rest ...byte) []byte {
	if !a.unverified {
		flags |= verified
	}
	a.counter++
	hash := sha256.Sum256([]byte(a.rp))
	out := append(hash[:], flags|present)
	out = binary.BigEndian.AppendUint32(out, a.counter)
	return append(out, rest...)
}

func (a *authenticator) client(kind, challenge string) []byte {
	return a.json(map[string]any{"type": kind, "challenge": challenge, "origin": a.origin, "crossOrigin": false})
}

func (a *authenticator) json(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		a.t.Fatal(err)
	}
	return raw
}

// create makes a passkey.
func (a *authenticator) create(raw json.RawMessage) []byte {
	a.t.Helper()
	o := readOptions(a.t, raw)
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		a.t.Fatal(err)
	}
	a.id = make([]byte, 32)
	rand.Read(a.id)
	if a.handle, err = b64.DecodeString(o.User.ID); err != nil {
		a.t.Fatal(err)
	}
	point, err := a.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		a.t.Fatal(err)
	}
	cose, err := cbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	if err != nil {
		a.t.Fatal(err)
	}
	rest := append(make([]byte, 16), byte(len(a.id)>>8), byte(len(a.id)))
	rest = append(append(rest, a.id...), cose...)
	object, err := cbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": a.data(attested, rest...)})
	if err != nil {
		a.t.Fatal(err)
	}
	return a.credential(map[string]any{
		"clientDataJSON": b64.EncodeToString(a.client("webauthn.create", o.Challenge)), "attestationObject": b64.EncodeToString(object), "transports": []string{"internal"},
	})
}

// sign signs in.
func (a *authenticator) sign(raw json.RawMessage) []byte {
	a.t.Helper()
	data, client := a.data(0), a.client("webauthn.get", readOptions(a.t, raw).Challenge)
	hash := sha256.Sum256(client)
	sum := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, sum[:])
	if err != nil {
		a.t.Fatal(err)
	}
	return a.credential(map[string]any{
		"clientDataJSON": b64.EncodeToString(client), "authenticatorData": b64.EncodeToString(data), "signature": b64.EncodeToString(signature), "userHandle": b64.EncodeToString(a.handle),
	})
}

func (a *authenticator) credential(response map[string]any) []byte {
	id := b64.EncodeToString(a.id)
	return a.json(map[string]any{"id": id, "rawId": id, "type": "public-key", "authenticatorAttachment": "platform", "clientExtensionResults": map[string]any{}, "response": response})
}
