package main

import (
	"maps"

	"screentest/server/bff"
	"screentest/shared/wire"
)

// calls are those that the parts add to the page's own; those of what people do
// together are there with accounts only.
func (s *server) calls() map[wire.Op]bff.Call {
	parts := []map[wire.Op]bff.Call{
		s.hookCalls(),
		s.modelCalls(),
	}
	if s.reach.mode == team {
		parts = append(parts,
			s.noticeCalls(),
			s.libraryCalls(),
			s.rankingCalls(),
			s.approvalCalls(),
			s.reviewCalls(),
		)
	}
	all := map[wire.Op]bff.Call{}
	for _, calls := range parts {
		maps.Copy(all, calls)
	}
	return all
}
