package share

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"screentest/shared/wire"
)

// Copy makes a conversation of an owner's own of one that is shown to them, by a
// share's id or a link's token, and gives its id.
func (s *Service) Copy(ctx context.Context, owner, key string, what wire.CopyShare) (id string, err error) {
	v, err := s.See(ctx, key, owner)
	if err != nil {
		return "", err
	}
	if v.Kind != wire.ShareConversation {
		return "", errNone
	}
	if id, err = s.CopyTo(ctx, owner, v, what); err != nil {
		return "", err
	}
	s.Note(ctx, "share.copied", v.Share, map[string]any{"kind": v.Kind, "to": id})
	return id, nil
}

// Reuse is what a clip that is shown to an owner was made with, for them to make
// another: without addresses and the gateway's ids, which are nobody else's.
func (s *Service) Reuse(ctx context.Context, owner, key string) (r wire.Reuse, err error) {
	v, err := s.See(ctx, key, owner)
	if err != nil {
		return r, err
	}
	if v.Kind != wire.ShareClip {
		return r, errNone
	}
	t, err := s.Clip(ctx, v.Owner, v.Subject)
	if err != nil {
		return r, err
	}
	r.Copied = wire.Copied{Share: v.Share, Title: v.Title, Owner: v.OwnerName}
	r.Create = wire.VideoCreate{Mode: t.Mode, CopiedFrom: v.Share}
	if v.ByLink {
		r.Copied.Share = ""
	}
	r.Create.Body, r.Missing = withoutAddresses(t.Body)
	return r, nil
}

// withoutAddresses is a request without links to files and the gateway's ids, and
// the names of the fields that had some.
func withoutAddresses(body []byte) (out json.RawMessage, missing []string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return json.RawMessage("{}"), nil
	}
	for name, value := range fields {
		if name == "task_id" || holdsAddress(name, value) {
			missing = append(missing, name)
			delete(fields, name)
		}
	}
	slices.Sort(missing)
	out, _ = json.Marshal(fields) // what was read can be written
	return out, missing
}

// written are the fields that a person wrote, where an address is part of a text.
var written = []string{"prompt", "negative_prompt", "multi_prompt"}

func holdsAddress(name string, value []byte) bool {
	if slices.Contains(written, name) {
		return false
	}
	for _, part := range [][]byte{[]byte("://"), []byte(`:\/\/`), []byte(`"data:`)} {
		if bytes.Contains(value, part) {
			return true
		}
	}
	return false
}

// Lineage is what is noted of a clip that is made with the settings of one that is
// shown to an owner by a share, whose id is given: the share, "" for a link, what it
// is called, and whose it is.
func (s *Service) Lineage(ctx context.Context, owner, id string) (*wire.Copied, error) {
	v, err := s.Store.Known(ctx, id, owner)
	if err != nil {
		return nil, err
	}
	if v.Kind != wire.ShareClip {
		return nil, errNone
	}
	c := &wire.Copied{Share: v.Share, Title: v.Title, Owner: v.OwnerName, From: v.Owner}
	if v.ByLink {
		c.Share = ""
	}
	return c, nil
}
