package e2e

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"screentest/server/e2e/rig"
	"screentest/server/wiretest"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// account is what the sandbox says that it charged, in nano-dollars.
func account(t *testing.T, sandbox *rig.Program) int64 {
	t.Helper()
	res := ask(t, sandbox, http.MethodGet, "/sandbox/account", "")
	var a struct {
		Charged  int64 `json:"charged_nano_usd"`
		Returned int64 `json:"returned_nano_usd"`
	}
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a.Charged - a.Returned
}

// downloaded fetches a file with the page's own session and returns its text.
func (p *page) downloaded(selector string) string {
	p.w.t.Helper()
	return p.text(`fetch(document.querySelector(` + strconv.Quote(selector) + `).href).then(r => r.text())`)
}

// A person sends a few messages and wants to know what they cost.
func TestSpendPageTellsWhatWasSpent(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	w.allow = append(w.allow, "Back-Forward Cache") // Chromium cuts the socket of a page that it keeps
	p := w.keyed("/")
	p.choose(textFamilies[1].model) // which tells its usage
	for _, prompt := range []string{"One [[repeat: 20]]", "Two [[repeat: 30]]"} {
		p.send(prompt)
		p.settled()
	}
	conversation := p.path()

	p.click(`.rail-item[href="/spend"]`)
	p.wait(`document.querySelectorAll("#ledger tbody tr").length === 2`)
	today := func() string { return p.text(`document.querySelector("#tile-today .total-figure")?.title ?? ""`) }
	// The sandbox books after its last word.
	if !soon(func() bool { return today() == money.NanoUSD(account(t, sandbox)).String() }) {
		t.Fatalf("today is %q, the gateway's account %v", today(), money.NanoUSD(account(t, sandbox)))
	}

	// The same in the table, in the file, and in the bar of today.
	rows, err := csv.NewReader(strings.NewReader(p.downloaded("#ledger-csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 {
		t.Errorf("the file has %d lines:\n%v", len(rows), rows)
	}
	if bar := p.text(`document.querySelector(".chart-bars > :last-child").ariaLabel`); !strings.Contains(bar, "text $") {
		t.Errorf("the bar of today says %q", bar)
	}
	p.click("#chart-table summary")
	if day := p.text(`document.querySelector("#chart-table tbody tr").textContent`); !strings.Contains(day, "$") {
		t.Errorf("the table of days says %q", day)
	}

	// What a bar says is read over the bars, by mouse and by keyboard.
	const said = `document.querySelector("#chart-said").textContent`
	p.wait(said + `.startsWith("Most on ")`)
	p.must(p.tab.Hover(".chart-bar:nth-last-child(3)"))
	p.wait(said + ` === document.querySelector(".chart-bar:nth-last-child(3)").ariaLabel`)
	p.must(p.tab.Hover("#headline-name"))
	p.wait(said + `.startsWith("Most on ")`)

	// By keyboard from bar to bar, and from a bar to its entries.
	p.must(p.tab.Eval(nil, `document.querySelector('.chart-bar[tabindex="0"]').focus()`))
	p.keys(kb.ArrowLeft)
	p.wait(`document.activeElement.matches(".chart-bar:nth-last-child(2)")`)
	p.wait(said + ` === document.activeElement.ariaLabel`)
	p.keys("\r")
	p.wait(`location.search.includes("day=") && document.querySelector("#ledger .ledger-empty")?.textContent.startsWith("No entries match")`)
	p.must(p.tab.Back())
	p.wait(`document.querySelectorAll("#ledger tbody tr").length === 2`)

	// What the gateway's own account says is booked as an entry of its own.
	p.click("#ledger tbody tr:last-child .act button")
	p.wait(`document.activeElement.id === "fix-cost"`)
	p.keys("\x1b")
	p.wait(`!document.querySelector("#fix") && document.activeElement.matches("#ledger tbody tr:last-child .act button")`)
	p.keys("\r")
	p.wait(`document.activeElement.id === "fix-cost"`)
	p.keys("0.25x\r")
	p.wait(`document.querySelector("#fix-cost-wrong:not([hidden])")?.textContent.includes("number")`)
	p.keys(kb.Backspace + "\r")
	p.wait(`!document.querySelector("#fix") && document.querySelectorAll('#ledger tbody tr').length === 3`)
	p.wait(`document.activeElement.matches("#ledger tbody tr:last-child .act button")`)
	if row := p.text(`document.querySelector('#ledger tbody tr[data-kind="correction"]').textContent`); !strings.Contains(row, "$0.25 by the gateway's own account") {
		t.Errorf("the correction says %q", row)
	}
	p.wait(`document.querySelector("#tile-today .total-figure").textContent.startsWith("$0.25")`)

	// Days of the past alone: the tiles still tell of today.
	p.open("/spend?range=custom&from=2026-01-01&to=2026-01-31")
	p.wait(`document.querySelector("#ledger .ledger-empty")?.textContent.startsWith("Nothing was spent in these days")`)
	p.wait(`document.querySelector("#tile-today .total-figure").textContent.startsWith("$0.25")`)
	p.must(p.tab.Back())
	p.wait(`document.querySelectorAll("#ledger tbody tr").length === 3`)

	// One person alone isn't asked whose spend is meant.
	if said := p.text(`document.querySelector("main").textContent`); strings.Contains(said, "Everybody") {
		t.Errorf("one person alone is told of everybody: %s", said)
	}

	// And from an entry to its answer, which is shown there.
	p.click("#ledger tbody tr:last-child a")
	p.wait(`location.pathname === ` + strconv.Quote(conversation) + ` && location.search.startsWith("?m=")`)
	p.wait(`document.querySelector('.message[data-id="' + new URLSearchParams(location.search).get("m") + '"]')?.dataset.role === "assistant"`)
}

// The headline tells the days against those before, and the ledger is searched,
// sorted and read to the nano-dollar; all of it stands in the address.
func TestTheLedgerIsSearchedAndSorted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, startSandbox(t).URL)
	w.allow = append(w.allow, "Back-Forward Cache")
	p := w.keyed("/")
	p.choose(textFamilies[1].model)
	for _, prompt := range []string{"Lighthouses [[repeat: 300]]", "Boats [[repeat: 20]]"} {
		p.open("/")
		p.send(prompt)
		p.settled()
	}
	p.click(`.rail-item[href="/spend"]`)
	const titles = `[...document.querySelectorAll("#ledger tbody .what a")].map(a => a.textContent.split(" ")[0]).join()`
	p.wait(titles + ` === "Boats,Lighthouses"`)
	p.wait(`document.querySelector("#headline").textContent.includes("Nothing in the 30 days before")`)
	p.wait(`/ comes to about \$/.test(document.querySelector("#headline").textContent) || new Date(Date.now() + 864e5).getDate() === 1`)
	p.wait(`document.querySelector("#spend-budgets").textContent.includes("No budget is set")`)

	p.must(p.tab.Eval(nil, `(e => { e.value = "dearest"; e.dispatchEvent(new Event("change", {bubbles: true})) })(document.querySelector("#ledger-sort"))`))
	p.wait(`location.search === "?sort=dearest" && ` + titles + ` === "Lighthouses,Boats"`)
	p.click("#ledger-search")
	p.keys("boat")
	p.wait(`location.search === "?q=boat&sort=dearest" && ` + titles + ` === "Boats"`)
	// Points are one under the other, and the exact amounts come at a press.
	const amount = `document.querySelector("#ledger tbody td.num").firstChild.textContent`
	short := p.text(amount)
	p.click(`label[for="ledger-exact"]`)
	p.wait(`location.search.includes("exact=1") && ` + amount + `.length > ` + strconv.Itoa(len(short)))
	p.reload()
	p.wait(titles + ` === "Boats" && document.querySelector("#ledger-exact").checked && document.querySelector("#ledger-search").value === "boat"`)
	p.must(p.tab.Eval(nil, `document.querySelector("#ledger-search").select()`))
	p.keys("nobody asked that")
	p.wait(`document.querySelector("#ledger .ledger-empty")?.textContent.startsWith("No entries match")`)
	p.click("#ledger .ledger-empty a")
	p.wait(titles + ` === "Lighthouses,Boats" && document.querySelector("#ledger-search").value === ""`)
	edges := `[...document.querySelectorAll("#ledger tbody td.num")].map(td => { const r = document.createRange(); r.setStart(td.firstChild, 0); r.setEnd(td.firstChild, td.firstChild.data.indexOf(".")); return Math.round(r.getBoundingClientRect().right) })`
	p.wait(`new Set(` + edges + `).size === 1`)
}

