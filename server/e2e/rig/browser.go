package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// NoBrowser names the environment variable that make test sets when there is
// no Chromium and none could be installed.
const NoBrowser = "SCREENTEST_NO_BROWSER"

// Browser is one headless Chromium. Its tabs come in profiles, so that nothing
// which one test stores is seen by another.
type Browser struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// OpenBrowser starts the lightest Chromium that is here: its headless shell,
// which draws and runs a page as Chromium does and has no windows of its own to
// look after. A test's first page costs less than half of the processor time in
// it (1.4 s for 3.8). Its panes have no scrollbars, so that pictures are the same
// everywhere.
func OpenBrowser() (*Browser, error) {
	return openBrowser(true, "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
}

// OpenMeasured is OpenBrowser with the Chromium that people have, which is what
// measurements are taken in.
func OpenMeasured() (*Browser, error) {
	return openBrowser(true, "chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
}

// OpenWithScrollbars is OpenBrowser with scrollbars that take room, as a
// desktop's do.
func OpenWithScrollbars() (*Browser, error) {
	return openBrowser(false, "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
}

// openBrowser starts the first of the programs that is here.
func openBrowser(hidden bool, names ...string) (*Browser, error) {
	path, err := find(names)
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.DisableGPU,
		// The first two keep it from asking the network for anything but what
		// a test opens.
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-US"),
		chromedp.Flag("hide-scrollbars", hidden),
		chromedp.WindowSize(1440, 900),
	)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	b := &Browser{ctx: ctx, cancel: func() { cancel(); stopAllocator() }}
	if err := chromedp.Do(ctx); err != nil { // starts it
		b.cancel()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return b, nil
}

// Close ends Chromium and removes what it stored.
func (b *Browser) Close() error {
	err := chromedp.Cancel(b.ctx)
	b.cancel()
	return err
}

// Profile is a person's browser: tabs in one profile share cookies, storage and
// cache, and find them again after a tab was closed.
type Profile struct {
	browser *Browser
	id      cdp.BrowserContextID
	ctx     context.Context // of the tabs
	cancel  context.CancelFunc
}

// Profile makes a new, empty profile.
func (b *Browser) Profile() (*Profile, error) {
	made, err := cdp.Call(b.ctx, chromedp.FromContext(b.ctx).Browser, target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	p := &Profile{browser: b, id: made.BrowserContextID}
	p.ctx, p.cancel = context.WithCancel(b.ctx)
	return p, nil
}

// Close closes the profile's tabs and forgets it.
func (p *Profile) Close() {
	p.cancel()
	dispose := target.DisposeBrowserContextParams{BrowserContextID: p.id}
	// A browser that has ended has forgotten it already.
	_, _ = cdp.Call(p.browser.ctx, chromedp.FromContext(p.browser.ctx).Browser, target.DisposeBrowserContext, dispose)
}

func find(names []string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium found: install Debian's package chromium-headless-shell, or run make test as root, which does it; " +
		NoBrowser + "=1 leaves the browser tests out")
}

// LeftOut reports whether the environment says to do without a browser.
func LeftOut() bool { return os.Getenv(NoBrowser) != "" }
