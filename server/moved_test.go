package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/blob"
	"screentest/server/pgtest"
	"screentest/server/s3test"
	"screentest/server/store"
	"screentest/server/store/folder"
	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// moveArgs are the arguments of a move and its environment, which names the key.
func moveArgs(dir, url, files string, more ...string) (args []string, key string) {
	raw, err := os.ReadFile(filepath.Join(dir, folder.SealKeyFile))
	if err != nil {
		panic(err)
	}
	return append([]string{"move", "-data", dir, "-to", url, "-files", files}, more...), "SCREENTEST_SEAL_KEY=" + strings.TrimSpace(string(raw))
}

// called runs the program and gives its exit status with what it wrote.
func called(t *testing.T, env []string, args ...string) (status int, out string) {
	t.Helper()
	cmd := exec.Command("screentest", args...)
	cmd.Env = append(os.Environ(), env...)
	b, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(b)
}

// talked is a folder that a server had, with an answer; what the folder's files are.
func talked(t *testing.T, turns int) (dir string) {
	t.Helper()
	dir = storetest.Folder(t)
	db, err := store.Open(t.Context(), dir, store.Options{})
	storetest.Must(t, err)
	for range turns {
		storetest.Talk(t, db, "1", "", "a question", storetest.Says(strings.Repeat("an answer ", 200)))
	}
	storetest.Must(t, db.Close())
	return dir
}

// served is a folder of a server that has answered a turn, and has ended.
func served(t *testing.T) (dir string, s wire.Start) {
	t.Helper()
	dir = storetest.Folder(t)
	proc, at := killed(t, t.TempDir(), "-data", dir)
	c := dial(t, at, wiretest.NewHTTP())
	s = turn(gateway.Chat, "hello")
	play(t, c, s)
	if r, _ := end(t, c, s); r.State != wire.Done {
		t.Fatal(r)
	}
	c.Close()
	proc.end(os.Interrupt)
	return dir, s
}

// bytesOf are the files of a folder.
func bytesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	storetest.Must(t, filepath.WalkDir(dir, func(at string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(at)
		all[at] = string(b)
		return err
	}))
	return all
}

