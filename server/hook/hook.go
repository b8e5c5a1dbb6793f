// Package hook tells people's web hooks when a share of a budget is spent. Make a
// [Caller]; [Caller.Tell] waits for nothing, and what fails is tried again in the
// background.
//
// The address is a secret, for many let in whoever knows them: it is kept sealed,
// never told again and in no log. It comes from a person and is called by this
// server, so that it reaches public addresses only, unless Config says otherwise,
// follows no redirect, and nothing of the answer is told but its status.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"code.dny.dev/ssrf"

	"screentest/server/account"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Store keeps the addresses; see package store.
type Store interface {
	SealedSetting(ctx context.Context, owner, name string) (string, error)
	SetSealedSetting(ctx context.Context, owner, name, value string) error
}

// Config is what a Caller works with. Store must be given.
type Config struct {
	Store Store
	// Private lets it reach addresses of this machine and its network.
	Private bool
	// Again are the waits before a call that failed is made again; nil: 10 seconds
	// and a minute.
	Again []time.Duration
	// Shared says that several processes call hooks: how a call went is kept in Store,
	// which then has settings that aren't sealed, too, and Tries counts how often a
	// person has one made. nil: there is this one.
	Shared *Shared
	Now    func() time.Time
	Logger *slog.Logger
}

// Shared is what several processes have in common.
type Shared struct {
	Settings interface {
		Setting(ctx context.Context, owner, name string) (string, error)
		SetSetting(ctx context.Context, owner, name, value string) error
	}
	Tries interface {
		TakeTries(ctx context.Context, tries []account.Try, now time.Time) (wait time.Duration, err error)
	}
}

// Caller calls web hooks. Its methods may be called from any goroutine.
type Caller struct {
	Config
	client *http.Client
	ctx    context.Context // of what is under way
	cancel context.CancelFunc
	calls  sync.WaitGroup

	mu   sync.Mutex
	last map[string]outcome // by owner
	// tried is when a person had a call made last, whatever the address was then.
	tried map[string]time.Time
}

// outcome is how the last call of an owner's hook went.
type outcome struct {
	at      time.Time
	trouble string
}

// keptOutcome is one as several processes keep it.
type keptOutcome struct {
	AtMS    int64  `json:"at_ms"`
	Trouble string `json:"trouble,omitempty"`
}

const (
	setting     = "web_hook"
	lastSetting = "web_hook_last"
	// timeout bounds one call, tryEvery how often a person may have one made.
	timeout  = 10 * time.Second
	tryEvery = 5 * time.Second
)

