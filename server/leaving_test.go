package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// busy is somebody with an answer, a clip in the archive, an upload, an export,
// and an answer under way; all say the canary.
func busy(t *testing.T, v *visitor, says string) (tab *wiretest.Client, clip wire.VideoTask, running wire.Start) {
	t.Helper()
	tab = v.dial()
	first := turn(gateway.Chat, says+" asked")
	play(t, tab, first)
	end(t, tab, first)
	c := clipRequest(says + " filmed")
	if err := tab.Call(t.Context(), wire.OpVideoCreate, c, nil); err != nil {
		t.Fatal(err)
	}
	clip = awaitTask(t, tab, c.ID, "saved", saved)
	if _, err := uploadAs(v, says); err != nil {
		t.Fatal(err)
	}
	v.want(200, "GET", wire.ExportAllPath, nil)
	running = turn(gateway.Chat, says+" waits [[tokens:20000]]")
	play(t, tab, running)
	eventually(t, func() bool { // a start waits for no disk
		var page wire.ConversationPage
		if err := tab.Call(t.Context(), wire.OpConversations, wire.Page{}, &page); err != nil {
			t.Fatal(err)
		}
		return len(page.Conversations) == 2
	}, func() string { return "the second conversation is not stored" })
	return tab, clip, running
}

// uploadAs gives the server a file.
func uploadAs(v *visitor, name string) (u wire.Upload, err error) {
	png := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82")
	req, err := http.NewRequest("POST", v.base+"/api/uploads?name="+name+".png", bytes.NewReader(png))
	if err != nil {
		return u, err
	}
	req.Header.Set("Content-Type", "image/png")
	res, err := v.http.Do(req)
	if err != nil {
		return u, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return u, err
	}
	return u, json.Unmarshal(raw, &u)
}

// auditLines are those of /api/audit.
func (v *visitor) auditLines(query string) (rows []wire.AuditRow) {
	v.t.Helper()
	for line := range strings.Lines(v.want(200, "GET", "/api/audit?"+query, nil).body) {
		var r wire.AuditRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			v.t.Fatalf("%q: %v", line, err)
		}
		rows = append(rows, r)
	}
	return rows
}

// Who is erased is shut out at once, in the middle of an answer, and nothing of
// theirs is left in the folder: no text, no clip, no upload. The ledger stays
// whole, and the audit tells what was done, by number.
func TestAnAdminErasesSomebody(t *testing.T) {
	t.Parallel()
	const says = "canarybob"
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	bob := ann.join(wire.RoleMember, says+"@example.com")
	tab, clip, _ := busy(t, bob, says)
	id := bob.me().ID
	if len(filesIn(t, d.config.data, "archive")) == 0 || len(filesIn(t, d.config.data, "uploads")) != 1 {
		t.Fatal("there is no clip or no upload to begin with")
	}

	var counts, gone wire.Erasing
	r := ann.want(200, "POST", "/api/people/"+id+"/erase", map[string]any{"dry_run": true})
	if err := json.Unmarshal([]byte(r.body), &counts); err != nil || counts.Conversations != 2 || counts.Messages != 4 || counts.Clips != 1 || counts.Uploads != 1 || counts.Bytes < clip.Outputs[0].Bytes || !counts.DryRun {
		t.Errorf("a dry run counts %+v, %v", counts, err)
	}
	if me := bob.me(); me.ID != id {
		t.Error("a dry run did something")
	}
	if p := bob.want(404, "POST", "/api/people/"+id+"/erase", map[string]any{}).problem(); p.Code != wire.CodeNotFound {
		t.Errorf("a member may erase: %+v", p)
	}
	if p := ann.want(409, "POST", "/api/people/"+ann.me().ID+"/erase", map[string]any{}).problem(); p.Code != "conflict" {
		t.Errorf("oneself: %+v", p)
	}
	ann.want(404, "POST", "/api/people/6f1c2d3e-4a5b-4c6d-8e7f-001122334455/erase", map[string]any{})

	r = ann.want(200, "POST", "/api/people/"+id+"/erase", map[string]any{"dry_run": false})
	if err := json.Unmarshal([]byte(r.body), &gone); err != nil || gone.Conversations != counts.Conversations || gone.Clips != counts.Clips || gone.Bytes != counts.Bytes || gone.DryRun {
		t.Errorf("went %+v, counted %+v, %v", gone, counts, err)
	}
	if ended, err := tab.Ended(t.Context()); err != nil || ended.Code != websocket.StatusCode(wire.StatusSignedOut) {
		t.Errorf("the tab ended with %v, %v", ended, err)
	}
	bob.want(401, "GET", "/api/me", nil)
	if p := bob.signIn(says+"@example.com", goodPassword).problem(); p.Code != wire.CodeWrong {
		t.Errorf("signing in again: %+v", p)
	}
	ann.want(404, "POST", "/api/people/"+id+"/erase", map[string]any{})
	if left := append(filesIn(t, d.config.data, "archive"), filesIn(t, d.config.data, "uploads")...); len(left) != 0 {
		t.Errorf("files are left: %q", left)
	}
	var left []string
	eventually(t, func() bool { left = storetest.FilesWith(t, d.config.data, says); return left == nil },
		func() string { return "texts are left in " + strings.Join(left, ", ") })

	rows := ann.auditLines("action=person")
	if len(rows) != 1 || rows[0].Action != "person.erased" || rows[0].Object != id || rows[0].Name != "Ann" || rows[0].Address == "" {
		t.Errorf("the audit says %+v", rows)
	}
	if rows := ann.auditLines("person=" + id); len(rows) == 0 || !strings.HasPrefix(rows[0].Name, "Erased person ") {
		t.Errorf("of what he did it says %+v", rows)
	}
	if rows := ann.auditLines("action=export.made&person=" + id + "&limit=9"); len(rows) != 1 || rows[0].Person != id {
		t.Errorf("of exports it says %+v", rows)
	}
	if r := storetest.Books(t, d.config.data); len(r.Wrong) > 0 || r.Ledger.Rows < 2 {
		t.Errorf("the books: %+v", r)
	}
}