// The command: what it asks for, a dry run that changes nothing, the move, what the
// old folder is from then on, and the way back.
func TestMoveCommand(t *testing.T) {
	storetest.OnlySQLite(t) // it brings the database that a folder is moved to
	dir, files, url := talked(t, 3), t.TempDir(), pgtest.URL(t)
	args, key := moveArgs(dir, url, files)
	refused := func(want string, env []string, args ...string) {
		t.Helper()
		before := bytesOf(t, dir)
		if status, out := called(t, env, args...); status != exitMistake || !strings.Contains(out, want) {
			t.Errorf("%q ended with %d and %s; want %q", args, status, out, want)
		}
		after := bytesOf(t, dir)
		if len(before) != len(after) {
			t.Errorf("%q: %d files, then %d", args, len(before), len(after))
		}
		for name, b := range before {
			if after[name] != b {
				t.Errorf("%q changed %s", args, name)
			}
		}
	}
	refused("SCREENTEST_SEAL_KEY is missing: it must be the key in "+filepath.Join(dir, "seal.key"), nil, args...)
	refused("SCREENTEST_SEAL_KEY is another key than that in", []string{"SCREENTEST_SEAL_KEY=" + strings.Repeat("00", 32)}, args...)
	refused("give -to", []string{key}, "move", "-data", dir, "-files", files)
	refused("-files is missing", []string{key}, "move", "-data", dir, "-to", url)
	refused("The folder of -files, "+filepath.Join(files, "none")+", isn't there", []string{key}, "move", "-data", dir, "-to", url, "-files", filepath.Join(files, "none"))
	refused("is not a data folder", []string{key}, "move", "-data", files, "-to", url, "-files", files)
	refused("The database that its address names isn't there", []string{key}, "move", "-data", dir, "-to", strings.Replace(url, "?", "x?", 1), "-files", files)

	dry := append(args, "-dry-run")
	before := bytesOf(t, dir)
	newer := strings.Replace(key, "=", "="+strings.Repeat("11", 32)+",", 1) // with which nothing is sealed yet
	status, out := called(t, []string{newer}, dry...)
	if status != 0 || !strings.Contains(out, "table messages") || !strings.Contains(out, "Nothing was changed") {
		t.Errorf("the dry run ended with %d: %s", status, out)
	}
	if after := bytesOf(t, dir); len(after) != len(before) {
		t.Errorf("the dry run left other files: %d, there were %d", len(after), len(before))
	} else if after[folder.DatabaseIn(dir)] != before[folder.DatabaseIn(dir)] {
		t.Error("the dry run changed the database")
	}
	if status, out := called(t, []string{key}, "move", "-from", url, "-data", filepath.Join(files, "x"), "-files", files, "-dry-run"); status != exitMistake || !strings.Contains(out, "nothing to move") {
		t.Errorf("the dry run left something in the database: %d, %s", status, out)
	}

	proc, _ := killed(t, t.TempDir(), "-data", dir)
	for _, a := range [][]string{args, dry} {
		if status, out := called(t, []string{key}, a...); status != exitMistake || !strings.Contains(out, "in use") {
			t.Errorf("while a server runs: %d, %s", status, out)
		}
	}
	proc.end(os.Interrupt)

	status, out = called(t, []string{key}, args...)
	if status != 0 || !strings.Contains(out, "can only be read from now on") || strings.Contains(out, "DIFFERENT") || strings.Contains(out, strings.TrimPrefix(key, "SCREENTEST_SEAL_KEY=")) {
		t.Fatalf("the move ended with %d: %s", status, out)
	}
	if status, out := called(t, []string{key}, args...); status != exitMistake || !strings.Contains(out, "was moved to") {
		t.Errorf("a second move: %d, %s", status, out)
	}
	if status, out := called(t, []string{key}, "verify", "-database", url); status != 0 || !strings.Contains(out, "ledger: 3 rows") {
		t.Errorf("verify of the database: %d, %s", status, out)
	}
	if status, out := called(t, nil, "verify", "-data", dir); status != 0 || !strings.Contains(out, "ledger: 3 rows") {
		t.Errorf("verify of the folder: %d, %s", status, out)
	}
	if status, out := called(t, nil, "backup", "-data", dir, filepath.Join(t.TempDir(), "b")); status != 0 {
		t.Errorf("backup of the folder: %d, %s", status, out)
	}
	home := filepath.Join(t.TempDir(), "home")
	if status, out := called(t, []string{key}, "move", "-from", url, "-files", files, "-data", dir); status != exitMistake || !strings.Contains(out, "isn't empty") {
		t.Errorf("back into the old folder: %d, %s", status, out)
	}
	if status, out := called(t, []string{key}, "move", "-from", url, "-files", files, "-data", home); status != 0 {
		t.Fatalf("the way back ended with %d: %s", status, out)
	}
	if _, err := os.Stat(filepath.Join(home, folder.SealKeyFile)); err == nil {
		t.Error("a seal.key was written")
	}
	db, err := store.Open(t.Context(), home, store.Options{SealKey: strings.TrimPrefix(key, "SCREENTEST_SEAL_KEY=")})
	storetest.Must(t, err)
	page, err := db.Conversations(t.Context(), "1", wire.Page{})
	if err != nil || len(page.Conversations) != 3 {
		t.Errorf("%d conversations, %v", len(page.Conversations), err)
	}
	storetest.Must(t, db.SetSetting(t.Context(), "1", "a", "b"), db.Close())
}

// sumsOf are the SHA-256 of the bytes of all files that -files names, or of those that
// lie in a data folder.
func sumsOf(t *testing.T, address, dir string) map[string]string {
	t.Helper()
	at, err := blob.Parse(address)
	storetest.Must(t, err)
	files, err := blob.Open(t.Context(), at, dir, nil)
	storetest.Must(t, err)
	defer files.Close()
	sums := map[string]string{}
	for below, place := range map[string]blob.Place{"archive/": files.Archive.Place(), "uploads/": files.Uploads} {
		storetest.Must(t, place.Each(t.Context(), func(name string, _ time.Time) error {
			in, err := place.Open(t.Context(), name)
			if err != nil {
				return err
			}
			defer in.Close()
			h := sha256.New()
			_, err = io.Copy(h, in)
			sums[below+name] = hex.EncodeToString(h.Sum(nil))
			return err
		}))
	}
	return sums
}

