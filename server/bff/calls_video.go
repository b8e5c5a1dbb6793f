package bff

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"screentest/shared/wire"
)

// Videos are video tasks, their files and the uploads; see
// package video. The methods that serve return their error before anything is
// written.
type Videos interface {
	Create(ctx context.Context, owner, key string, c wire.VideoCreate) (wire.VideoTask, error)
	Tasks(ctx context.Context, owner string, q wire.VideoQuery) (wire.VideoPage, error)
	Open(ctx context.Context, owner, id string) (wire.VideoOpened, error)
	Settle(ctx context.Context, owner, key string, c wire.VideoSettle) (wire.VideoTask, error)
	Check(ctx context.Context, owner, key, id string) error
	Edit(ctx context.Context, owner string, e wire.VideoEdit) (wire.VideoTask, error)
	Delete(ctx context.Context, owner, id string) error
	Undelete(ctx context.Context, owner, id string) (wire.VideoTask, error)
	Purge(ctx context.Context, owner, id string) error
	Measure(ctx context.Context, link string) (wire.Measured, error)
	ArchiveNow(ctx context.Context, owner string) (wire.Archive, error)
	SetArchive(ctx context.Context, owner string, a wire.ArchiveSettings) (wire.Archive, error)
	KeyEntered(ctx context.Context, owner, key string) error

	Upload(ctx context.Context, owner, name string, body io.Reader) (wire.Upload, error)
	ServeUpload(w http.ResponseWriter, r *http.Request, name string) error
	ServeMedia(w http.ResponseWriter, r *http.Request, owner, task string, index int) error
	ServePoster(w http.ResponseWriter, r *http.Request, owner, task string, index int) error
	SetPoster(r *http.Request, owner, task string, index int) error
	ServeZip(w http.ResponseWriter, r *http.Request, owner string, tasks []string) error
}

// videoCalls are those of video tasks.
func videoCalls() map[wire.Op]handler {
	return map[wire.Op]handler{
		wire.OpVideoCreate: withKey(func(ctx context.Context, s *Server, k *socket, key string, c wire.VideoCreate) (any, error) {
			return s.Videos.Create(ctx, k.owner, key, c)
		}),
		wire.OpVideoTasks: with(func(ctx context.Context, s *Server, k *socket, q wire.VideoQuery) (any, error) {
			return s.Videos.Tasks(ctx, k.owner, q)
		}),
		wire.OpVideoTask: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return s.Videos.Open(ctx, k.owner, t.ID)
		}),
		wire.OpVideoSettle: withKey(func(ctx context.Context, s *Server, k *socket, key string, c wire.VideoSettle) (any, error) {
			return s.Videos.Settle(ctx, k.owner, key, c)
		}),
		wire.OpVideoCheck: withKey(func(ctx context.Context, s *Server, k *socket, key string, t wire.Target) (any, error) {
			return nil, s.Videos.Check(ctx, k.owner, key, t.ID)
		}),
		wire.OpVideoEdit: with(func(ctx context.Context, s *Server, k *socket, e wire.VideoEdit) (any, error) {
			return s.Videos.Edit(ctx, k.owner, e)
		}),
		wire.OpVideoDelete: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return nil, s.Videos.Delete(ctx, k.owner, t.ID)
		}),
		wire.OpVideoUndelete: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return s.Videos.Undelete(ctx, k.owner, t.ID)
		}),
		wire.OpVideoPurge: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return nil, s.Videos.Purge(ctx, k.owner, t.ID)
		}),
		wire.OpVideoMeasure: with(func(ctx context.Context, s *Server, k *socket, m wire.VideoMeasure) (any, error) {
			return s.Videos.Measure(ctx, m.URL)
		}),
		wire.OpArchive: with(func(ctx context.Context, s *Server, k *socket, _ struct{}) (any, error) {
			return s.Videos.ArchiveNow(ctx, k.owner)
		}),
		wire.OpSetArchive: with(func(ctx context.Context, s *Server, k *socket, a wire.ArchiveSettings) (any, error) {
			return s.Videos.SetArchive(ctx, k.owner, a)
		}),
	}
}

// withKey is with, and the session's key.
func withKey[A any](f func(ctx context.Context, s *Server, k *socket, key string, args A) (any, error)) handler {
	return func(ctx context.Context, s *Server, k *socket, raw json.RawMessage) (any, error) {
		key, err := s.People.Key(ctx, k.person())
		if err != nil {
			return nil, err
		}
		return with(func(ctx context.Context, s *Server, k *socket, args A) (any, error) {
			return f(ctx, s, k, key, args)
		})(ctx, s, k, raw)
	}
}
