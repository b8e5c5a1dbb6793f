package budget_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"screentest/server/budget"
	"screentest/server/payer"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const dollar = 1_000_000_000

// world is a Keeper on a real store.
type world struct {
	*budget.Keeper
	t         *testing.T
	db        *store.DB
	owner     string
	directory budget.Directory // nil: there are no accounts

	mu   sync.Mutex
	now  time.Time
	told []string // owner, scope and period of each warning
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)}
	db, err := storetest.TryOpen(t, storetest.Folder(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.db = db
	t.Cleanup(func() {
		w.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if w.owner, err = db.EnsureLocalUser(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.open()
	return w
}

// open makes a Keeper anew, as after a start.
func (w *world) open() {
	if w.Keeper != nil {
		w.Close()
	}
	w.Keeper = budget.New(budget.Config{
		Store: w.db, Directory: w.directory, MayEverybody: func(owner string) bool { return owner == w.owner },
		Tell: func(owner string, s wire.BudgetState) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.told = append(w.told, strings.TrimSpace(owner+" "+s.Scope+" "+s.Period))
		},
		Now: func() time.Time {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.now
		},
	})
}

// me pays for what the one local person sends.
func (w *world) me() payer.Payer { return payer.Payer{Owner: w.owner} }

// Reserve is the Keeper's, of a cost that is known.
func (w *world) Reserve(ctx context.Context, by payer.Payer, what string, nano int64) (release func(), p *wire.Problem) {
	return w.Keeper.Reserve(ctx, by, what, "vendor/model-a", gateway.Quote{Cost: money.NanoUSD(nano), Known: true})
}

// Reserved and the two after it are the Keeper's, which fails in no test.
func (w *world) Reserved(owner string) int64 {
	return w.nano(w.Keeper.Reserved(context.Background(), owner))
}

func (w *world) ReservedByTeam(team string) int64 {
	return w.nano(w.Keeper.ReservedByTeam(context.Background(), team))
}

func (w *world) ReservedByEverybody() int64 {
	return w.nano(w.Keeper.ReservedByEverybody(context.Background()))
}

func (w *world) nano(n int64, err error) int64 {
	if err != nil {
		w.t.Error(err)
	}
	return n
}

func (w *world) set(s wire.BudgetSettings) wire.Budgets {
	w.t.Helper()
	b, err := w.SetBudgets(w.t.Context(), w.owner, s)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) budgets() wire.Budgets {
	w.t.Helper()
	b, err := w.Budgets(w.t.Context(), w.owner)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// spend books a run that ended now.
func (w *world) spend(nano int64) {
	w.t.Helper()
	r := wire.Run{ID: uuid.NewString(), State: wire.Done, Model: "m", StartedMS: w.now.UnixMilli(), CostNanoUSD: nano, CostSource: "reported"}
	if err := w.db.FinishRun(w.t.Context(), w.owner, r, "", nil, nil, nil); err != nil {
		w.t.Fatal(err)
	}
}

// anAnswer is what a gateway answers a turn with.
func anAnswer() *upstream.Reply {
	return &upstream.Reply{Status: 200, ContentType: "application/json", Body: io.NopCloser(strings.NewReader(
		`{"model":"vendor/model-a","choices":[{"message":{"role":"assistant","content":"an answer"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}`))}
}
