package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"screentest/server/heard"
)

// heardOn is the channel on which the database's triggers tell what was changed.
const heardOn = "screentest"

// openEar prepares to hear what other replicas change; nothing where the database is
// a file, which is this process's alone.
func (s *server) openEar() {
	db := s.store.Engine().Postgres
	if db == nil {
		return
	}
	s.ear = heard.New(heard.Config{
		Source: db, Channel: heardOn, All: s.readAll, Some: s.readSome, AtOnce: s.hearAtOnce, Check: s.checkAll, Logger: s.log,
	})
}

// hearWithin is how long a start waits for what others tell.
const hearWithin = 5 * time.Second

// startEar begins to listen, once everything is there that reads again. Nobody is served
// before, so that no tab misses what is told.
func (s *server) startEar(ctx context.Context) {
	if s.ear == nil {
		return
	}
	s.ear.Start()
	s.onClose(func(context.Context) error { s.ear.Close(); return nil })
	select {
	case <-s.ear.First():
	case <-ctx.Done():
	case <-time.After(hearWithin):
		s.log.Warn("what other replicas change is not heard yet")
	}
}

// hearAtOnce is for what waits for no reading: that a session has ended, or has another
// id.
func (s *server) hearAtOnce(told string) bool {
	sums, browser := strings.CutPrefix(told, "browser ")
	if browser {
		was, now, _ := strings.Cut(sums, " ")
		s.bff.SessionMoved(was, now)
	}
	return browser || s.people.ToldAtOnce(told)
}

// readSome reads again what was told of: each is a word, and an id.
func (s *server) readSome(ctx context.Context, told []string) error {
	rest, err := s.people.Told(ctx, told)
	errs := []error{err}
	models, shares := false, false
	for _, t := range rest {
		switch what, id, _ := strings.Cut(t, " "); what {
		case "setting":
			errs = append(errs, s.settingChanged(ctx, id))
		case "models":
			models = true
		case "shares":
			shares = true
		case "clips":
			errs = append(errs, s.videos.Rekeyed(ctx, id))
		default:
			s.log.Warn("another replica, of a newer version, tells something that isn't understood", "what", what)
		}
	}
	if models {
		s.modelsChanged()
	}
	if shares && s.shares != nil {
		s.shares.Recheck(nil, false)
	}
	return errors.Join(errs...)
}

// settingChanged reads a setting of the whole server again.
func (s *server) settingChanged(ctx context.Context, name string) error {
	if name == gatewaySetting {
		return s.reconnect(ctx)
	}
	return nil
}

// readAll reads everything again, after a time in which nothing was told.
func (s *server) readAll(ctx context.Context) error {
	err := errors.Join(s.people.Reread(ctx), s.reconnect(ctx), s.videos.Rekeyed(ctx, ""))
	s.modelsChanged()
	if s.shares != nil {
		s.shares.Recheck(nil, false)
	}
	s.news.GatewayChanged()           // what pages were not told
	if err == nil && s.peers != nil { // alone nobody else gives a session another id
		s.bff.SessionsMayHaveMoved()
	}
	return err
}

// checkAll looks for what must not be known late, while nothing may be told: who is
// signed in, and what they may do and see.
func (s *server) checkAll(ctx context.Context) {
	if err := s.people.Reread(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("what other replicas have changed can't be read", "err", err)
	}
	if s.shares != nil {
		s.shares.Recheck(nil, false)
	}
}

// modelsChanged has the models be those that another replica has found, and what
// they cost what somebody entered there.
func (s *server) modelsChanged() {
	s.listing.Reread()
	before := s.models.json()
	s.useModels(s.gateways.Now())
	if !bytes.Equal(before, s.models.json()) {
		s.news.GatewayChanged()
	}
}
