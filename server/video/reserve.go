package video

import (
	"screentest/server/payer"
	"screentest/shared/wire"
)

// reserveSent reserves the price of a task that may have been billed.
func (s *Service) reserveSent(owner string, t wire.VideoTask) {
	if s.Budget != nil && !s.hasReserved(taskID{owner, t.ID}) {
		s.noteReserved(taskID{owner, t.ID}, s.Budget.ReserveSent(payer.Payer{Owner: owner, Team: t.Team, For: t.ID}, t.PriceNanoUSD))
	}
}

// noteReserved notes how to release what is reserved for a task.
func (s *Service) noteReserved(id taskID, release func()) {
	if release == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved[id] = release
}

// hasReserved says whether something is reserved for a task here.
func (s *Service) hasReserved(id taskID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reserved[id] != nil
}

// release ends the reservation for a task, if there is one.
func (s *Service) release(id taskID) {
	s.mu.Lock()
	release := s.reserved[id]
	delete(s.reserved, id)
	s.mu.Unlock()
	if release != nil {
		release()
	}
}