// New returns a Caller.
func New(c Config) *Caller {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Again == nil {
		c.Again = []time.Duration{10 * time.Second, time.Minute}
	}
	dialer := &net.Dialer{Timeout: timeout}
	if !c.Private {
		dialer.Control = ssrf.New(ssrf.WithAnyPort()).Safe
	}
	h := &Caller{Config: c, last: map[string]outcome{}, tried: map[string]time.Time{}, client: &http.Client{
		Timeout:       timeout,
		Transport:     &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: timeout, DisableKeepAlives: true, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// Close gives up what is under way.
func (h *Caller) Close() {
	h.cancel()
	h.calls.Wait()
}

// Hook is how an owner's hook stands.
func (h *Caller) Hook(ctx context.Context, owner string) (wire.Hook, error) {
	address, err := h.address(ctx, owner)
	if err != nil || address == nil {
		return wire.Hook{}, err
	}
	now := wire.Hook{Host: address.Host}
	if h.Shared != nil {
		text, err := h.Shared.Settings.Setting(ctx, owner, lastSetting)
		if errors.Is(err, fs.ErrNotExist) {
			return now, nil
		}
		var last keptOutcome
		if err == nil {
			err = json.Unmarshal([]byte(text), &last)
		}
		now.AtMS, now.Trouble = last.AtMS, last.Trouble
		return now, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if last, known := h.last[owner]; known {
		now.AtMS, now.Trouble = last.at.UnixMilli(), last.trouble
	}
	return now, nil
}

// Set sets an owner's address, or takes it away. An error that a person may read
// is a *wire.Problem.
func (h *Caller) Set(ctx context.Context, owner string, s wire.HookSettings) (wire.Hook, error) {
	if s.URL != "" {
		bad := func(message, hint string) (wire.Hook, error) {
			return wire.Hook{}, &wire.Problem{Code: "invalid_hook", Field: "url", Message: message, Hint: hint}
		}
		if len(s.URL) > wire.MaxHookURL {
			return bad("The address is too long.", "It has at most "+strconv.Itoa(wire.MaxHookURL)+" bytes.")
		}
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
			return bad("This isn't a web address.", "It begins with https:// and has no user name in it.")
		}
		if ip := net.ParseIP(u.Hostname()); ip != nil && !h.Private && !isPublic(ip) || u.Hostname() == "localhost" && !h.Private {
			return bad("This address is on a private network, which this server doesn't call.", "Give a public address, or start the server with -fetch-private.")
		}
	}
	if err := h.Store.SetSealedSetting(ctx, owner, setting, s.URL); err != nil {
		return wire.Hook{}, fmt.Errorf("keep a web hook: %w", err)
	}
	if h.Shared != nil {
		if err := h.Shared.Settings.SetSetting(ctx, owner, lastSetting, ""); err != nil {
			return wire.Hook{}, fmt.Errorf("forget how a web hook went: %w", err)
		}
		return h.Hook(ctx, owner)
	}
	h.mu.Lock()
	delete(h.last, owner)
	h.mu.Unlock()
	return h.Hook(ctx, owner)
}

func isPublic(ip net.IP) bool {
	network := "tcp6"
	if ip.To4() != nil {
		network = "tcp4"
	}
	return ssrf.New(ssrf.WithAnyPort()).Safe(network, net.JoinHostPort(ip.String(), "443"), nil) == nil
}

// address is an owner's; nil: there is none.
func (h *Caller) address(ctx context.Context, owner string) (*url.URL, error) {
	text, err := h.Store.SealedSetting(ctx, owner, setting)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return url.Parse(text)
}

// Try calls an owner's hook once and says how that went.
func (h *Caller) Try(ctx context.Context, owner string) (wire.Hook, error) {
	address, err := h.address(ctx, owner)
	if err != nil {
		return wire.Hook{}, err
	}
	if address == nil {
		return wire.Hook{}, &wire.Problem{Code: "no_hook", Message: "There is no web hook.", Hint: "Save an address first."}
	}
	soon, err := h.soon(ctx, owner)
	if err != nil {
		return wire.Hook{}, err
	}
	if soon {
		return wire.Hook{}, &wire.Problem{Code: "too_soon", Message: "It was called a moment ago.", Hint: "Try again in " + tryEvery.String() + "."}
	}
	h.call(ctx, owner, address, wire.HookCall{Event: wire.HookTest, Text: "Screentest: this is a test of your web hook."})
	return h.Hook(ctx, owner)
}

// soon says whether a person had a call made a moment ago, and else notes that they
// have one made now.
func (h *Caller) soon(ctx context.Context, owner string) (bool, error) {
	if h.Shared != nil {
		wait, err := h.Shared.Tries.TakeTries(ctx, []account.Try{{Name: "hook " + owner, Burst: 1, Every: tryEvery}}, h.Now())
		return wait > 0, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Now().Sub(h.tried[owner]) < tryEvery {
		return true, nil
	}
	h.tried[owner] = h.Now()
	return false, nil
}

// Tell tells the hooks of owners that a share of a budget is spent.
func (h *Caller) Tell(owners []string, b wire.BudgetState) {
	for _, owner := range owners {
		h.calls.Go(func() {
			address, err := h.address(h.ctx, owner)
			if err != nil && h.ctx.Err() == nil {
				h.Logger.Error("a web hook was not called", "err", err)
			}
			if err != nil || address == nil {
				return
			}
			c := wire.HookCall{Event: wire.HookBudget, Text: words(b), Budget: &b}
			for i := 0; h.call(h.ctx, owner, address, c) && i < len(h.Again); i++ {
				select {
				case <-h.ctx.Done():
					return
				case <-time.After(h.Again[i]):
				}
			}
		})
	}
}

// call makes one call and keeps how it went. again says that it may go better
// later.
func (h *Caller) call(ctx context.Context, owner string, address *url.URL, c wire.HookCall) (again bool) {
	c.Content, c.AtMS = c.Text, h.Now().UnixMilli()
	trouble, again := h.post(ctx, address, c)
	if trouble != "" && ctx.Err() == nil {
		h.Logger.Warn("a web hook could not be told", "host", address.Host, "why", trouble)
	}
	h.keep(owner, outcome{h.Now(), trouble})
	return again
}

// keep keeps how a call went.
func (h *Caller) keep(owner string, o outcome) {
	if h.Shared == nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.last[owner] = o
		return
	}
	text, err := json.Marshal(keptOutcome{o.at.UnixMilli(), o.trouble})
	if err == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(h.ctx), timeout)
		defer cancel()
		err = h.Shared.Settings.SetSetting(ctx, owner, lastSetting, string(text))
	}
	if err != nil {
		h.Logger.Error("how a web hook went is not kept", "err", err)
	}
}

func (h *Caller) post(ctx context.Context, address *url.URL, c wire.HookCall) (trouble string, again bool) {
	body, err := json.Marshal(c)
	if err != nil {
		return err.Error(), false
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(body))
	if err != nil {
		return "The address can't be called.", false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "screentest")
	res, err := h.client.Do(req)
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP):
		return "The address is on a private network, which this server doesn't call.", false
	case err != nil && errors.Is(err, context.DeadlineExceeded) || isTimeout(err):
		return "It didn't answer within " + timeout.String() + ".", true
	case err != nil:
		return "It can't be reached.", true // the error's text has the address in it
	}
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10)
	res.Body.Close()
	switch {
	case res.StatusCode < 300:
		return "", false
	case res.StatusCode < 400:
		return "It answered with a redirect (" + strconv.Itoa(res.StatusCode) + "), which is not followed.", false
	}
	return "It answered with HTTP " + strconv.Itoa(res.StatusCode) + ".", res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// words say how a budget stands.
func words(b wire.BudgetState) string {
	often := "daily"
	if b.Period == wire.PeriodMonth {
		often = "monthly"
	}
	whose := "your " + often + " budget"
	switch b.Scope {
	case wire.ScopeLimit:
		whose = "your " + often + " limit"
	case wire.ScopeTeam:
		whose = "the team " + b.Name + "'s " + often + " limit"
	case wire.ScopeEverybody:
		whose = "everybody's " + often + " budget"
	}
	return fmt.Sprintf("Screentest: %d %% of %s is spent, %v of %v.",
		b.SpentNanoUSD*100/max(b.LimitNanoUSD, 1), whose, money.NanoUSD(b.SpentNanoUSD), money.NanoUSD(b.LimitNanoUSD))
}
