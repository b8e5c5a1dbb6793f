package video

import (
	"context"
	"encoding/json"
	"time"

	"screentest/server/payer"
	"screentest/shared/wire"
)

// Store keeps tasks, keys, outputs and uploads; see package store.
type Store interface {
	Create(ctx context.Context, owner string, key int64, secret string, t wire.VideoTask, prices json.RawMessage) (stored wire.VideoTask, used int64, found bool, err error)
	Accepted(ctx context.Context, owner, id, remote string, at int64) (wire.VideoTask, bool, error)
	Refused(ctx context.Context, owner, id string, why *wire.Problem) (wire.VideoTask, bool, error)
	Unknown(ctx context.Context, owner, id string, why *wire.Problem) (wire.VideoTask, bool, error)
	Progress(ctx context.Context, owner string, t wire.VideoTask) (wire.VideoTask, bool, error)
	End(ctx context.Context, owner string, t wire.VideoTask, urls []string, at int64) (wire.VideoTask, bool, error)

	Task(ctx context.Context, owner, id string) (wire.VideoTask, error)
	TaskByUUID(ctx context.Context, owner, uuid string) (wire.VideoTask, error)
	Tasks(ctx context.Context, owner string, q wire.VideoQuery) (wire.VideoPage, error)
	Opened(ctx context.Context, owner, id string) (wire.VideoOpened, error)
	EachOpen(ctx context.Context, fn func(owner string, key int64, t wire.VideoTask) error) error
	EachOpenOf(ctx context.Context, owner string, fn func(t wire.VideoTask) error) error
	Expiring(ctx context.Context, finishedBefore int64, limit int) ([][2]string, error)

	CleanTitle(title string) (string, error)
	CleanTags(tags []string) ([]string, error)
	Edit(ctx context.Context, owner string, e wire.VideoEdit) (wire.VideoTask, error)
	SetDeleted(ctx context.Context, owner, id string, at int64) (wire.VideoTask, error)
	PurgeDeleted(ctx context.Context, before int64) (files [][]byte, tasks int, err error)
	Purge(ctx context.Context, owner, id string) (files [][]byte, version int64, err error)

	EachKey(ctx context.Context, fn func(of payer.Payer, key int64, paused, replaced bool)) error
	TaskKey(ctx context.Context, owner, task string) (key int64, err error)
	PauseKey(ctx context.Context, owner string, key int64) error
	ReplaceKeys(ctx context.Context, of payer.Payer, gateway string, all bool) (byOwner map[string]int64, err error)

	EachJob(ctx context.Context, fn func(owner, task string, index int) error) error
	SetOutput(ctx context.Context, owner, task string, o wire.VideoOutput, at int64) (wire.VideoTask, bool, error)
	SetLinks(ctx context.Context, owner, task string, urls []string) (wire.VideoTask, error)
	ArchiveUse(ctx context.Context, owner string) (bytes, files, deleted, waiting int64, err error)
	OldestSaved(ctx context.Context, owner string, limit int) (list []wire.VideoOutput, tasks []string, err error)
	OldestDeleted(ctx context.Context, owner string, limit int) (list []wire.VideoOutput, tasks []string, err error)
	SavedBefore(ctx context.Context, owner string, before time.Time, limit int) (list []wire.VideoOutput, tasks []string, err error)
	FileUsed(ctx context.Context, sha []byte) (bool, error)
	SetPoster(ctx context.Context, owner, task string, index int, sha []byte, kind string) (t wire.VideoTask, before []byte, err error)
	Poster(ctx context.Context, owner, task string, index int) (sha []byte, kind string, err error)
	ArchiveSettings(ctx context.Context, owner string) (wire.ArchiveSettings, error)
	SetArchiveSettings(ctx context.Context, owner string, a wire.ArchiveSettings) error

	AddUpload(ctx context.Context, owner string, u wire.Upload, at, limit, old int64) (gone []wire.Upload, room bool, err error)
	Upload(ctx context.Context, id string) (wire.Upload, error)
	Uploads(ctx context.Context, owner string, videos bool, limit int) ([]wire.Upload, error)
	UploadUse(ctx context.Context, owner string) (bytes int64, err error)
}