// Files go to an object store, or a folder that is shared, and back, as they were.
func TestMovedFiles(t *testing.T) {
	storetest.OnlySQLite(t) // it brings the database that a folder is moved to
	for name, place := range map[string]func(testing.TB) string{
		"an object store": s3test.Address,
		"a shared folder": func(t testing.TB) string { return t.TempDir() },
	} {
		t.Run(name, func(t *testing.T) {
			files, dir, url := place(t), talked(t, 1), pgtest.URL(t)
			want := map[string]string{}
			for i, size := range []int{0, 1, 5 << 20} {
				b := bytes.Repeat([]byte{'a' + byte(i)}, size)
				sum := fmt.Sprintf("%x", sha256.Sum256(b))
				want["archive/"+sum[:2]+"/"+sum] = sum
				want[fmt.Sprintf("uploads/UPLOAD%d.png", i)] = sum
				for _, name := range []string{"archive/" + sum[:2] + "/" + sum, fmt.Sprintf("uploads/UPLOAD%d.png", i)} {
					to := filepath.Join(dir, filepath.FromSlash(name))
					storetest.Must(t, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, b, 0o600))
				}
			}
			part := filepath.Join(dir, "uploads", "upload-1.part")
			storetest.Must(t, os.WriteFile(part, []byte("half"), 0o600))
			args, key := moveArgs(dir, url, files)
			if status, out := called(t, []string{key}, append(args, "-dry-run")...); status != 0 || len(sumsOf(t, files, "")) > 0 {
				t.Errorf("a dry run ended with %d: %s, and left %v", status, out, sumsOf(t, files, ""))
			}
			status, out := called(t, []string{key}, args...)
			if status != 0 || strings.Count(out, "3 files, 5242881 bytes") != 4 {
				t.Fatalf("the move ended with %d: %s", status, out)
			}
			if got := sumsOf(t, files, ""); !maps.Equal(got, want) {
				t.Errorf("moved %v, want %v", got, want)
			}
			home := filepath.Join(t.TempDir(), "home")
			if status, out := called(t, []string{key}, "move", "-from", url, "-files", files, "-data", home); status != 0 {
				t.Fatalf("the way back ended with %d: %s", status, out)
			}
			if got := sumsOf(t, "", home); !maps.Equal(got, want) {
				t.Errorf("moved back %v, want %v", got, want)
			}
			if got := sumsOf(t, files, ""); !maps.Equal(got, want) {
				t.Errorf("what was moved from is %v, want %v", got, want)
			}
		})
	}
}

// A move whose process is killed goes on when it is called again.
func TestKilledMove(t *testing.T) {
	storetest.OnlySQLite(t) // it brings the database that a folder is moved to
	dir, files, url := talked(t, 400), t.TempDir(), pgtest.URL(t)
	args, key := moveArgs(dir, url, files)
	kills := 0
	for _, at := range []string{"Copying audit", "Copying ledger_chain", "Copying runs", "Making the search index", "Comparing"} {
		var out watched
		cmd := exec.Command("screentest", args...)
		cmd.Env = append(os.Environ(), key)
		cmd.Stdout, cmd.Stderr = &out, &out
		storetest.Must(t, cmd.Start())
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		_, there := out.wait(at, ended)
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		if !there {
			t.Fatalf("%q was not said: %s", at, out.String())
		}
		if cmd.ProcessState.ExitCode() == 0 {
			t.Fatal("it was done before it was killed")
		}
		kills++
	}
	status, out := called(t, []string{key}, args...)
	if status != 0 || !strings.Contains(out, "it goes on") || strings.Contains(out, "DIFFERENT") {
		t.Fatalf("after %d kills it ended with %d: %s", kills, status, out)
	}
	t.Logf("after %d kills: %s", kills, out)
	if status, out := called(t, []string{key}, "verify", "-database", url); status != 0 || !strings.Contains(out, "ledger: 400 rows") {
		t.Errorf("verify: %d, %s", status, out)
	}
}

