package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"time"

	"github.com/google/uuid"

	"screentest/server/e2e/rig"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// meter counts frames and long tasks in the page from now on.
const meter = `(() => {
	const m = window.benchMeter = {frames: [], tasks: []};
	const frame = t => { m.frames.push(t); requestAnimationFrame(frame) };
	requestAnimationFrame(frame);
	new PerformanceObserver(l => { for (const e of l.getEntries()) m.tasks.push([e.startTime, e.duration]) })
		.observe({type: "longtask"});
})()`

// browser measures the page while a long Markdown answer streams into a
// conversation that is long already.
func browser(ctx context.Context, bin string) error {
	dir, err := os.MkdirTemp("", "screentest-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source := httptest.NewServer(markdownSource())
	defer source.Close()
	server, err := rig.Start(ctx, bin, nil, "serve", "-addr", "127.0.0.1:0", "-data", dir, "-gateway", source.URL)
	if err != nil {
		return err
	}
	defer func() { _ = server.Stop() }()
	conversation, err := seed(ctx, server.URL)
	if err != nil {
		return fmt.Errorf("seed a conversation: %w", err)
	}

	b, err := rig.OpenMeasured()
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	tab, err := keyedTab(b, server.URL)
	if err != nil {
		return err
	}
	if err := openSeeded(tab, server.URL, conversation); err != nil {
		return err
	}

	newest := `[...document.querySelectorAll('.message[data-role="assistant"]')].at(-1).dataset.id`
	var before string
	if err := tab.Eval(&before, newest); err != nil {
		return err
	}
	for _, do := range []func() error{
		func() error { return tab.Eval(nil, meter) },
		func() error { return tab.Eval(nil, `document.querySelector("#jump")?.click()`) },
		func() error { return tab.Click("#composer") },
		func() error { return tab.Type(longTopic + "\r") },
		func() error { return tab.Wait(fmt.Sprintf("%s !== %q", newest, before)) },
		func() error {
			return tab.Eval(nil, "window.benchMeter.start = performance.now()")
		},
		func() error { return tab.Wait(`!document.querySelector("#stop")?.checkVisibility()`) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return printMeter(tab, fmt.Sprintf("Streaming in Chromium: %d deltas of Markdown at %d a second, after %d messages", deltas, deltaRate, 2*seedTurns))
}

// seed makes a conversation of 300 short messages through the server itself.
func seed(ctx context.Context, base string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	client, err := wiretest.Dial(ctx, base, wiretest.NewHTTP())
	if err != nil {
		return "", err
	}
	defer client.Close()
	if err := client.SetKey(ctx, key); err != nil {
		return "", err
	}
	conversation, parent := uuid.NewString(), ""
	for n := range seedTurns {
		prompt := fmt.Sprintf("question %d", n)
		if err := turn(ctx, client, conversation, parent, firstChatModel(), prompt, func([]byte) {}); err != nil {
			return "", err
		}
		var opened wire.Opened
		if err := client.Call(ctx, wire.OpOpen, wire.Page{Conversation: conversation, Limit: 1}, &opened); err != nil {
			return "", err
		}
		parent = opened.Messages[len(opened.Messages)-1].ID
	}
	return conversation, nil
}

// keyedTab opens a tab whose session has the key, and which reports none of its
// traffic.
func keyedTab(b *rig.Browser, base string) (*rig.Tab, error) {
	profile, err := b.Profile()
	if err != nil {
		return nil, err
	}
	tab, err := profile.Tab()
	if err != nil {
		return nil, err
	}
	if err := tab.Quiet(); err != nil {
		return nil, err
	}
	return tab, enterKey(tab, base)
}

// enterKey gives the tab's session the key.
func enterKey(tab *rig.Tab, base string) error {
	if err := tab.Open(base + "/"); err != nil {
		return err
	}
	var status int
	err := tab.Eval(&status, fmt.Sprintf(`fetch("/api/key", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({key: %q})}).then(r => r.status)`, key))
	if err != nil {
		return err
	}
	if status != 204 {
		return fmt.Errorf("POST /api/key: %d", status)
	}
	return nil
}

// openSeeded shows the conversation.
func openSeeded(tab *rig.Tab, base, conversation string) error {
	if err := tab.Open(base + "/c/" + conversation); err != nil {
		return err
	}
	if err := tab.Wait(`document.querySelectorAll(".message").length > 0`); err != nil {
		return err
	}
	// Its outline is fetched by itself.
	return tab.Wait(`!document.querySelector("#earlier")`)
}

func printMeter(tab *rig.Tab, heading string) error {
	var drawn struct {
		Messages int    `json:"messages"`
		Chars    int    `json:"chars"`
		State    string `json:"state"`
	}
	err := tab.Eval(&drawn, `(() => {
		const all = [...document.querySelectorAll(".message")], last = all.at(-1);
		return {messages: all.length, chars: last.querySelector(".body").textContent.length,
			state: last.querySelector(".state").textContent};
	})()`)
	if err != nil {
		return err
	}
	seconds, err := printFrames(tab, heading)
	if err != nil {
		return err
	}
	fmt.Printf("%-46s %.1f s, %d characters, %d messages in the page, %q\n", "the answer", seconds, drawn.Chars, drawn.Messages, drawn.State)
	return nil
}

// printFrames prints what the meter has seen since its start.
func printFrames(tab *rig.Tab, heading string) (seconds float64, err error) {
	var m struct {
		Start  float64      `json:"start"`
		Frames []float64    `json:"frames"`
		Tasks  [][2]float64 `json:"tasks"`
	}
	if err := tab.Eval(&m, "window.benchMeter"); err != nil {
		return 0, err
	}
	frames := slices.DeleteFunc(m.Frames, func(t float64) bool { return t < m.Start })
	if len(frames) < 2 {
		return 0, fmt.Errorf("only %d frames were drawn", len(frames))
	}
	seconds = (frames[len(frames)-1] - frames[0]) / 1000
	var gaps []time.Duration
	for i := range frames[1:] {
		gaps = append(gaps, time.Duration((frames[i+1]-frames[i])*1e6))
	}
	longest, long := 0.0, 0
	for _, t := range m.Tasks {
		if t[0] >= m.Start {
			long++
			longest = max(longest, t[1])
		}
	}
	fmt.Printf("\n## %s\n", heading)
	fmt.Printf("%-46s %12.1f  aim 60\n", "frames a second", float64(len(frames)-1)/seconds)
	fmt.Printf("%-46s %12.1f\n", "frame gap p99, ms", float64(quantile(gaps, 0.99).Microseconds())/1000)
	task := "none of 50 or more"
	if long > 0 {
		task = fmt.Sprintf("%.0f (%d of 50 or more)", longest, long)
	}
	fmt.Printf("%-46s %s  aim under 50\n", "longest task, ms", task)
	return seconds, nil
}
