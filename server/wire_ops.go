package main

import (
	"context"
	"time"

	"screentest/server/disk"
	"screentest/server/ops"
	"screentest/server/replica"
	"screentest/shared/wire"
)

// ofMember is a figure of this process among the replicas, 0 where it only reads.
func ofMember[T int | time.Duration](s *server, figure func(*replica.Member) T) func() T {
	return func() T {
		if s.member == nil {
			return 0
		}
		return figure(s.member)
	}
}

// watch is the monitor of this server. Its parts are asked only once they are
// there, since the monitor hears of the first ones before the last are made.
func (s *server) watch() *ops.Monitor {
	public := s.reach.public
	var replicas *ops.Replicas
	if s.config.cluster.database != "" {
		replicas = &ops.Replicas{
			There:     ofMember(s, func(m *replica.Member) int { return len(m.Peers()) + 1 }),
			TakenOver: ofMember(s, (*replica.Member).Taken),
			Heard:     ofMember(s, func(m *replica.Member) time.Duration { return time.Since(m.Heard()) }),
		}
	}
	return ops.New(ops.Config{
		Token: s.config.metricsToken,
		// A proxy in front connects from this machine too.
		Here:       public == nil || s.reach.tls || onThisMachine(public),
		KnownModel: func(id string) bool { _, known := s.models.current().Lookup(id); return known },
		Version:    version,
		Failed:     func(code string, err error) { s.log.Error("not ready", "check", code, "err", err) },
		Checks: []ops.Check{
			{Code: "database", Hint: "See the server's log: the disk may be full, or gone, or the database away.", Do: func(ctx context.Context) error { return s.store.Ping(ctx) }},
			{Code: "seal_key", Hint: "See the server's log: sealed keys can't be read, or not opened.", Do: func(ctx context.Context) error { return s.store.ProbeSealKey(ctx) }},
		},
		Gauges: ops.Gauges{
			Runs:       func() int { return s.runs.UnderWay() },
			Sockets:    func() int { return s.bff.Sockets() },
			Streams:    func() int { return s.bff.Streams() },
			StoreQueue: func() int { return s.store.Waiting() },
			StoreBytes: func() int64 { return s.store.Bytes() },
			Replicas:   replicas,
			DiskFree:   func() int64 { return disk.Free(s.config.data) },
			VideoTasks: func(ctx context.Context) (map[wire.VideoState]int64, error) { return s.store.Videos().CountOpen(ctx) },
		},
	})
}
