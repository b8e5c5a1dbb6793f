package tails_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"screentest/server/tails"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestATailIsReadAsItWasWritten(t *testing.T) {
	want := []tails.Tail{
		{Owner: "1", Run: "r", Type: "text/event-stream", From: 300, Stored: 200, Data: []byte("some bytes"), Times: []tails.Time{{MS: 1 << 31, Len: 4}, {MS: 1<<31 + 1, Len: 6}}},
		{Owner: "2", Run: "s", Ended: true, Data: []byte{}},
	}
	p := tails.Append(tails.Append(nil, want[0]), want[1])
	got, err := tails.Parse(p)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v", got, err)
	}
	first := len(tails.Append(nil, want[0]))
	for n := 1; n < len(p); n++ {
		if _, err := tails.Parse(p[:n]); err == nil && n != first {
			t.Fatalf("the first %d bytes are taken for whole", n)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(tails.Append(nil, tails.Tail{Owner: "1", Run: "r", Data: []byte("x"), Times: []tails.Time{{1, 1}}}))
	f.Fuzz(func(t *testing.T, p []byte) {
		all, err := tails.Parse(p)
		if err != nil {
			return
		}
		var again []byte
		for _, x := range all {
			again = tails.Append(again, x)
		}
		if got, err := tails.Parse(again); err != nil || !reflect.DeepEqual(got, all) {
			t.Errorf("%x becomes %x: %v", p, again, err)
		}
	})
}

var run = tails.Run{Owner: "1", Run: "r"}

func stretch(from, stored int64, data string) tails.Tail {
	return tails.Tail{Owner: "1", Run: "r", From: from, Stored: stored, Data: []byte(data), Times: []tails.Time{{MS: uint32(from), Len: uint32(len(data))}}}
}

func TestAKeeperHasWhatIsNotStored(t *testing.T) {
	tests := []struct {
		name  string
		come  []tails.Tail
		from  int64
		data  string // "": nothing is kept
		times []tails.Time
		err   bool
	}{
		{"stretches follow each other", []tails.Tail{stretch(0, 0, "abc"), stretch(3, 0, "def")}, 0, "abcdef", []tails.Time{{0, 3}, {3, 3}}, false},
		{"what is stored is let go", []tails.Tail{stretch(0, 0, "abc"), stretch(3, 2, "def")}, 2, "cdef", []tails.Time{{0, 1}, {3, 3}}, false},
		{"all was stored meanwhile", []tails.Tail{stretch(0, 0, "abc"), stretch(9, 9, "jkl")}, 9, "jkl", []tails.Time{{9, 3}}, false},
		{"what was sent comes again", []tails.Tail{stretch(0, 0, "abc"), stretch(0, 0, "abcdef")}, 0, "abcdef", []tails.Time{{0, 3}, {0, 3}}, false},
		{"from the middle on", []tails.Tail{stretch(4, 4, "efg")}, 4, "efg", []tails.Time{{4, 3}}, false},
		{"bytes are missing", []tails.Tail{stretch(0, 0, "abc"), stretch(5, 0, "fgh")}, 0, "abc", []tails.Time{{0, 3}}, true},
		{"its end is stored", []tails.Tail{stretch(0, 0, "abc"), {Owner: "1", Run: "r", Ended: true}}, 0, "", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var k tails.Keeper
			if err := k.Keep(tt.come); (err != nil) != tt.err {
				t.Errorf("error is %v", err)
			}
			all := k.Take([]tails.Run{run, {Owner: "2", Run: "r"}})
			switch {
			case tt.data == "" && len(all) == 0:
			case len(all) != 1 || all[0].From != tt.from || string(all[0].Data) != tt.data || !reflect.DeepEqual(all[0].Times, tt.times):
				t.Errorf("kept is %+v", all)
			}
			if again := k.Take([]tails.Run{run}); len(again) != len(all) {
				t.Error("who asks again gets nothing")
			}
			if err := k.Keep([]tails.Tail{stretch(6, 0, "ghi")}); !errors.Is(err, tails.ErrGone) {
				t.Errorf("after somebody goes on with it, more is taken: %v", err)
			}
		})
	}
}

