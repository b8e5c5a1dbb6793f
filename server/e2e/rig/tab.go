package rig

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	// within bounds every wait of a tab. It is generous: the machine may be
	// slow and busy, and a wait ends as soon as its condition holds.
	within = 60 * time.Second
	// lookEvery is the pause between two looks at a page.
	lookEvery = 25 * time.Millisecond
)

// Tab is a tab of a browser, with everything it wrote to the console and every
// WebSocket message it sent or got.
type Tab struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	console []chromedp.ConsoleMessage
	frames  []frame
	logged  bool // keep frames
}

// A frame is the payload of a WebSocket message, and when the browser sent or
// got it.
type frame struct {
	at      cdp.MonotonicTime
	payload string
}

// Tab opens an empty tab in the profile.
func (p *Profile) Tab() (*Tab, error) {
	ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithExistingBrowserContext(p.id))
	return newTab(ctx, cancel)
}

func newTab(ctx context.Context, cancel context.CancelFunc) (*Tab, error) {
	t := &Tab{ctx: ctx, cancel: cancel, logged: true}
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	console := chromedp.Console(ctx)
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			t.mu.Lock()
			t.console = append(t.console, m)
			t.mu.Unlock()
		}
	}()
	// Chromium doesn't write every breach of the content policy to the console.
	_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `addEventListener("securitypolicyviolation", e => console.error(
			"Content Security Policy breached: " + e.violatedDirective + " by " + (e.blockedURI || e.sourceFile) + " " + e.sample))`,
	})
	if err != nil {
		cancel()
		return nil, fmt.Errorf("watch the content policy: %w", err)
	}
	keepFrames(t, network.WebSocketFrameSent, func(e network.EventWebSocketFrameSent) frame {
		return frame{e.Timestamp, string(e.Response.PayloadData)}
	})
	keepFrames(t, network.WebSocketFrameReceived, func(e network.EventWebSocketFrameReceived) frame {
		return frame{e.Timestamp, string(e.Response.PayloadData)}
	})
	return t, nil
}

func keepFrames[E any](t *Tab, event cdp.Event[E], of func(E) frame) {
	events := chromedp.Events(t.ctx, event)
	go func() {
		for e, err := range events {
			if err != nil {
				return
			}
			t.mu.Lock()
			if t.logged {
				t.frames = append(t.frames, of(e))
			}
			t.mu.Unlock()
		}
	}()
}

// Close closes the tab.
func (t *Tab) Close() { t.cancel() }

// Quiet stops the browser from reporting its network traffic, which costs
// time under load; Frames gives nothing new from here on.
func (t *Tab) Quiet() error {
	t.mu.Lock()
	t.logged = false
	t.mu.Unlock()
	_, err := chromedp.Call(t.ctx, network.Disable, cdp.Empty{})
	return err
}

// Console returns what the page wrote to the console, in order.
func (t *Tab) Console() []chromedp.ConsoleMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]chromedp.ConsoleMessage(nil), t.console...)
}

// Frames returns the payload of every WebSocket message that the browser has
// told of so far, both ways, in the order in which they went.
func (t *Tab) Frames() []string {
	t.mu.Lock()
	frames := slices.Clone(t.frames)
	t.mu.Unlock()
	// What was sent and what was got are heard of on two ways.
	slices.SortStableFunc(frames, func(a, b frame) int { return cmp.Compare(a.at, b.at) })
	payloads := make([]string, len(frames))
	for i, f := range frames {
		payloads[i] = f.payload
	}
	return payloads
}

// Do runs steps of chromedp within the bound of a wait.
func (t *Tab) Do(steps ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(t.ctx, within)
	defer cancel()
	return chromedp.Do(ctx, steps...)
}

// Open goes to url and waits until the page has loaded.
func (t *Tab) Open(url string) error { return t.Do(chromedp.Navigate(url)) }

// Reload loads the page again, as F5 does.
func (t *Tab) Reload() error { return t.Do(chromedp.Reload()) }

// Back and Forward are the browser's buttons. What is evaluated ends before the
// page may be left by it, which would be an error.
func (t *Tab) Back() error { return t.Eval(nil, "void setTimeout(() => history.back())") }

// Forward is the opposite of Back.
func (t *Tab) Forward() error { return t.Eval(nil, "void setTimeout(() => history.forward())") }

// Type presses the keys of a text, and of the kb package, one after the other.
// Unlike chromedp's KeyEvent it leaves it to the browser to make a character
// of a key press, so that a page which prevents the press gets none.
func (t *Tab) Type(keys string) error {
	ctx, cancel := context.WithTimeout(t.ctx, within)
	defer cancel()
	for _, r := range keys {
		events := kb.Encode(r)
		down, up := *events[0], *events[len(events)-1]
		if len(events) == 3 { // the one between is the character
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
		}
		for _, e := range []input.DispatchKeyEventParams{down, up} {
			if _, err := chromedp.Call(ctx, input.DispatchKeyEvent, e); err != nil {
				return fmt.Errorf("type %q: %w", keys, err)
			}
		}
	}
	return nil
}

