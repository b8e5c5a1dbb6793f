package main

import (
	"context"
	"encoding/json"

	"screentest/server/bff"
	"screentest/server/hook"
	"screentest/server/news"
	"screentest/server/people"
	"screentest/shared/wire"
)

// openHooks prepares the web hooks. Who is alone on this machine reaches what it
// reaches anyway.
func (s *server) openHooks() {
	c := hook.Config{Store: s.store, Private: s.config.fetchPrivate || s.reach.mode == alone, Logger: s.log}
	if s.ear != nil {
		c.Shared = &hook.Shared{Settings: s.store, Tries: s.store}
	}
	s.hooks = hook.New(c)
	s.onClose(func(context.Context) error { s.hooks.Close(); return nil })
}

// hookCalls are those of a person's web hook.
func (s *server) hookCalls() map[wire.Op]bff.Call {
	return map[wire.Op]bff.Call{
		wire.OpHook: bff.Calling(func(ctx context.Context, _ news.Tab, _ json.RawMessage) (any, error) {
			return s.hooks.Hook(ctx, people.Of(ctx).Owner)
		}),
		wire.OpSetHook: bff.Calling(func(ctx context.Context, _ news.Tab, h wire.HookSettings) (any, error) {
			return s.hooks.Set(ctx, people.Of(ctx).Owner, h)
		}),
		wire.OpTryHook: bff.Calling(func(ctx context.Context, _ news.Tab, _ json.RawMessage) (any, error) {
			return s.hooks.Try(ctx, people.Of(ctx).Owner)
		}),
	}
}