// An heir has what somebody left, and their tab hears of it.
func TestAnAdminHandsOver(t *testing.T) {
	t.Parallel()
	const says = "ofbob"
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	bob, cyd := ann.join(wire.RoleMember, "bob@example.com"), ann.join(wire.RoleMember, "cyd@example.com")
	_, clip, running := busy(t, bob, says)
	id, heir := bob.me().ID, cyd.me().ID
	tab := cyd.dial()

	if p := ann.want(409, "POST", "/api/people/"+id+"/hand_over", map[string]any{"to": heir}).problem(); p.Hint == "" {
		t.Errorf("of somebody who is active: %+v", p)
	}
	for _, to := range []string{"", id, "6f1c2d3e-4a5b-4c6d-8e7f-001122334455"} {
		if p := ann.want(400, "POST", "/api/people/"+id+"/erase", map[string]any{"hand_over_to": to + " "}).problem(); p.Code != "bad_heir" || p.Field != "hand_over_to" {
			t.Errorf("to %q: %+v", to, p)
		}
	}
	ann.want(200, "PATCH", "/api/people/"+id, map[string]any{"active": false})
	bob.want(401, "GET", "/api/me", nil)
	ann.want(200, "POST", "/api/people/"+id+"/hand_over", map[string]any{"to": heir})
	if _, err := wiretest.News(t.Context(), tab, wire.EventImported, func(i wire.Imported) bool { return i.Conversations == 2 }); err != nil {
		t.Error(err)
	}
	var o wire.Opened
	if err := tab.Call(t.Context(), wire.OpOpen, wire.Page{Conversation: running.Conversation}, &o); err != nil || len(o.Messages) != 2 || o.Messages[1].Run == nil || o.Messages[1].Run.State != wire.Stopped {
		t.Errorf("the answer that was under way: %+v, %v", o, err)
	}
	if r := cyd.want(200, "GET", wire.MediaPathOf(clip.ID, 0), nil); len(r.body) != int(clip.Outputs[0].Bytes) {
		t.Errorf("the clip has %d bytes, want %d", len(r.body), clip.Outputs[0].Bytes)
	}
	if r := cyd.want(200, "GET", wire.ExportAllPath, nil); !strings.Contains(r.body, says+" asked") {
		t.Error("it is not in the heir's export")
	}
	if rows := ann.auditLines("action=person.handed_over"); len(rows) != 1 || rows[0].Object != id || !strings.Contains(string(rows[0].Detail), heir) {
		t.Errorf("the audit says %+v", rows)
	}
}

// What a server that was killed has begun, the next one finishes by itself.
func TestSeeingOffGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	const says = "canarybob"
	dir := storetest.Folder(t)
	d := newPlayground(t, asTeam(serveConfig{data: dir}))
	ann := d.admin()
	bob := ann.join(wire.RoleMember, "bob@example.com")
	busy(t, bob, says)
	id := bob.me().ID
	leaver, err := d.people.ByID(id)
	if err != nil {
		t.Fatal(err)
	}
	origin := d.videos.Origin
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	db, err := storetest.TryOpen(t, dir, store.Options{})
	storetest.Must(t, err)
	v := account.Leaving{Person: leaver.Owner, Erase: true}
	storetest.Must(t, storetest.Second(db.Leavings().Begin(t.Context(), v, origin)), db.Close())

	d = newPlayground(t, asTeam(serveConfig{data: dir}))
	eventually(t, func() bool {
		all, err := d.store.Leavings().Unfinished(t.Context())
		storetest.Must(t, err)
		return len(all) == 0
	}, func() string { return "it is not finished" })
	left := append(filesIn(t, dir, "archive"), filesIn(t, dir, "uploads")...)
	e, err := d.store.Leavings().Count(t.Context(), leaver.Owner)
	if err != nil || e.Conversations+e.Messages+e.Clips+e.Uploads > 0 || len(left) > 0 {
		t.Errorf("left are %+v, %q, %v", e, left, err)
	}
	again := d.visitor()
	if r := again.signIn("ann@example.com", goodPassword); r.StatusCode != 204 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if rows := again.auditLines("action=person.erased"); len(rows) != 1 || rows[0].Object != id {
		t.Errorf("the audit says %+v", rows)
	}
}

// filesIn are the files in a folder of the data folder, and below it.
func filesIn(t *testing.T, data, folder string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(data, folder), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