// Eval evaluates JavaScript in the page, awaiting a promise, and decodes its
// value into out, unless that is nil.
func (t *Tab) Eval(out any, js string) error {
	ctx, cancel := context.WithTimeout(t.ctx, within)
	defer cancel()
	raw, err := chromedp.Run(ctx, chromedp.Evaluate[[]byte](js, chromedp.EvalAwaitPromise))
	if err != nil {
		return fmt.Errorf("evaluate %.120s: %w", js, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("evaluate %.120s: %w", js, err)
	}
	return nil
}

// Wait waits until the JavaScript expression is true. A page that is just being
// loaded counts as false. It does not use chromedp's Poll, whose eval inside
// the page the content policy forbids.
func (t *Tab) Wait(js string) error {
	deadline := time.Now().Add(within)
	for {
		var ok bool
		err := t.Eval(&ok, "!!("+js+")")
		if err == nil && ok {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("not true within %v: %s", within, js), err)
		}
		select {
		case <-t.ctx.Done():
			return fmt.Errorf("wait for %s: %w", js, t.ctx.Err())
		case <-time.After(lookEvery):
		}
	}
}

// Visible waits until an element that matches the CSS selector is shown.
func (t *Tab) Visible(selector string) error {
	return t.Wait(fmt.Sprintf(`document.querySelector(%s)?.checkVisibility()`, quote(selector)))
}

// Path returns the path of the address the tab is at.
func (t *Tab) Path() (string, error) {
	var s string
	err := t.Eval(&s, "location.pathname")
	return s, err
}

// Look sets the size of the window in CSS pixels, and whether the system's
// colours are dark. Motion is reduced, so that a picture shows no half-way.
func (t *Tab) Look(width, height int64, dark bool) error {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	if err != nil {
		return err
	}
	return t.Do(chromedp.EmulateViewport(width, height))
}

// WithoutScripts has pages that are opened from then on run no script of their own.
func (t *Tab) WithoutScripts() error {
	_, err := chromedp.Call(t.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
}

// Contrast gives the tab the few colours of a contrast theme.
func (t *Tab) Contrast() error {
	_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}},
	})
	return err
}

// Print shows the tab as it would be printed, on paper of that width.
func (t *Tab) Print(width, height int64) error {
	if err := t.Look(width, height, false); err != nil {
		return err
	}
	_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	return err
}

// Zone puts the person's clock into a time zone, for pages that are opened from
// then on.
func (t *Tab) Zone(name string) error {
	_, err := chromedp.Call(t.ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: name})
	return err
}

// Screenshot returns what the tab shows as PNG.
func (t *Tab) Screenshot() ([]byte, error) {
	ctx, cancel := context.WithTimeout(t.ctx, within)
	defer cancel()
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}

// ForgetCookies removes the cookies of the tab's profile, as a person may.
func (t *Tab) ForgetCookies() error {
	_, err := chromedp.Call(t.ctx, network.ClearBrowserCookies, cdp.Empty{})
	return err
}

// Line makes what the tab loads come over a slow line.
func (t *Tab) Line(bitsPerSecond float64, delay time.Duration) error {
	type params struct {
		Offline            bool    `json:"offline"`
		Latency            float64 `json:"latency"`            // in ms
		DownloadThroughput float64 `json:"downloadThroughput"` // in bytes a second
		UploadThroughput   float64 `json:"uploadThroughput"`
	}
	_, err := chromedp.Call(t.ctx, cdp.Command[params, cdp.Empty]{Method: "Network.emulateNetworkConditions"}, params{
		Latency:            float64(delay.Milliseconds()),
		DownloadThroughput: bitsPerSecond / 8,
		UploadThroughput:   bitsPerSecond / 8,
	})
	return err
}

// Before runs JavaScript in every page that the tab opens from now on, before
// any of the page's own.
func (t *Tab) Before(js string) error {
	_, err := chromedp.Call(t.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: js})
	return err
}

// Worked is the processor time that the page's main thread has taken so far.
func (t *Tab) Worked() (time.Duration, error) {
	if _, err := chromedp.Call(t.ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		return 0, err
	}
	r, err := chromedp.Call(t.ctx, performance.GetMetrics, cdp.Empty{})
	for _, m := range r.Metrics {
		if m.Name == "TaskDuration" {
			return time.Duration(m.Value * float64(time.Second)), err
		}
	}
	return 0, errors.Join(err, errors.New("the browser tells no TaskDuration"))
}

// Front brings the tab to the front, which rendering and focus need.
func (t *Tab) Front() error {
	_, err := chromedp.Call(t.ctx, page.BringToFront, cdp.Empty{})
	return err
}

// Errors returns the console messages that must not be there: errors,
// exceptions and breaches of the content policy. allow names parts of messages
// that a test causes on purpose.
func (t *Tab) Errors(allow ...string) []string {
	var out []string
next:
	for _, m := range t.Console() {
		bad := m.IsException() || m.Type == chromedp.ConsoleError || m.Source == "security" ||
			strings.Contains(m.Text, "Content Security Policy")
		if !bad {
			continue
		}
		for _, a := range allow {
			if strings.Contains(m.Text, a) || strings.Contains(m.URL, a) {
				continue next
			}
		}
		out = append(out, fmt.Sprintf("%s (%s)", m, m.URL))
	}
	return out
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

// Files gives a file field files of this machine, as a person who picks them.
func (t *Tab) Files(selector string, paths ...string) error {
	return t.Do(chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
}
