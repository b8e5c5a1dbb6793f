package main

import (
	"maps"

	"screentest/server/bff"
	"screentest/shared/wire"
)

// calls are those of what people do together; none without accounts.
func (s *server) calls() map[wire.Op]bff.Call {
	all := map[wire.Op]bff.Call{}
	if s.reach.mode != team {
		return all
	}
	for _, calls := range []map[wire.Op]bff.Call{
		s.noticeCalls(),
		s.libraryCalls(),
		s.rankingCalls(),
		s.approvalCalls(),
		s.reviewCalls(),
	} {
		maps.Copy(all, calls)
	}
	return all
}