// setBudget sets the budget of a day in the settings.
func (p *page) setBudget(day string) {
	p.w.t.Helper()
	p.wait(`document.querySelector("#budget-save") && !document.querySelector("#budget-save").disabled`)
	p.must(p.tab.Eval(nil, `document.querySelector("#budget-day").select()`))
	p.click("#budget-day")
	p.must(p.tab.Eval(nil, `document.querySelector("#budget-day").select()`))
	p.keys(day)
	p.click("#budget-save")
	p.wait(`document.querySelector("#budgets .outcome.good")?.textContent.includes("saved")`)
}

func TestBudgetStopsASendAndSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/settings#budgets")
	p.wait(`document.querySelector("#budgets")?.getBoundingClientRect().top < innerHeight / 4`)
	p.wait(`document.querySelector("#budget-save") && !document.querySelector("#budget-save").disabled`)
	p.click("#budget-day")
	p.keys("0.0000001x")
	p.click("#budget-save")
	p.wait(`document.querySelector("#budget-day-wrong:not([hidden])")?.textContent.includes("number")`)
	p.wait(`document.activeElement.matches("#budget-day")`)
	p.keys(kb.Backspace)
	p.wait(`document.querySelector("#budget-day-wrong").hidden`)
	p.click("#budget-save")
	p.wait(`document.querySelector("#budgets .outcome.good")?.textContent.includes("saved")`)

	// In a new conversation, and in an old one: what was written is there with
	// the reason, after a reload too.
	p.open("/")
	for turn, text := range []string{"This costs too much", "This does too"} {
		p.send(text)
		if turn == 0 {
			p.wait(`location.pathname.startsWith("/c/")`)
		}
		for _, when := range []string{"at once", "after a reload"} {
			refused := `[...document.querySelectorAll(".message[data-role=assistant] .problem")]`
			p.wait(refused + `.length === ` + strconv.Itoa(turn+1))
			said := p.text(refused + `.at(-1).textContent`)
			for _, part := range []string{"budget", "$0.0000001", "Nothing was sent", "in the settings, under Budgets"} {
				if !strings.Contains(said, part) {
					t.Errorf("%s: the refusal lacks %q: %s", when, part, said)
				}
			}
			if asked := p.text(`[...document.querySelectorAll(".message[data-role=user] .body")].at(-1)?.textContent ?? ""`); asked != text {
				t.Errorf("%s: of %q there is %q", when, text, asked)
			}
			if told := p.text(`document.querySelector(".toasts").textContent`); strings.Contains(told, "didn’t reach") {
				t.Errorf("%s: %q", when, told)
			}
			if when == "at once" {
				p.reload()
			}
		}
	}
	conversation := p.path()

	// The refusal leads to where budgets are set; with more room the same
	// message is asked again.
	p.click(".problem .remedy")
	p.wait(`location.pathname + location.hash === "/settings#budgets"`)
	p.setBudget("5")
	p.open(conversation)
	p.wait(`document.querySelectorAll(".problem").length === 2`)
	p.retry()
	if state := p.settled(); state != "done" {
		t.Errorf("with room again: %s", state)
	}
}

