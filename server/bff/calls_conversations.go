package bff

import (
	"context"

	"screentest/shared/wire"
)

// conversationCalls are those of what is stored of conversations, and of the
// library. What changes something is told to all tabs of the owner.
func conversationCalls() map[wire.Op]handler {
	return map[wire.Op]handler{
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
		wire.OpWrite: with(func(ctx context.Context, s *Server, k *socket, m wire.Written) (any, error) {
			sum, err := s.Conversations.WriteMessage(ctx, k.owner, m)
			if err == nil {
				s.News.Conversation(k.owner, sum)
			}
			return sum, err
		}),
		wire.OpVote: with(func(ctx context.Context, s *Server, k *socket, v wire.Vote) (any, error) {
			v, err := s.Conversations.SetVote(ctx, k.owner, v)
			if err == nil {
				s.News.Vote(k.owner, v)
				if v.Team != "" {
					s.Voted(v.Team)
				}
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
