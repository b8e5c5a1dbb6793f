package main

import (
	"context"

	"screentest/server/bff"
	"screentest/server/news"
	"screentest/server/people"
	"screentest/server/store/teamlibrary"
	"screentest/shared/wire"
)

// libraryCalls are those of the libraries of teams. What changes in one is told to
// all people of the team.
func (s *server) libraryCalls() map[wire.Op]bff.Call {
	library := s.store.TeamLibrary()
	asker := func(ctx context.Context) teamlibrary.Asker {
		who := people.Of(ctx)
		return teamlibrary.Asker{Owner: who.Owner, Address: people.AddressOf(ctx), Admin: who.Role() == wire.RoleAdmin}
	}
	tell := func(e wire.TeamEntry) {
		e.May = false // what the others may
		s.news.Tell(s.people.In(e.Team), "team library "+e.Team+" "+e.ID, wire.EventTeamEntry, e)
	}
	return map[wire.Op]bff.Call{
		wire.OpTeamLibrary: bff.Calling(func(ctx context.Context, _ news.Tab, t wire.Target) (any, error) {
			return library.Entries(ctx, asker(ctx), t.ID)
		}),
		wire.OpTeamLibraryPast: bff.Calling(func(ctx context.Context, _ news.Tab, t wire.TeamTarget) (any, error) {
			return library.Versions(ctx, asker(ctx), t)
		}),
		wire.OpTeamLibraryPut: bff.Calling(func(ctx context.Context, _ news.Tab, e wire.TeamEntry) (any, error) {
			kept, changed, err := library.Put(ctx, asker(ctx), e)
			if err != nil {
				return nil, err
			}
			if changed {
				tell(kept)
			}
			return kept, nil
		}),
		wire.OpTeamLibraryDrop: bff.Calling(func(ctx context.Context, _ news.Tab, t wire.TeamTarget) (any, error) {
			gone, err := library.Drop(ctx, asker(ctx), t)
			if err == nil {
				tell(gone)
			}
			return nil, err
		}),
	}
}