// A budget that passes its warning is told to a web hook that was set, tried and
// read in the settings.
func TestABudgetIsToldByWebHook(t *testing.T) {
	t.Parallel()
	heard := make(chan wire.HookCall, 4)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c wire.HookCall
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Error(err)
		}
		heard <- c
	}))
	defer hook.Close()
	w := newWorld(t, startSandbox(t).URL)
	told := func(event string) (c wire.HookCall) {
		t.Helper()
		select {
		case c = <-heard:
		case <-time.After(time.Minute):
		}
		if c.Event != event {
			t.Fatalf("told %+v, want %s", c, event)
		}
		return c
	}
	p := w.keyed("/settings/budgets")
	p.wait(`document.querySelector("#budget-save") && !document.querySelector("#budget-save").disabled`)
	p.must(p.tab.Eval(nil, `document.querySelector("#budget-max-output").select()`)) // or it would not let the answer begin
	p.keys("100")
	p.setBudget("0.002")
	p.click("#hook-url")
	p.keys("nowhere\r")
	p.wait(`document.querySelector("#hook-url-wrong")?.textContent.includes("isn't a web address") && document.activeElement.id === "hook-url"`)
	p.must(p.tab.Eval(nil, `document.querySelector("#hook-url").select()`))
	p.keys(hook.URL + "/services/secret\r")
	p.wait(`document.querySelector("#hook-now code")?.textContent === ` + strconv.Quote(strings.TrimPrefix(hook.URL, "http://")))
	p.click("#hook-try")
	p.wait(`document.querySelector("#hook-last").textContent.includes("It took it")`)
	told(wire.HookTest)
	p.reload()
	p.wait(`!!document.querySelector("#hook-now")`)
	if page := p.text(`document.body.innerHTML`); strings.Contains(page, "secret") {
		t.Error("the page is told the address that was set")
	}
	newAlbum(p).add("web-hook")
	p.open("/")
	p.choose(textFamilies[1].model)
	p.send("How does back-pressure keep a stream honest? [[repeat: 180]]")
	p.settled()
	if c := told(wire.HookBudget); !strings.Contains(c.Text, "of your daily budget is spent") || c.Budget.LimitNanoUSD != 2_000_000 {
		t.Errorf("told %+v", c)
	}
	p.open("/settings/budgets")
	p.click("#hook-remove")
	p.wait(`!document.querySelector("#hook-now") && document.querySelector("#hook-form .outcome.good")?.textContent.includes("removed")`)
}

