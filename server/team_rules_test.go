package main

import (
	"errors"
	"testing"

	"screentest/shared/wire"
)

// What holds for all on the instance is an admin's to change, and said to be that.
func TestWhatHoldsForAllIsAnAdmins(t *testing.T) {
	w := newInstance(t, serveConfig{})
	large, usual := wire.ArchiveSettings{QuotaBytes: wire.DefaultQuota + 1}, wire.ArchiveSettings{QuotaBytes: wire.DefaultQuota}
	for _, tt := range []struct {
		name  string
		op    wire.Op
		args  any
		field string
	}{
		{"a larger archive than the usual one", wire.OpSetArchive, large, "quota_bytes"},
		{"what the whole folder holds", wire.OpStorage, nil, ""},
		{"what a send really cost", wire.OpCorrect, wire.Correction{Subject: "x"}, ""},
	} {
		var p *wire.Problem
		if err := w.member.tab.Call(t.Context(), tt.op, tt.args, nil); !errors.As(err, &p) || p.Code != wire.CodeNotAllowed || p.Field != tt.field || p.Hint == "" {
			t.Errorf("%s, by a member: %v", tt.name, err)
		}
		if err := w.admin.tab.Call(t.Context(), tt.op, tt.args, nil); errors.As(err, &p) && p.Code == wire.CodeNotAllowed {
			t.Errorf("%s, by an admin: %v", tt.name, err)
		}
	}
	w.must(w.member.tab.Call(t.Context(), wire.OpSetArchive, usual, nil), w.member.tab.Call(t.Context(), wire.OpSetKeep, wire.Retention{WireDays: 7}, nil))
	var keep wire.Retention
	w.must(w.mate.tab.Call(t.Context(), wire.OpKeep, nil, &keep))
	if keep.WireDays != 0 {
		t.Errorf("how long one's own is kept holds for a mate: %+v", keep)
	}
}
