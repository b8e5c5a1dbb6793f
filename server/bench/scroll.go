package main

import (
	"context"
	"fmt"
	"os"

	"screentest/server/e2e/rig"
	"screentest/server/wiretest"
)

const (
	scrolledMessages = 10_000
	wheelFrames      = 240 // of turning the wheel, up and then down
	thumbPulls       = 40  // of the scroll bar, to far places
)

// scrolling is what a hand does with a long conversation: the wheel is turned, and
// the bar is pulled about.
const scrolling = `(async () => {
	const t = document.querySelector("#thread"), frame = () => new Promise(requestAnimationFrame);
	for (const by of [-400, 400])
		for (let n = 0; n < %d; n++) { t.scrollTop += by; await frame() }
	for (let n = 0; n < %d; n++) {
		t.scrollTop = t.scrollHeight * ((n * 0.618) %% 1);
		for (let k = 0; k < 6; k++) await frame();
	}
	window.benchScrolled = true;
})()`

// scroll measures the page while a conversation of 10 000 messages is scrolled.
func scroll(ctx context.Context, bin string) error {
	dir, err := os.MkdirTemp("", "screentest-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := rig.Start(ctx, bin, nil, "serve", "-addr", "127.0.0.1:0", "-data", dir)
	if err != nil {
		return err
	}
	defer func() { _ = server.Stop() }()
	file, _, err := wiretest.Long("A long one", scrolledMessages)
	if err != nil {
		return err
	}
	if _, err := wiretest.Import(ctx, server.URL, file); err != nil {
		return err
	}
	b, err := rig.OpenMeasured()
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	profile, err := b.Profile()
	if err != nil {
		return err
	}
	tab, err := profile.Tab()
	if err != nil {
		return err
	}
	for _, do := range []func() error{
		tab.Quiet,
		func() error { return tab.Open(server.URL + "/") },
		func() error {
			return tab.Wait(`!document.getElementById("app-wasm-loader") && !!document.querySelector(".conversation")`)
		},
		func() error { return tab.Click(".conversation") },
		func() error {
			return tab.Wait(`document.querySelectorAll(".message").length > 0 && !document.querySelector("#earlier")`)
		},
		func() error { return tab.Eval(nil, meter) },
		func() error { return tab.Eval(nil, "window.benchMeter.start = performance.now()") },
		func() error { return tab.Eval(nil, "void "+fmt.Sprintf(scrolling, wheelFrames, thumbPulls)) },
		func() error { return tab.Wait("window.benchScrolled") },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	_, err = printFrames(tab, fmt.Sprintf("Scrolling %d messages in Chromium", scrolledMessages))
	return err
}
