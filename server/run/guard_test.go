package run

import (
	"context"
	"testing"
	"time"

	"screentest/server/tails"
	"screentest/shared/wire"
)

// swift is a keeper that has everything at once.
type swift struct{ here bool }

func (k *swift) Send(context.Context, []byte) error {
	if !k.here {
		k.here = true
		return tails.ErrAnew
	}
	return nil
}

func (*swift) Close() {}

// BenchmarkGuardedLog appends to a log, has what came kept, and reads it, against a
// log without a keeper in the same run of the program.
func BenchmarkGuardedLog(b *testing.B) {
	took := map[bool]float64{}
	for _, guards := range []bool{false, true} {
		name := "plain"
		if guards {
			name = "kept"
		}
		b.Run(name, func(b *testing.B) {
			c := Config{}
			if guards {
				c.Keeper = &swift{}
			}
			m := New(c)
			defer m.Close(context.Background())
			l := newLive(m, key{"1", "r"}, wire.Run{})
			defer l.cancel(errEnded)
			l.flush.Lock() // what is stored is said below
			if guards {
				m.mu.Lock()
				m.live[l.key] = l
				m.guard.cover(l)
				m.mu.Unlock()
				m.PeersChanged()
			}
			news := make(chan struct{}, 1)
			l.log.Watch(news)
			p := pattern(200)
			buf := make([]byte, 0, 4096)
			at := int64(0)
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			began := time.Now()
			for i := int64(0); b.Loop(); i++ {
				l.log.append(p, i/50)
				for at < (i+1)*int64(len(p)) {
					<-news
					for {
						q, _, err := l.log.Read(b.Context(), buf, at, 4096)
						if err != nil {
							b.Fatal(err)
						}
						if at += int64(len(q)); len(q) == 0 {
							break
						}
					}
				}
				if l.log.backlog() > flushChunk {
					_, q, _ := l.log.unstored(nil, 2*flushChunk)
					l.log.markStored(len(q), i/50)
				}
			}
			took[guards] = float64(time.Since(began)) / float64(b.N)
			if guards && took[false] > 0 {
				b.ReportMetric(took[true]/took[false], "times-plain")
			}
			m.drop(l)
		})
	}
}
