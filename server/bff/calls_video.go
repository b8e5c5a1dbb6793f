package bff

import (
	"context"
	"io"
	"net/http"

	"screentest/server/payer"
	"screentest/server/people"
	"screentest/shared/wire"
)

// Videos are video tasks, their files and the uploads; see
// package video. The methods that serve return their error before anything is
// written.
type Videos interface {
	Create(ctx context.Context, by payer.Payer, c wire.VideoCreate) (wire.VideoTask, error)
	Tasks(ctx context.Context, owner string, q wire.VideoQuery) (wire.VideoPage, error)
	Open(ctx context.Context, owner, id string) (wire.VideoOpened, error)
	Settle(ctx context.Context, owner string, key func(gateway, team string) (string, error), c wire.VideoSettle) (wire.VideoTask, error)
	Check(ctx context.Context, owner string, key func(gateway, team string) (string, error), id string) error
	Edit(ctx context.Context, owner string, e wire.VideoEdit) (wire.VideoTask, error)
	Delete(ctx context.Context, owner, id string) error
	Undelete(ctx context.Context, owner, id string) (wire.VideoTask, error)
	Purge(ctx context.Context, owner, id string) error
	Measure(ctx context.Context, link string) (wire.Measured, error)
	Uploaded(ctx context.Context, owner string, q wire.VideoUploads) (wire.VideoUploaded, error)
	ArchiveNow(ctx context.Context, owner string) (wire.Archive, error)
	SetArchive(ctx context.Context, owner string, a wire.ArchiveSettings) (wire.Archive, error)
	// KeyEntered gives the tasks that wait for a key the one that was entered,
	// KeyChanged all open ones.
	KeyEntered(ctx context.Context, by payer.Payer) error
	KeyChanged(ctx context.Context, by payer.Payer) error

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
		wire.OpVideoCreate: with(func(ctx context.Context, s *Server, k *socket, c wire.VideoCreate) (any, error) {
			by, err := s.People.Payer(ctx, k.person(), c.Charge)
			if err != nil {
				return nil, err
			}
			return s.Videos.Create(ctx, by, c)
		}),
		wire.OpVideoTasks: with(func(ctx context.Context, s *Server, k *socket, q wire.VideoQuery) (any, error) {
			return s.Videos.Tasks(ctx, k.owner, q)
		}),
		wire.OpVideoTask: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return s.Videos.Open(ctx, k.owner, t.ID)
		}),
		wire.OpVideoSettle: with(func(ctx context.Context, s *Server, k *socket, c wire.VideoSettle) (any, error) {
			return s.Videos.Settle(ctx, k.owner, s.keyOf(ctx, k), c)
		}),
		wire.OpVideoCheck: with(func(ctx context.Context, s *Server, k *socket, t wire.Target) (any, error) {
			return nil, s.Videos.Check(ctx, k.owner, s.keyOf(ctx, k), t.ID)
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
		wire.OpVideoUploads: with(func(ctx context.Context, s *Server, k *socket, q wire.VideoUploads) (any, error) {
			return s.Videos.Uploaded(ctx, k.owner, q)
		}),
		wire.OpArchive: with(func(ctx context.Context, s *Server, k *socket, _ struct{}) (any, error) {
			return s.Videos.ArchiveNow(ctx, k.owner)
		}),
		wire.OpSetArchive: with(func(ctx context.Context, s *Server, k *socket, a wire.ArchiveSettings) (any, error) {
			if a.QuotaBytes > wire.DefaultQuota && people.Of(ctx).Role() != wire.RoleAdmin {
				return nil, &wire.Problem{Code: wire.CodeNotAllowed, Field: "quota_bytes", Message: "Your archive has 10 GiB at most: the disk is everybody's.",
					Hint: "Ask an admin of this instance."}
			}
			return s.Videos.SetArchive(ctx, k.owner, a)
		}),
	}
}

// keyOf finds the key that a person's task may be asked about with, by its gateway
// and the team that paid for it; "" is the person's own.
func (s *Server) keyOf(ctx context.Context, k *socket) func(gateway, team string) (string, error) {
	return func(gateway, team string) (string, error) {
		who := k.person()
		if team == "" && who.Me != nil {
			team = wire.ChargePersonal
		}
		return s.People.KeyFor(ctx, who, gateway, team)
	}
}
