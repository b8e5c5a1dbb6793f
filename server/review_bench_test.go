package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/account"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// benched is a team's server whose admin looks at a review.
type benched struct {
	*server
	http         *http.Client
	tab          *wiretest.Client
	owner        string
	clip, review string
}

func newBench(b *testing.B) *benched {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	s, err := start(b.Context(), asTeam(serveConfig{addr: "127.0.0.1:0", data: b.TempDir(), sandboxSpeed: 20, signIn: signInConfig{password: true, groupsClaim: defaultGroupsClaim}}), slog.New(slog.DiscardHandler))
	must(err)
	b.Cleanup(func() { must(s.close()) })
	ctx := b.Context()
	must(s.store.MakeLink(ctx, "setup", "", "test", account.Hash("setup"), time.Hour))
	owner, err := s.store.SetUp(ctx, account.Hash("setup"), "admin", "admin@example.com", "")
	must(err)
	must(s.people.Changed(ctx))
	answer := httptest.NewRecorder()
	_, err = s.people.SignInAs(answer, httptest.NewRequest("POST", s.url+"/api/signin", nil), owner, account.ByPassword)
	must(err)
	w := &benched{server: s, http: wiretest.NewHTTP(), owner: owner}
	u, err := url.Parse(s.url)
	must(err)
	w.http.Jar.SetCookies(u, answer.Result().Cookies())
	w.tab = w.dial(b)
	clip := clipRequest("a fox")
	w.clip = clip.ID
	must(w.tab.Call(ctx, wire.OpVideoCreate, clip, nil))
	var r wire.Review
	must(w.tab.Call(ctx, wire.OpLook, wire.Look{Clip: clip.ID}, &r))
	w.review = r.ID
	return w
}

func (w *benched) dial(b *testing.B) *wiretest.Client {
	b.Helper()
	c, err := wiretest.Dial(b.Context(), w.url, w.http)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	return c
}

// BenchmarkFiftyLookers is how long it takes until fifty tabs have been told of a
// comment, from the call on.
func BenchmarkFiftyLookers(b *testing.B) {
	w := newBench(b)
	const lookers = 50
	tabs := make([]*wiretest.Client, lookers)
	for i := range tabs {
		tabs[i] = w.dial(b)
		if err := tabs[i].Call(b.Context(), wire.OpLook, wire.Look{Clip: w.clip}, nil); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		id := uuid.NewString()
		var all sync.WaitGroup
		for _, tab := range tabs {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(b.Context(), 10*time.Second)
				defer cancel()
				if _, err := wiretest.News(ctx, tab, wire.EventComment, func(c wire.Comment) bool { return c.ID == id }); err != nil {
					b.Error(err)
				}
			})
		}
		if err := w.tab.Call(b.Context(), wire.OpComment, wire.Comment{ID: id, Review: w.review, Version: 1, Text: "x"}, nil); err != nil {
			b.Fatal(err)
		}
		all.Wait()
	}
}

// BenchmarkClipWatchers is how long a piece of a clip takes to those who watch it by
// a link, each from an address of their own and 20 pieces of 20 000 bytes a second (3.2
// Mbit/s), and what of a processor all use, those who watch included.
func BenchmarkClipWatchers(b *testing.B) {
	const pieces, every, size = 80, 50 * time.Millisecond, 20_000
	w := newBench(b)
	p := w.people.Policies()
	p.LinkShares = true
	if err := w.people.SetPolicies(b.Context(), p); err != nil {
		b.Fatal(err)
	}
	_, token, err := w.shares.Make(b.Context(), w.owner, w.owner, wire.NewShare{Kind: wire.ShareClip, ID: w.clip, Audience: wire.ShareByLink})
	if err != nil {
		b.Fatal(err)
	}
	w.archived(b)
	for _, watchers := range []int{1, 50} {
		b.Run(fmt.Sprint(watchers), func(b *testing.B) {
			for b.Loop() {
				var wg sync.WaitGroup
				var mu sync.Mutex
				var took []time.Duration
				begun, before := time.Now(), cpuSeconds()
				for i := range watchers {
					from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(i+1))}}
					browser := &http.Client{Transport: &http.Transport{DialContext: from.DialContext}}
					defer browser.CloseIdleConnections()
					wg.Go(func() {
						time.Sleep(every * time.Duration(i) / time.Duration(watchers))
						tick := time.NewTicker(every)
						defer tick.Stop()
						for range pieces {
							asked := time.Now()
							if err := piece(browser, w.url+"/s/"+token+"/media/0/0", size); err != nil {
								b.Error(err)
								return
							}
							mu.Lock()
							took = append(took, time.Since(asked))
							mu.Unlock()
							<-tick.C
						}
					})
				}
				wg.Wait()
				if len(took) == 0 {
					b.Fatal("nobody saw a piece")
				}
				used := cpuSeconds() - before
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
				b.ReportMetric(100*used/time.Since(begun).Seconds(), "%cpu")
			}
		})
	}
}

// piece reads the first so many bytes of a file.
func piece(browser *http.Client, at string, size int) error {
	req, err := http.NewRequest("GET", at, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=0-%d", size-1))
	res, err := browser.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err == nil && (res.StatusCode != http.StatusPartialContent || n != int64(size)) {
		err = fmt.Errorf("%s, %d bytes", res.Status, n)
	}
	return err
}

// archived waits until the clip's file is here.
func (w *benched) archived(b *testing.B) {
	b.Helper()
	for {
		var opened wire.VideoOpened
		if err := w.tab.Call(b.Context(), wire.OpVideoTask, wire.Target{ID: w.clip}, &opened); err != nil {
			b.Fatal(err)
		}
		if saved(opened.Task) {
			return
		}
		if err := w.tab.Call(b.Context(), wire.OpVideoCheck, wire.Target{ID: w.clip}, nil); err != nil {
			b.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