// A server on a folder that was moved shows everything and writes nothing, not even
// a request to the gateway.
func TestMovedFolderIsServedForReading(t *testing.T) {
	storetest.OnlySQLite(t) // it brings the database that a folder is moved to
	files, url := t.TempDir(), pgtest.URL(t)
	dir, s := served(t)
	args, key := moveArgs(dir, url, files)
	if status, out := called(t, []string{key}, args...); status != 0 {
		t.Fatalf("the move ended with %d: %s", status, out)
	}
	before := bytesOf(t, dir)

	proc, at := killed(t, t.TempDir(), "-data", dir)
	c := dial(t, at, wiretest.NewHTTP())
	if m := answer(t, c, s); m.Run.State != wire.Done || m.Text == "" {
		t.Errorf("the answer is %+v", m)
	}
	next := s
	next.Run, next.Answer, next.User.ID, next.User.Parent = uuid.NewString(), uuid.NewString(), uuid.NewString(), s.Answer
	for name, err := range map[string]error{
		"a send":    c.Call(t.Context(), wire.OpStart, next, nil),
		"a renamed": c.Call(t.Context(), wire.OpRename, wire.Rename{ID: s.Conversation, Title: "x"}, nil),
	} {
		if p := storetest.Problem(err); p.Code != "data_read_only" || !strings.Contains(p.Message, "it can only be read") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// It isn't even looked at what the file is.
	req, err := http.NewRequestWithContext(t.Context(), "POST", at+wire.UploadsPath+"?name=x.png", strings.NewReader("no picture"))
	storetest.Must(t, err)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	refused, err := c.HTTP.Do(req)
	storetest.Must(t, err)
	var p wire.Problem
	storetest.Must(t, json.NewDecoder(refused.Body).Decode(&p), refused.Body.Close())
	if p.Code != "data_read_only" || !strings.Contains(p.Message, "it can only be read") {
		t.Errorf("an upload: %s, %+v", refused.Status, p)
	}
	resp, err := http.Get(at + "/readyz")
	storetest.Must(t, err)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("/readyz: %s", resp.Status)
	}
	c.Close()
	proc.end(os.Interrupt)
	after := bytesOf(t, dir)
	for name, b := range after {
		if b != before[name] {
			t.Errorf("%s was changed", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, there were %d", len(after), len(before))
	}
}

// A backup of the database with PostgreSQL's own tools and of the files as a copy is
// whole: a store opens on it, its books are right, and all texts are there.
func TestBackupWithPostgresTools(t *testing.T) {
	storetest.OnlySQLite(t) // it brings the database that a folder is moved to
	dump, restore := pgtest.Bin("pg_dump"), pgtest.Bin("pg_restore")
	url := pgtest.URL(t)
	dir, files := talked(t, 20), t.TempDir()
	clip := filepath.Join(dir, "uploads", "UPLOAD.png")
	storetest.Must(t, os.MkdirAll(filepath.Dir(clip), 0o700), os.WriteFile(clip, []byte("an upload"), 0o600))
	args, key := moveArgs(dir, url, files)
	if status, out := called(t, []string{key}, args...); status != 0 {
		t.Fatalf("the move ended with %d: %s", status, out)
	}
	file := filepath.Join(t.TempDir(), "screentest.dump")
	fresh := pgtest.URL(t)
	for _, args := range [][]string{{dump, "-Fc", "-f", file, url}, {restore, "--no-owner", "--exit-on-error", "-d", fresh, file}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", args[0], err, out)
		}
	}
	copied := t.TempDir()
	storetest.Must(t, os.CopyFS(copied, os.DirFS(files)))
	if b, err := os.ReadFile(filepath.Join(copied, "uploads", "UPLOAD.png")); err != nil || !bytes.Equal(b, []byte("an upload")) {
		t.Errorf("the upload: %q, %v", b, err)
	}
	if status, out := called(t, []string{key}, "verify", "-database", fresh); status != 0 || !strings.Contains(out, "ledger: 20 rows") {
		t.Errorf("verify: %d, %s", status, out)
	}
	texts := func(url string) string {
		db, err := store.Open(context.Background(), t.TempDir(), store.Options{Database: url, SealKey: strings.TrimPrefix(key, "SCREENTEST_SEAL_KEY=")})
		storetest.Must(t, err)
		defer func() { storetest.Must(t, db.Close()) }()
		var b strings.Builder
		storetest.Must(t, db.Export(context.Background(), "1", "", &b))
		if found := storetest.Search(t, db, "1", wire.Search{Query: "answer"}); len(found) == 0 {
			t.Error("nothing is found")
		}
		_, after, _ := strings.Cut(b.String(), `"conversations":[`) // behind the time of the export
		return after
	}
	if was, is := texts(url), texts(fresh); was != is || len(was) < 20*2000 {
		t.Errorf("%d bytes of texts, restored %d: %.300s … %.300s", len(was), len(is), was, is)
	}
	// What is restored goes on with numbers of its own.
	db, err := store.Open(t.Context(), t.TempDir(), store.Options{Database: fresh, SealKey: strings.TrimPrefix(key, "SCREENTEST_SEAL_KEY=")})
	storetest.Must(t, err)
	storetest.Talk(t, db, "1", "", "after the restore", storetest.Says("it goes on"))
	storetest.CheckHours(t, db)
	storetest.Must(t, db.Close())
}
