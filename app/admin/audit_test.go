package admin

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestTheAuditInWords(t *testing.T) {
	d, _ := newDesk(t, ada, map[string]any{})
	d.Go(PageAudit, url.Values{})
	for _, c := range []struct {
		row          wire.AuditRow
		what, detail string
	}{
		{wire.AuditRow{Action: "signout", Person: "p-bob", Object: "p-bob"}, "signed out", ""},
		{wire.AuditRow{Action: "person.changed", Person: "p-ada", Object: "p-bob", Detail: json.RawMessage(`{"role":"admin","role_before":"member"}`)},
			"changed the account of bob", "role: member → admin"},
		{wire.AuditRow{Action: "person.changed", Person: "p-ada", Object: "p-ada"}, "changed the account of themself", ""},
		{wire.AuditRow{Action: "team.person_added", Person: "p-ada", Object: "t-lab", Detail: json.RawMessage(`{"person":"p-bob","lead":false}`)},
			"put bob into the team Lab", ""},
		{wire.AuditRow{Action: "limits.changed", Object: "p-bob", Detail: json.RawMessage(`{"day_nano_usd":5000000000,"month_nano_usd":0}`)},
			"changed the limits of bob", "limit of the day: $5.00 · limit of the month: none"},
		{wire.AuditRow{Action: "invite.made", Object: "0123456789abcdef", Detail: json.RawMessage(`{"teams":["t-lab","t-all"]}`)},
			"made the invitation 01234567…", "teams: Lab, Everyone"},
		{wire.AuditRow{Action: "thing.of_later", Object: "x"}, "thing.of_later x", ""},
	} {
		if got := d.Audit.What(c.row); got != c.what {
			t.Errorf("%s: %q, want %q", c.row.Action, got, c.what)
		}
		if got := d.Audit.Detail(c.row); got != c.detail {
			t.Errorf("%s: detail %q, want %q", c.row.Action, got, c.detail)
		}
	}
}

func TestTheAuditIsReadInPages(t *testing.T) {
	var lines strings.Builder
	for n := range page {
		fmt.Fprintf(&lines, `{"n":%d,"at_ms":1,"action":"signout"}`+"\n", 500-n)
	}
	d, a := newDesk(t, ada, map[string]any{"GET /api/audit": lines.String()})
	filter := Filter{Action: "signout", From: "2026-11-01", To: "2026-11-02"}
	at, err := url.Parse(filter.Address())
	if err != nil {
		t.Fatal(err)
	}
	d.Go(PageAudit, at.Query())
	if d.Audit.Filter != filter || len(d.Audit.Rows) != page || !d.Audit.More {
		t.Fatalf("%+v: %d rows, more %v", d.Audit.Filter, len(d.Audit.Rows), d.Audit.More)
	}
	if got, want := a.last("GET").path, "/api/audit?action=signout&from=1793491200000&limit=100&to=1793664000000"; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	a.answers["GET /api/audit"] = `{"n":7,"at_ms":1,"action":"signout"}` + "\n"
	d.Audit.Older()
	if got := a.last("GET").path; !strings.Contains(got, "before=401") {
		t.Errorf("the older ones are asked for by %s", got)
	}
	if len(d.Audit.Rows) != page+1 || d.Audit.More {
		t.Errorf("%d rows, more %v", len(d.Audit.Rows), d.Audit.More)
	}
	if got := d.Audit.Download(); strings.Contains(got, "limit") || !strings.Contains(got, "action=signout") {
		t.Errorf("the download is %s", got)
	}
}
