package people

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"screentest/server/account"
)

// Settings keeps values of the whole server. One that is not there is an
// fs.ErrNotExist.
type Settings interface {
	ServerSetting(ctx context.Context, name string) (value string, err error)
	SetServerSetting(ctx context.Context, name, value string) error
}

// policiesSetting is where the policies are kept.
const policiesSetting = "policies"

func readPolicies(ctx context.Context, from Settings) (*account.Policies, error) {
	p := &account.Policies{}
	text, err := from.ServerSetting(ctx, policiesSetting)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), p)
	}
	if err != nil {
		return nil, fmt.Errorf("read the policies: %w", err)
	}
	return p, nil
}

// Policies are those of the instance; none where there are no accounts.
func (d *Directory) Policies() account.Policies {
	if p := d.policies.Load(); p != nil {
		return *p
	}
	return account.Policies{}
}

// SetPolicies changes the policies. They hold from here on, and all tabs are
// greeted anew.
func (d *Directory) SetPolicies(ctx context.Context, p account.Policies) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := d.Settings.SetServerSetting(ctx, policiesSetting, string(text)); err != nil {
		return err
	}
	if d.Fresh != nil { // somebody else may have changed them at the same moment
		return d.ReadPolicies(context.WithoutCancel(ctx))
	}
	d.policies.Store(&p)
	d.tell(d.everybody())
	return nil
}

// ReadPolicies reads the policies again. Where they are others, all tabs are greeted
// anew.
func (d *Directory) ReadPolicies(ctx context.Context) error {
	if d.team == nil {
		return nil
	}
	d.reading.Lock()
	p, err := readPolicies(ctx, d.Settings)
	same := err == nil && reflect.DeepEqual(d.policies.Load(), p)
	if err == nil {
		d.policies.Store(p)
	}
	d.reading.Unlock()
	if err == nil && !same {
		d.tell(d.everybody())
	}
	return err
}

func (d *Directory) everybody() (owners []string) {
	for _, a := range d.All() {
		owners = append(owners, a.Owner)
	}
	return owners
}
