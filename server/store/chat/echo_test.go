package chat_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"screentest/server/store/chat"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// SQLite refuses JSON that is nested more than 1000 deep, with no word of why.
func TestParametersThatAreNestedTooDeepAreNamed(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.StartAt(t, db, owner, "kept", 1)
	nested := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"a":`, n) + `"[[{\"{"` + strings.Repeat("}", n))
	}
	lanes := func(n int) error {
		return storetest.Second(db.SetLanes(ctx, owner, wire.Lanes{Conversation: s.Conversation, Lanes: []wire.Lane{{Model: "m", Params: nested(n)}}}))
	}
	entry := func(n int) error {
		return storetest.Second(db.PutLibrary(ctx, owner, wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibrarySettings, Name: "deep", Family: "ordinary", Params: nested(n)}))
	}
	for name, put := range map[string]func(int) error{"lanes.params": lanes, "params": entry} {
		storetest.Must(t, put(chat.MaxParamsDepth))
		for _, n := range []int{chat.MaxParamsDepth + 1, 1001, 5000} {
			if p := storetest.Problem(put(n)); p.Code != "bad_params" || p.Field != name || !strings.Contains(p.Message, "900 deep") {
				t.Errorf("%s nested %d deep: %+v", name, n, p)
			}
		}
	}
}

// What is wrong with a file is said in a sentence, however long the value is
// that is wrong.
func TestWhatIsEchoedIsShort(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	long := strings.Repeat("9", 1<<20)
	for name, file := range map[string]string{
		"a number":   `{"format":"screentest.conversations","version":` + long + `}`,
		"a fraction": `{"format":"screentest.conversations","version":1,"conversations":[{"title":` + long + `}]}`,
		"a field":    `{"format":"screentest.conversations","version":1,"conversations":[{"` + long + `":1}]}`,
	} {
		_, err := db.Import(context.Background(), owner, strings.NewReader(file))
		if p := storetest.Problem(err); p.Code == "" || len(p.Message) > 300 || len(p.Field) > 300 {
			t.Errorf("%s: %d bytes: %.200s", name, len(p.Message), p.Message)
		}
	}
}
