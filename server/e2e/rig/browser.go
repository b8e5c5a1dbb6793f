package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

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

// OpenBrowser starts Chromium. Its panes have no scrollbars, so that pictures are
// the same everywhere.
func OpenBrowser() (*Browser, error) { return openBrowser(true) }

// OpenWithScrollbars starts one whose scrollbars take room, as a desktop's do.
func OpenWithScrollbars() (*Browser, error) { return openBrowser(false) }

func openBrowser(hidden bool) (*Browser, error) {
	path, err := chromium()
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
	ctx    context.Context // of an empty tab that holds the profile
	cancel context.CancelFunc
}

// Profile makes a new, empty profile.
func (b *Browser) Profile() (*Profile, error) {
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	return &Profile{ctx: ctx, cancel: cancel}, nil
}

// Close closes the profile's tabs and forgets it.
func (p *Profile) Close() { p.cancel() }

func chromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium found: install Debian's package chromium, or run make test as root, which does it; " +
		NoBrowser + "=1 leaves the browser tests out")
}

// LeftOut reports whether the environment says to do without a browser.
func LeftOut() bool { return os.Getenv(NoBrowser) != "" }
