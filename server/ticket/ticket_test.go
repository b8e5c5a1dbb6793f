package ticket

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A ticket is taken in the browser that has it, unchanged, in time, and leads
// somewhere once.
func TestTickets(t *testing.T) {
	now := time.Now()
	make := func(name string) *Tickets[string] {
		return New[string](Config{Name: name, Secure: true, SameSite: http.SameSiteStrictMode, Lasts: time.Minute, Now: func() time.Time { return now }})
	}
	ours := make("ticket")
	give := func() *http.Cookie {
		rec := httptest.NewRecorder()
		if err := ours.Give(rec, "canary"); err != nil {
			t.Fatal(err)
		}
		c := rec.Result().Cookies()[0]
		if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.MaxAge != 60 || strings.Contains(c.Value, "canary") {
			t.Errorf("%+v", c)
		}
		return c
	}
	take := func(of *Tickets[string], c *http.Cookie) (Ticket[string], error) {
		r := httptest.NewRequest("GET", "/", nil)
		if c != nil {
			r.AddCookie(c)
		}
		rec := httptest.NewRecorder()
		got, err := of.Take(rec, r)
		if c != nil && rec.Result().Cookies()[0].MaxAge >= 0 {
			t.Error("the browser keeps it")
		}
		return got, err
	}

	c := give()
	first, err := take(ours, c)
	if err != nil || first.Of != "canary" {
		t.Fatalf("%+v, %v", first, err)
	}
	if err := ours.Use(t.Context(), first); err != nil {
		t.Error(err)
	}
	if again, err := take(ours, c); err != nil || !errors.Is(ours.Use(t.Context(), again), ErrUsed) {
		t.Errorf("the same again: %v", err)
	}
	if err := ours.Failed(t.Context(), first); err != nil {
		t.Error(err)
	}
	if err := ours.Use(t.Context(), first); err != nil {
		t.Errorf("after it led nowhere: %v", err)
	}

	changed := *c
	changed.Value = changed.Value[:len(changed.Value)-2] + "xx"
	for name, test := range map[string]struct {
		of *Tickets[string]
		c  *http.Cookie
	}{
		"none": {ours, nil}, "changed": {ours, &changed}, "of another process": {make("ticket"), c},
	} {
		if got, err := take(test.of, test.c); !errors.Is(err, ErrNone) || got.Of != "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	now = now.Add(time.Minute)
	if got, err := take(ours, c); !errors.Is(err, ErrExpired) || got.Of != "" {
		t.Errorf("too late: %+v, %v", got, err)
	}
	if err := ours.Use(t.Context(), Ticket[string]{ID: "another", Expires: now.Add(time.Minute)}); err != nil || len(ours.used) != 1 {
		t.Errorf("%d are still noted, %v", len(ours.used), err)
	}
}
