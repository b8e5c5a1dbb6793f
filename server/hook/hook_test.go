package hook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/shared/wire"
)

// kept is a store in memory: that the real one seals is shown there.
type kept struct {
	mu  sync.Mutex
	all map[string]string
}

func (k *kept) SealedSetting(_ context.Context, owner, name string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if v, ok := k.all[owner+name]; ok {
		return v, nil
	}
	return "", fs.ErrNotExist
}

func (k *kept) SetSealedSetting(_ context.Context, owner, name, value string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all[owner+name] = value; value == "" {
		delete(k.all, owner+name)
	}
	return nil
}

// receiver is somebody's hook, which answers with the statuses that it is given,
// the last one for ever.
type receiver struct {
	*httptest.Server
	got chan wire.HookCall
}

func receive(t *testing.T, statuses ...int) *receiver {
	r := &receiver{got: make(chan wire.HookCall, 16)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var c wire.HookCall
		if err := json.NewDecoder(req.Body).Decode(&c); err != nil || req.Method != http.MethodPost || req.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s with %q: %v", req.Method, req.Header.Get("Content-Type"), err)
		}
		status := statuses[0]
		if len(statuses) > 1 {
			statuses = statuses[1:]
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		r.got <- c
	}))
	t.Cleanup(r.Close)
	return r
}

func caller(t *testing.T, c Config) *Caller {
	c.Store = &kept{all: map[string]string{}}
	if c.Again == nil {
		c.Again = []time.Duration{time.Millisecond, time.Millisecond}
	}
	h := New(c)
	t.Cleanup(h.Close)
	return h
}

var budget = wire.BudgetState{Scope: wire.ScopePerson, Period: wire.PeriodDay, LimitNanoUSD: 5e9, SpentNanoUSD: 4e9}

func TestAShareThatIsSpentIsTold(t *testing.T) {
	r := receive(t, 503, 429, 200)
	h := caller(t, Config{Private: true})
	now, err := h.Set(t.Context(), "ann", wire.HookSettings{URL: r.URL + "/services/secret"})
	if err != nil || now.Host != strings.TrimPrefix(r.URL, "http://") {
		t.Fatalf("%+v, %v", now, err)
	}
	h.Tell([]string{"ann", "ben"}, budget) // ben has none
	for range wire.HookTries {
		c := <-r.got
		if c.Event != wire.HookBudget || c.Text != "Screentest: 80 % of your daily budget is spent, $4.00 of $5.00." || c.Content != c.Text || c.Budget == nil || c.Budget.SpentNanoUSD != budget.SpentNanoUSD {
			t.Errorf("told %+v", c)
		}
	}
	h.calls.Wait()
	if now, err := h.Hook(t.Context(), "ann"); err != nil || now.AtMS == 0 || now.Trouble != "" {
		t.Errorf("afterwards %+v, %v", now, err)
	}
	if len(r.got) != 0 {
		t.Error("it was told again after it had heard")
	}
}

func TestWhatFailsForGoodIsToldOnce(t *testing.T) {
	for status, said := range map[int]string{404: "HTTP 404", 302: "redirect"} {
		r := receive(t, status)
		h := caller(t, Config{Private: true})
		if _, err := h.Set(t.Context(), "ann", wire.HookSettings{URL: r.URL}); err != nil {
			t.Fatal(err)
		}
		h.Tell([]string{"ann"}, budget)
		h.calls.Wait()
		if now, _ := h.Hook(t.Context(), "ann"); !strings.Contains(now.Trouble, said) || len(r.got) != 1 {
			t.Errorf("%d: %d calls, %q", status, len(r.got), now.Trouble)
		}
	}
}

// What somebody gives leads into no network that only this server is in, by its
// number or by a name.
func TestPrivateAddressesAreNotCalled(t *testing.T) {
	r := receive(t, 200)
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	h := caller(t, Config{})
	for _, address := range []string{r.URL, "http://10.0.0.1/x", "http://[::1]" + port, "http://localhost" + port, "ftp://example.com", "https://", "https://ann:pw@example.com", "nonsense", "https://example.com/" + strings.Repeat("x", wire.MaxHookURL)} {
		var p *wire.Problem
		if _, err := h.Set(t.Context(), "ann", wire.HookSettings{URL: address}); !errors.As(err, &p) || p.Field != "url" || p.Hint == "" {
			t.Errorf("%.40s: %v", address, err)
		}
	}
	// A name is looked up when it is called.
	h.Store.(*kept).all["ann"+setting] = "http://localhost" + port
	now, err := h.Try(t.Context(), "ann")
	if err != nil || !strings.Contains(now.Trouble, "private network") && !strings.Contains(now.Trouble, "can't be reached") || len(r.got) != 0 {
		t.Errorf("%+v, %v, %d calls", now, err, len(r.got))
	}
}

func TestATestIsMadeNowAndThenOnly(t *testing.T) {
	r := receive(t, 200)
	now := time.Unix(1_800_000_000, 0)
	h := caller(t, Config{Private: true, Now: func() time.Time { return now }})
	var p *wire.Problem
	if _, err := h.Try(t.Context(), "ann"); !errors.As(err, &p) || p.Code != "no_hook" {
		t.Errorf("without a hook: %v", err)
	}
	if _, err := h.Set(t.Context(), "ann", wire.HookSettings{URL: r.URL}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Try(t.Context(), "ann"); err != nil || (<-r.got).Event != wire.HookTest {
		t.Error(err)
	}
	if _, err := h.Try(t.Context(), "ann"); !errors.As(err, &p) || p.Code != "too_soon" {
		t.Errorf("a second one at once: %v", err)
	}
	if _, err := h.Set(t.Context(), "ann", wire.HookSettings{URL: r.URL + "/another"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Try(t.Context(), "ann"); !errors.As(err, &p) || p.Code != "too_soon" {
		t.Errorf("another address at once: %v", err)
	}
	now = now.Add(tryEvery)
	if _, err := h.Try(t.Context(), "ann"); err != nil || len(r.got) != 1 {
		t.Errorf("later: %v", err)
	}
	if now, err := h.Set(t.Context(), "ann", wire.HookSettings{}); err != nil || now != (wire.Hook{}) {
		t.Errorf("taken away: %+v, %v", now, err)
	}
}

func TestAHookThatIsSilentHoldsNothingUp(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // that the other one has gone is seen behind the body alone
		<-r.Context().Done()
	}))
	defer silent.Close()
	h := caller(t, Config{Private: true})
	if _, err := h.Set(t.Context(), "ann", wire.HookSettings{URL: silent.URL}); err != nil {
		t.Fatal(err)
	}
	h.Tell([]string{"ann"}, budget) // returns
	h.Close()                       // and so does this, long before the call would end
}
