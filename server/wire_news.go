package main

import (
	"context"
	"encoding/json"

	"screentest/server/bus"
	"screentest/server/news"
	"screentest/server/replica"
	"screentest/shared/wire"
)

// openNews prepares what tells tabs of changes: those of other replicas, too.
func (s *server) openNews() {
	s.news = news.New(s.store, s.log)
	s.onClose(func(context.Context) error { s.news.Close(); return nil })
	if s.peers == nil {
		return
	}
	s.bus = bus.New(bus.Config{Link: s.peers, Self: s.member.N(), Heard: s.news.Hear, Missed: s.news.Missed, Logger: s.log})
	s.onClose(s.bus.Close)
	s.news.Connect(s.bus, s.heard)
}

// newsTo has this replica's news told to those that are there.
func (s *server) newsTo(peers []replica.Peer) {
	var all []bus.Peer
	for _, p := range peers {
		all = append(all, bus.Peer{N: p.N, Address: p.Address})
	}
	s.bus.Peers(all)
}

// heard has parts know what was told to tabs at another replica, where they hold
// something of it in memory. None of them waits.
func (s *server) heard(owner string, event wire.Event, data json.RawMessage) {
	switch event {
	case wire.EventTask:
		hear(s, event, data, func(t wire.VideoTask) { s.clipHeard(owner, t) })
	case wire.EventTaskDeleted, wire.EventTaskPurged:
		hear(s, event, data, func(t wire.TaskGone) {
			if s.reviews != nil {
				s.reviews.ClipGone(owner, t.ID)
			}
		})
	case wire.EventReview:
		hear(s, event, data, func(step wire.ReviewStep) {
			if s.reviews != nil {
				s.reviews.Heard(step)
			}
		})
	}
}

func hear[T any](s *server, event wire.Event, data json.RawMessage, f func(T)) {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		s.log.Error("news of another replica are not understood", "event", event, "err", err)
		return
	}
	f(v)
}

// clipHeard is clipChanged for a clip that is held at another replica.
func (s *server) clipHeard(owner string, t wire.VideoTask) {
	s.videos.Heard(owner, t)
	if s.reviews != nil {
		s.reviews.Clip(owner, t)
	}
}
