package bff

import (
	"context"

	"screentest/shared/wire"
)

// Desk is what the chat desk shows of conversations beside their messages.
type Desk interface {
	PinConversation(ctx context.Context, owner string, p wire.Pin) (wire.Summary, error)
	Messages(ctx context.Context, owner string, q wire.MessageQuery) (wire.Messages, error)
	Outline(ctx context.Context, owner, conversation string) (wire.Outline, error)
	SetLanes(ctx context.Context, owner string, l wire.Lanes) (wire.Lanes, error)
	SetVote(ctx context.Context, owner string, v wire.Vote) (wire.Vote, error)
	Search(ctx context.Context, owner string, q wire.Search) (wire.SearchPage, error)
	Library(ctx context.Context, owner string) (wire.Library, error)
	PutLibrary(ctx context.Context, owner string, e wire.LibraryEntry) (wire.LibraryEntry, error)
	DeleteLibrary(ctx context.Context, owner, id string) error
}

// chatCalls are those of conversations and their runs.
func chatCalls() map[wire.Op]handler {
	return map[wire.Op]handler{
		wire.OpPing: with(func(context.Context, *Server, *socket, struct{}) (any, error) { return nil, nil }),
		wire.OpConversations: with(func(ctx context.Context, s *Server, k *socket, p wire.Page) (any, error) {
			return s.Conversations.Conversations(ctx, k.owner, p)
		}),
		wire.OpOpen: with(func(ctx context.Context, s *Server, k *socket, p wire.Page) (any, error) {
			return s.Conversations.OpenConversation(ctx, k.owner, p)
		}),
		wire.OpRename: with(func(ctx context.Context, s *Server, k *socket, r wire.Rename) (any, error) {
			sum, err := s.Conversations.RenameConversation(ctx, k.owner, r)
			if err == nil {
				s.News.Conversation(k.owner, sum)
			}
			return sum, err
		}),
		wire.OpDelete: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return nil, s.deleteConversation(ctx, k.owner, t)
		}),
		wire.OpStart: with(func(ctx context.Context, s *Server, k *socket, st wire.Start) (any, error) {
			key, err := s.People.Key(ctx, k.person())
			if err != nil {
				return nil, err
			}
			return s.Runs.Start(ctx, k.owner, key, st)
		}),
		wire.OpStop: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return nil, s.Runs.Stop(ctx, k.owner, t.ID)
		}),
		wire.OpRead: with(func(ctx context.Context, s *Server, k *socket, r wire.Read) (any, error) {
			return s.readRun(ctx, k, r)
		}),
		wire.OpUnread: with(func(_ context.Context, _ *Server, k *socket, t wire.Target) (any, error) {
			k.removeCursor(t.ID)
			return nil, nil
		}),
		wire.OpRunRequest: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return s.Runs.Request(ctx, k.owner, t.ID)
		}),
		wire.OpRunTimes: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return s.Runs.Times(ctx, k.owner, t.ID)
		}),
	}
}

// deskCalls are those of the chat desk. What changes something is told to all
// tabs of the owner.
func deskCalls() map[wire.Op]handler {
	return map[wire.Op]handler{
		wire.OpPin: with(func(ctx context.Context, s *Server, k *socket, p wire.Pin) (any, error) {
			sum, err := s.Conversations.PinConversation(ctx, k.owner, p)
			if err == nil {
				s.News.Conversation(k.owner, sum)
			}
			return sum, err
		}),
		wire.OpMessages: with(func(ctx context.Context, s *Server, k *socket, q wire.MessageQuery) (any, error) {
			return s.Conversations.Messages(ctx, k.owner, q)
		}),
		wire.OpOutline: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return s.Conversations.Outline(ctx, k.owner, t.ID)
		}),
		wire.OpLanes: with(func(ctx context.Context, s *Server, k *socket, l wire.Lanes) (any, error) {
			l, err := s.Conversations.SetLanes(ctx, k.owner, l)
			if err == nil {
				s.News.Lanes(k.owner, l)
			}
			return l, err
		}),
		wire.OpVote: with(func(ctx context.Context, s *Server, k *socket, v wire.Vote) (any, error) {
			v, err := s.Conversations.SetVote(ctx, k.owner, v)
			if err == nil {
				s.News.Vote(k.owner, v)
			}
			return v, err
		}),
		wire.OpSearch: with(func(ctx context.Context, s *Server, k *socket, q wire.Search) (any, error) {
			return s.Conversations.Search(ctx, k.owner, q)
		}),
		wire.OpLibrary: with(func(ctx context.Context, s *Server, k *socket, _ struct{}) (any, error) {
			return s.Conversations.Library(ctx, k.owner)
		}),
		wire.OpLibraryPut: with(func(ctx context.Context, s *Server, k *socket, e wire.LibraryEntry) (any, error) {
			e, err := s.Conversations.PutLibrary(ctx, k.owner, e)
			if err == nil {
				s.News.Library(k.owner, e)
			}
			return e, err
		}),
		wire.OpLibraryDelete: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			err := s.Conversations.DeleteLibrary(ctx, k.owner, t.ID)
			if err == nil {
				s.News.Library(k.owner, wire.LibraryEntry{ID: t.ID, Deleted: true})
			}
			return nil, err
		}),
	}
}

// reading answers a call and has a log sent after it.
type reading struct {
	run    wire.Run
	cursor *cursor
}

// readRun opens a run's log for reading from an offset on.
func (s *Server) readRun(ctx context.Context, k *socket, r wire.Read) (any, error) {
	run, log, err := s.Runs.Open(ctx, k.owner, r.Run)
	if err != nil {
		return nil, err
	}
	if size, _ := log.Size(); r.From < 0 || r.From > size {
		return nil, &wire.Problem{Code: "invalid_offset", Field: "from", Message: "The log is not that long."}
	}
	if !k.canRead() {
		return nil, &wire.Problem{Code: "too_many_reads", Message: "This tab reads too many answers at a time."}
	}
	return reading{run, &cursor{run: r.Run, log: log, at: r.From}}, nil
}

func (s *Server) deleteConversation(ctx context.Context, owner string, t wire.Target) error {
	if err := s.Runs.StopConversation(ctx, owner, t.ID); err != nil {
		return err
	}
	if err := s.Conversations.DeleteConversation(ctx, owner, t.ID); err != nil {
		return err
	}
	s.News.ConversationDeleted(owner, t.ID)
	return nil
}
