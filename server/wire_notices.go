package main

import (
	"context"

	"screentest/server/bff"
	"screentest/server/news"
	"screentest/server/notices"
	"screentest/server/people"
	"screentest/shared/wire"
)

// openNotices prepares what people are told in the page; nothing without accounts.
func (s *server) openNotices() {
	if s.reach.mode != team {
		return
	}
	s.notices = notices.New(notices.Config{
		Store: s.store.Notices(), Tell: s.news.Tell,
		Asking: func(ctx context.Context) string { return people.Of(ctx).Owner },
		Logger: s.log,
	})
}

// noticeCalls are those of notices.
func (s *server) noticeCalls() map[wire.Op]bff.Call {
	return map[wire.Op]bff.Call{
		wire.OpNotices: bff.Calling(func(ctx context.Context, _ news.Tab, p wire.Page) (any, error) {
			return s.notices.List(ctx, people.Of(ctx).Owner, p)
		}),
		wire.OpNoticesSeen: bff.Calling(func(ctx context.Context, _ news.Tab, t wire.Target) (any, error) {
			return nil, s.notices.Seen(ctx, people.Of(ctx).Owner, t.ID)
		}),
	}
}
