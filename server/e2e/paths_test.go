package e2e

import (
	"testing"
	"time"
)

// newcomer counts what somebody does who sees the program for the first time.
type newcomer struct {
	*page
	clicks int
	began  time.Time
}

func (n *newcomer) click(selector string) {
	n.w.t.Helper()
	n.clicks++
	n.page.click(selector)
}

// arrives says how many clicks a way took; the time is told and asserted nowhere.
func (n *newcomer) arrives(way string, most int) {
	n.w.t.Helper()
	n.w.t.Logf("%s: %d clicks, %.1f s", way, n.clicks, time.Since(n.began).Seconds())
	if n.clicks > most {
		n.w.t.Errorf("%s takes %d clicks, more than %d", way, n.clicks, most)
	}
}

// The three ways on which somebody decides whether to stay: to the first answer, to
// the first clip, and to the first answer of a gateway of their own. Each begins with
// the address of a program that was just started.
func TestTheFirstFiveMinutes(t *testing.T) {
	t.Parallel()
	begins := func(w *world) *newcomer {
		n := &newcomer{began: time.Now()}
		n.page = w.tab("/")
		return n
	}
	t.Run("answer", func(t *testing.T) {
		t.Parallel()
		n := begins(newWorld(t, ""))
		n.wait(`document.activeElement?.id === "composer"`)
		n.keys("What can you do?\r")
		n.wait(`!!` + last)
		if state := n.settled(); state != "done" {
			t.Errorf("the answer is %s: %s", state, n.problem())
		}
		n.arrives("first answer", 0)
	})
	t.Run("clip", func(t *testing.T) {
		t.Parallel()
		n := begins(newWorldWith(t, "", fastClips...))
		n.click(`.rail a[href="/video"]`)
		n.wait(`!!document.querySelector("#f-prompt")`)
		n.click("#f-prompt")
		n.keys("A gull over the sea")
		n.click("#create")
		n.wait(`document.querySelector(".tile")?.dataset.state === "done"`)
		n.click(".tile .tile-link")
		n.wait(`document.querySelector("#player")?.readyState >= 2`)
		n.arrives("first clip", 4)
	})
	t.Run("gateway", func(t *testing.T) {
		t.Parallel()
		own := startSandbox(t)
		n := begins(newWorld(t, ""))
		n.click("#connect-yours a")
		n.click("#gateway-address")
		n.keys(own.URL + "\t" + sandboxKey + "\r")
		n.says("#gateway-found", "Connected to "+own.URL)
		n.click("#gateway-begin")
		n.wait(`location.pathname === "/" && document.activeElement?.id === "composer"`)
		n.keys("Hello\r") // it lists no models, so one is asked for
		n.wait(`document.activeElement?.matches("#picker[open] #picker-search")`)
		n.keys("zeta-1\r")
		n.wait(`document.activeElement?.id === "composer"`)
		n.keys("\r")
		n.wait(`!!` + last)
		if state := n.settled(); state != "done" {
			t.Errorf("the answer is %s: %s", state, n.problem())
		}
		n.arrives("first answer of one's own gateway", 3)
	})
}