// Whatever the machine says of its own time zone, budgets and the ledger go by
// the zone that is asked for.
func TestAnOddTimeZoneOfTheMachine(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{":/no/such/zone", "Mars/Olympus", ""} {
		server, err := rig.Start(t.Context(), bin, []string{"TZ=" + zone, "ZONEINFO=/no/such/folder"}, "serve", "-addr", "127.0.0.1:0", "-data", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		c, err := wiretest.Dial(t.Context(), server.URL, wiretest.NewHTTP())
		if err != nil {
			t.Fatal(err)
		}
		var b wire.Budgets
		if err := c.Call(t.Context(), wire.OpSetBudget, wire.BudgetSettings{DayNanoUSD: 1, Zone: "Asia/Kathmandu"}, &b); err != nil {
			t.Fatalf("TZ=%s: %v", zone, err)
		}
		if s := b.States[0]; s.Zone != "Asia/Kathmandu" || s.FromMS%(24*3600_000) != (24*60-345)*60_000 {
			t.Errorf("TZ=%s: %+v", zone, s)
		}
		res, err := http.Get(server.URL + wire.LedgerCSV + "?zone=Asia/Kathmandu")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("TZ=%s: the ledger: %s", zone, res.Status)
		}
		c.Close()
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// A budget of which 92 % are used says so in words, where money is spent and on
// Spend, when it happens and after a reload; days of another zone are named.
func TestANearlySpentBudgetIsSaidInWords(t *testing.T) {
	t.Parallel()
	const elsewhere = "Pacific/Kiritimati"
	w := newWorld(t, "")
	p := w.tab("/")
	m := w.makes()
	ask := func() {
		p.click("#new-conversation")
		p.wait(`location.pathname === "/"`)
		p.send("[[repeat: 110]] the same")
		p.settled()
	}
	ask()
	settings := wire.BudgetSettings{MonthNanoUSD: wire.MaxBudgetNanoUSD, Zone: elsewhere, MaxOutput: 10}
	budgets := func() (b wire.Budgets) {
		t.Helper()
		p.must(m.c.Call(t.Context(), wire.OpSetBudget, settings, &b))
		return b
	}
	var once int64
	if !soon(func() bool { once = budgets().States[0].SpentNanoUSD; return once > 0 }) {
		t.Fatal("nothing is booked")
	}
	settings.MonthNanoUSD = 2 * once * 100 / 92
	budgets()
	p.wait(`!document.querySelector(".budget-note:not([hidden])")`)

	ask()
	const words = `/^92.% of your monthly budget is used: \$[\d.]+ of \$[\d.]+\. It resets on .* at \d\d:\d\d, midnight in Pacific\/Kiritimati\.$/`
	p.wait(words + `.test(document.querySelector("#notice")?.textContent)`)
	for _, when := range []string{"at once", "after a reload"} {
		p.wait(words + `.test(document.querySelector(".composer .budget-note:not([hidden]) span")?.textContent.trim())`)
		p.wait(`[...document.querySelectorAll(".rail .rail-item")].some(e => e.pathname === "/spend" && /92.%/.test(e.textContent))`)
		if title := p.text(`document.title`); strings.HasPrefix(title, "(") {
			t.Errorf("%s: the title counts something: %q", when, title)
		}
		if when == "at once" {
			p.reload()
		}
	}
	p.open("/video")
	p.wait(words + `.test(document.querySelector("#video-form .budget-note:not([hidden]) span, .form-foot .budget-note:not([hidden]) span")?.textContent.trim())`)

	p.open("/spend")
	p.wait(words + `.test(document.querySelector("#spend-warning p")?.textContent)`)
	own := p.text(`Intl.DateTimeFormat().resolvedOptions().timeZone`)
	p.wait(`document.querySelector("#headline-name").textContent === ` + strconv.Quote("The last 30 days, "+own))
	p.wait(`document.querySelector("#spend-budgets .share").textContent.includes("by the months of Pacific/Kiritimati, 92")`)
	newAlbum(p).add("budget")

	// One press, and both go by the same days.
	p.click("#spend-warning a")
	p.wait(`document.querySelector("#budget-zone")?.value === "Pacific/Kiritimati"`)
	newAlbum(p).add("budget-settings")
	p.click("#budget-zone-own")
	p.wait(`document.querySelector("#budget-zone").value === ` + strconv.Quote(own))
	p.click("#budget-save")
	p.wait(`document.querySelector("#budgets .outcome.good")?.textContent.includes("saved")`)
	p.open("/spend")
	p.wait(`document.querySelector("#headline-name")?.textContent === "The last 30 days"`)
	p.open("/")
	p.wait(`!!document.querySelector(".budget-note:not([hidden])")`)
	newAlbum(p).add("budget-chat")
}
