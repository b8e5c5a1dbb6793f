package store_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// kills is how often the writing is killed; each time takes some 100 ms, and
// with the race detector seconds.
func kills() int {
	if storetest.Race {
		return 12
	}
	return 100
}

// writerChildEnv names the data folder to a copy of the test program that is
// there to be killed.
const writerChildEnv = "SCREENTEST_STORE_TEST_CHILD"

// crashLog is the whole log of a run in this test.
var crashLog = bytes.Repeat([]byte("data: {\"delta\":\"a few words\"}\n\n"), 300)

// writeUntilKilled stores turns from eight sides, and says on its output what
// it was told is durable.
func writeUntilKilled(dir string) {
	go func() { // not to be left behind when the test ends in another way
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	db, err := store.Open(ctx, dir, storetest.ChildOptions())
	check(err)
	owner, err := db.EnsureLocalUser(ctx)
	check(err)
	var out sync.Mutex
	say := func(what string, s wire.Start) {
		out.Lock()
		defer out.Unlock()
		fmt.Println(what, s.Conversation, s.Run)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for conversation := ""; ; {
				s := storetest.NewStart(conversation, "question")
				check(storetest.StartTurn(db, owner, s))
				say("started", s)
				half := int64(len(crashLog) / 2)
				check(storetest.AppendLog(db, owner, s.Run, 0, crashLog[:half], []byte{1}))
				say("logged", s)
				check(db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 3), "answer", crashLog, []byte{1, 2}, nil))
				say("ended", s)
				if conversation = s.Conversation; time.Now().UnixNano()%5 == 0 {
					check(db.DeleteConversation(ctx, owner, conversation))
					say("deleted", s)
					conversation = ""
				}
			}
		})
	}
	all.Wait()
}

// A kill in the middle of writes, again and again on one folder: what was
// said to be durable is there, whole; what was not is there whole or not at
// all; the file is sound, and the folder opens at once.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	type run struct {
		conversation string
		last         string
	}
	runs := map[string]*run{}
	deleted := map[string]bool{}
	for kill := range kills() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(append(os.Environ(), writerChildEnv+"="+dir), storetest.Environ(t, dir)...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		in, err := cmd.StdinPipe()
		storetest.Must(t, err)
		out, err := cmd.StdoutPipe()
		storetest.Must(t, err, cmd.Start())
		lines := bufio.NewReader(out)
		fresh := map[string]bool{} // runs of this time
		for n := 0; ; n++ {
			line, err := lines.ReadString('\n')
			if err != nil {
				break // the rest of a line that was cut off says nothing
			}
			f := strings.Fields(line)
			if len(f) != 3 {
				t.Fatalf("the child said %q", line)
			}
			runs[f[2]] = &run{f[1], f[0]}
			fresh[f[2]] = true
			if f[0] == "deleted" {
				deleted[f[1]] = true
			}
			if n == 12+9*(kill%10) { // somewhere else each time
				storetest.Must(t, cmd.Process.Kill())
			}
		}
		err = cmd.Wait()
		in.Close()
		if err == nil || stderr.Len() > 0 {
			t.Fatalf("the child ended by itself: %v %s", err, stderr.String())
		}

		ctx := context.Background()
		db, err := storetest.TryOpen(t, dir, store.Options{})
		storetest.Must(t, err)
		owner, err := db.EnsureLocalUser(ctx)
		storetest.Must(t, err)
		storetest.CheckIntegrity(t, db)
		var charged int64
		for id, r := range runs {
			if r.last == "ended" || r.last == "deleted" {
				charged += 3
			}
			if !fresh[id] && kill%25 != 24 && kill != kills()-1 {
				continue // all of them are looked at now and then, and at the end
			}
			got, err := db.Run(ctx, owner, id)
			if deleted[r.conversation] {
				if err == nil {
					t.Errorf("a deleted run is back: %+v", got)
				}
				continue
			}
			if err != nil {
				// Its deletion may have been stored and not yet said.
				if _, gone := db.Conversation(ctx, owner, r.conversation); gone != nil && r.last == "ended" {
					deleted[r.conversation] = true
					continue
				}
				t.Fatalf("kill %d: run %s, %s: %v", kill, id, r.last, err)
			}
			log, err := db.ReadRunLog(ctx, owner, id, 0, 1<<20)
			storetest.Must(t, err)
			switch whole := bytes.Equal(log, crashLog); {
			case got.State == wire.Done && !whole,
				r.last == "ended" && (got.State != wire.Done || got.CostNanoUSD != 3),
				r.last == "logged" && got.State == wire.Running && !bytes.Equal(log, crashLog[:len(crashLog)/2]),
				!bytes.HasPrefix(crashLog, log):
				t.Errorf("kill %d: a run that %s is %s with %d bytes of log", kill, r.last, got.State, len(log))
			}
		}
		// Eight at most were charged and could not say so.
		spent, err := db.Spent(ctx, owner, time.UnixMilli(0), time.Now().AddDate(9, 0, 0))
		if err != nil || spent < charged || spent > charged+int64(kill+1)*8*3 {
			t.Errorf("kill %d: %d spent, %v; %d said to be", kill, spent, err, charged)
		}
		storetest.Must(t, db.Close())
	}
	if len(runs) < kills() {
		t.Errorf("only %d runs were written between the kills", len(runs))
	}
}