// Who stores an end is not gone, though somebody asked for its answer meanwhile.
func TestAnEndIsTakenOfWhatSomebodyAskedFor(t *testing.T) {
	var k tails.Keeper
	defer k.Close()
	if err := k.Keep([]tails.Tail{stretch(0, 0, "abc")}); err != nil {
		t.Fatal(err)
	}
	k.Take([]tails.Run{run})
	if err := k.Keep([]tails.Tail{{Owner: "1", Run: "r", Ended: true}, {Owner: "1", Run: "s", Data: []byte("x")}}); err != nil {
		t.Errorf("its end: %v", err)
	}
	if runs, bytes := k.Held(); runs != 1 || bytes != 1 {
		t.Errorf("kept are %d bytes of %d", bytes, runs)
	}
}

// What a replica that is gone has left is forgotten, though nothing more comes of any.
func TestWhatNobodySpeaksOfIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k tails.Keeper
		defer k.Close()
		if err := k.Keep([]tails.Tail{stretch(0, 0, "abc")}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(tails.KeptFor - time.Second)
		if _, bytes := k.Held(); bytes != 3 {
			t.Errorf("%d bytes are kept before their time", bytes)
		}
		time.Sleep(tails.KeptFor / 5)
		if _, bytes := k.Held(); bytes != 0 {
			t.Errorf("%d bytes are kept for ever", bytes)
		}
	})
}

// node is a keeper that a Sender reaches.
type node struct {
	keeper tails.Keeper
	server *httptest.Server
}

func newNode(t *testing.T) *node {
	n := &node{}
	n.server = httptest.NewServer(http.HandlerFunc(n.keeper.Serve))
	t.Cleanup(func() {
		n.keeper.Close()
		n.server.Close()
	})
	return n
}

func TestASenderGoesOnWithTheNextOne(t *testing.T) {
	a, b := newNode(t), newNode(t)
	mute := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		_, _, _ = ws.Read(r.Context()) // and says nothing, however long that takes
		_, _, _ = ws.Read(r.Context())
		_ = ws.CloseNow()
	}))
	defer mute.Close()
	peers := []tails.Peer{{N: 1, Address: a.server.URL}, {N: 2, Address: mute.URL}, {N: 3, Address: b.server.URL}}
	dials := 0
	s := &tails.Sender{
		Logger: slog.New(slog.DiscardHandler),
		Peers:  func() []tails.Peer { return peers },
		Dial: func(ctx context.Context, address string) (*websocket.Conn, error) {
			dials++
			ws, _, err := websocket.Dial(ctx, address, nil)
			return ws, err
		},
	}
	defer s.Close()
	want := func(what string, batch []byte, want error) {
		t.Helper()
		if err := s.Send(t.Context(), batch); !errors.Is(err, want) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	batch := tails.Append(nil, stretch(0, 0, "abc"))
	want("at first", batch, tails.ErrAnew)
	want("to the first", batch, nil)
	if runs, bytes := a.keeper.Held(); runs != 1 || bytes != 3 {
		t.Errorf("it holds %d bytes of %d", bytes, runs)
	}
	a.keeper.Close()
	a.server.Close()
	want("the first is gone", batch, tails.ErrAnew)
	want("the second says nothing", batch, tails.ErrAnew)
	want("to the third", batch, nil)
	if _, bytes := b.keeper.Held(); bytes != 3 {
		t.Errorf("the third holds %d bytes", bytes)
	}
	b.keeper.Take([]tails.Run{run})
	want("somebody goes on with it", tails.Append(nil, stretch(3, 0, "def")), tails.ErrGone)
	before := dials
	s.Close()
	peers = peers[:2]
	want("those that did not answer are left alone for a while", nil, tails.ErrUnreached)
	if dials != before {
		t.Errorf("they were dialled %d times", dials-before)
	}
	peers = nil
	want("alone", batch, tails.ErrAlone)
}
