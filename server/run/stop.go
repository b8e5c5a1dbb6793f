package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"screentest/shared/wire"
)

// Stop ends a run, here or at another replica; the text so far is kept. Stopping one
// that has ended is no error. The run's end is told through Changed.
func (m *Manager) Stop(ctx context.Context, owner, id string) error {
	if m.StopHere(owner, id) {
		return nil
	}
	r, err := m.stored(ctx, owner, id)
	if err != nil || r.State != wire.Running {
		return err
	}
	if m.Elsewhere == nil {
		m.lookout.look()
		return nil
	}
	switch err := m.Elsewhere.Stop(ctx, owner, id); {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist): // it has ended meanwhile, or is to be ended here
		m.lookout.look()
		return nil
	default:
		m.Logger.Warn("run of another replica not stopped", "run", id, "err", err)
		return &wire.Problem{Code: "not_reached", Message: "The part of the server that writes this answer can't be reached.",
			Hint: "Try again in a moment. If it is gone, the answer ends by itself within half a minute."}
	}
}

// StopHere ends a run of this process, and says whether it is one.
func (m *Manager) StopHere(owner, id string) bool {
	l := m.find(key{owner, id})
	if l == nil {
		return false
	}
	if r := l.ended.Load(); r != nil {
		m.Changed(owner, *r) // who stops it has not heard
	}
	l.cancel(errStopped)
	return true
}

// StopConversation ends the runs of a conversation and waits until their ends
// are stored, or are found to wait for the disk: then what is deleted makes
// room for them. A replica that can't be reached is not waited for.
func (m *Manager) StopConversation(ctx context.Context, owner, conversation string) error {
	return m.stopAll(ctx, owner, conversation)
}

// StopOwner ends the runs of an owner, who may send no more, and waits until
// their ends are stored, or are found to wait for the disk. A replica that can't be
// reached is not waited for.
func (m *Manager) StopOwner(ctx context.Context, owner string) error {
	return m.stopAll(ctx, owner, "")
}

func (m *Manager) stopAll(ctx context.Context, owner, conversation string) error {
	if m.Elsewhere == nil {
		return m.StopAllHere(ctx, owner, conversation)
	}
	others := make(chan struct{})
	go func() {
		defer close(others)
		m.Elsewhere.StopAll(ctx, owner, conversation)
	}()
	err := m.StopAllHere(ctx, owner, conversation)
	<-others
	return err
}

// StopAllHere ends the runs of an owner that this process has, or with a conversation
// those in it, and waits until their ends are stored or are found to wait for the
// disk.
func (m *Manager) StopAllHere(ctx context.Context, owner, conversation string) error {
	var of []*live
	for _, l := range m.all(nil) {
		if l.key.owner == owner && (conversation == "" || l.started.Conversation == conversation) {
			l.cancel(errStopped)
			of = append(of, l)
		}
	}
	for _, l := range of {
		select {
		case <-l.done:
		case <-ctx.Done():
			return fmt.Errorf("stop run %s: %w", l.key.run, ctx.Err())
		}
	}
	return nil
}
