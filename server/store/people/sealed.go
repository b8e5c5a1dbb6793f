package people

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"

	"screentest/server/store/engine"
)

// sealedSetting is what the seal of a setting is bound to, beside its owner.
const sealedSetting = "setting:"

// SealedSetting is Setting for a value that is kept sealed.
func (r *Register) SealedSetting(ctx context.Context, owner, name string) (value string, err error) {
	text, err := r.Setting(ctx, owner, name)
	if err != nil {
		return "", err
	}
	sealed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("read the setting %s: %w", name, err)
	}
	plain, err := r.box.Open(sealedSetting+name, rowOf(owner), sealed)
	if err != nil {
		return "", fmt.Errorf("read the setting %s: %w", name, err)
	}
	return string(plain), nil
}

// SetSealedSetting is SetSetting for a value that nobody reads in the data folder;
// "" forgets it.
func (r *Register) SetSealedSetting(ctx context.Context, owner, name, value string) error {
	if value != "" {
		value = base64.StdEncoding.EncodeToString(r.box.Seal(sealedSetting+name, rowOf(owner), []byte(value)))
	}
	return r.SetSetting(ctx, owner, name, value)
}

func rowOf(owner string) string { return strconv.FormatInt(engine.ParseOwner(owner), 10) }
