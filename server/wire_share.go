package main

import (
	"context"
	"time"

	"screentest/server/bff"
	"screentest/server/people"
	"screentest/server/share"
	"screentest/server/sight"
	"screentest/server/store"
	"screentest/server/store/transfer"
	"screentest/shared/wire"
)

// openShares prepares what people show each other; nothing without accounts.
func (s *server) openShares() {
	if s.reach.mode != team {
		return
	}
	s.shares = share.New(share.Config{
		Store: s.store.Shares(), Links: func() bool { return s.people.Policies().LinkShares },
		Tell: func(owners []string) { s.news.Tell(owners, "shares", wire.EventShares, nil) },
		Everybody: func() (owners []string) {
			for _, a := range s.people.All() {
				owners = append(owners, a.Owner)
			}
			return owners
		},
		Snapshot: s.store.Snapshot,
		CopyTo: func(ctx context.Context, owner string, from sight.Sight, what wire.CopyShare) (string, error) {
			source := transfer.Source{Owner: from.Owner, Subject: from.Subject, Snapshot: from.Snapshot, Title: from.Title}
			if !from.ByLink {
				source.Share = from.Share
			}
			id, err := s.store.Copy(ctx, owner, source, what)
			if err == nil {
				s.news.ConversationChanged(owner, id)
			}
			return id, err
		},
		Clip: func(ctx context.Context, owner, id string) (wire.VideoTask, error) {
			return s.store.Videos().Task(ctx, owner, id)
		},
		Note: func(ctx context.Context, action, object string, detail map[string]any) {
			s.people.Note(ctx, people.Event{Action: action, Object: object, Detail: detail})
		},
		Notify: s.notices.Notify,
		Now:    time.Now, Logger: s.log,
	})
	s.people.Listen(s.shares)
	s.onClose(func(context.Context) error { s.shares.Close(); return nil })
}

// conversations are those of the store; with one that is deleted its shares end.
func (s *server) conversations() bff.Conversations {
	if s.shares == nil {
		return s.store
	}
	return sharedConversations{s.store, s.shares}
}

type sharedConversations struct {
	*store.DB
	shares *share.Service
}

func (c sharedConversations) DeleteConversation(ctx context.Context, owner, id string) error {
	ended := c.shares.Ending(ctx, owner, wire.ShareConversation, id)
	err := c.DB.DeleteConversation(ctx, owner, id)
	ended()
	return err
}

// clipDeleted tells that a clip is in the trash, where nobody else sees it.
func (s *server) clipDeleted(owner string, t wire.TaskGone) {
	s.news.TaskDeleted(owner, t)
	if s.shares != nil {
		s.shares.Turned(owner, wire.ShareClip, t.ID)
	}
	if s.reviews != nil {
		s.reviews.ClipGone(owner, t.ID)
	}
}

// clipRestored tells who sees a clip that it is there again.
func (s *server) clipRestored(owner, id string) {
	if s.shares != nil {
		s.shares.Turned(owner, wire.ShareClip, id)
	}
}
