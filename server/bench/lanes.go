package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"screentest/server/e2e/rig"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// What each of the lanes streams.
const (
	laneRate  = 500  // deltas a second
	laneWords = 5000 // of Markdown, in as many deltas
)

// comparison measures the page while as many lanes as there can be stream at once.
func comparison(ctx context.Context, bin string) error {
	dir, err := os.MkdirTemp("", "screentest-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sandbox, err := rig.Start(ctx, bin, nil, "sandbox", "-addr", "127.0.0.1:0", "-key", key, "-tokens-per-second", strconv.Itoa(laneRate))
	if err != nil {
		return err
	}
	defer func() { _ = sandbox.Stop() }()
	models := filepath.Join(dir, "models.json") // this gateway lists none
	if err := os.WriteFile(models, gateway.SampleCatalogue().JSON(), 0o600); err != nil {
		return err
	}
	server, err := rig.Start(ctx, bin, nil, "serve", "-addr", "127.0.0.1:0", "-data", filepath.Join(dir, "data"), "-gateway", sandbox.URL, "-catalog", models)
	if err != nil {
		return err
	}
	defer func() { _ = server.Stop() }()
	b, err := rig.OpenMeasured()
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	tab, err := keyedTab(b, server.URL)
	if err != nil {
		return err
	}
	if err := tab.Open(server.URL + "/"); err != nil {
		return err
	}
	if err := tab.Wait(`!document.getElementById("app-wasm-loader") && !!document.querySelector("#app[data-view] #gateway")`); err != nil {
		return err
	}
	for n := 2; n <= wire.MaxLanes; n++ {
		if err := tab.Click("#add-lane"); err != nil {
			return err
		}
		if err := tab.Wait(`document.activeElement?.matches("#picker[open] #picker-search")`); err != nil {
			return err
		}
		if err := tab.Type("\r"); err != nil {
			return err
		}
		if err := tab.Wait(fmt.Sprintf(`document.querySelectorAll(".lane").length === %d && !document.querySelector("#picker").open`, n)); err != nil {
			return err
		}
	}
	for _, do := range []func() error{
		func() error { return tab.Eval(nil, meter) },
		func() error { return tab.Click("#composer") },
		func() error { return tab.Type(fmt.Sprintf("[[markdown]] [[repeat: %d]]\r", laneWords)) },
		func() error {
			return tab.Wait(`document.querySelectorAll('.message[data-state="running"]').length > 0`)
		},
		func() error { return tab.Eval(nil, "window.benchMeter.start = performance.now()") },
		func() error { return tab.Wait(`!document.querySelector('.message[data-state="running"]')`) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return printMeter(tab, fmt.Sprintf("Comparing in Chromium: %d lanes at %d deltas a second each", wire.MaxLanes, laneRate))
}
