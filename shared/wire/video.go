package wire

import (
	"encoding/json"
	"strconv"
	"time"

	"screentest/shared/gateway"
)

// The calls of clips, with what they take and give.
const (
	// VideoCreate → VideoTask, once the intent is stored: VideoCreating. What
	// the gateway says of it follows as EventTask.
	OpVideoCreate   Op = "video_create"
	OpVideoTasks    Op = "video_tasks"    // VideoQuery → VideoPage, newest first
	OpVideoTask     Op = "video_task"     // Target → VideoOpened: one task with its lineage
	OpVideoSettle   Op = "video_settle"   // VideoSettle → VideoTask
	OpVideoEdit     Op = "video_edit"     // VideoEdit → VideoTask
	OpVideoDelete   Op = "video_delete"   // Target → nothing; OpVideoUndelete takes it back
	OpVideoUndelete Op = "video_undelete" // Target → VideoTask
	OpVideoPurge    Op = "video_purge"    // Target → nothing: a deleted task that has ended goes for good, with its files
	OpVideoMeasure  Op = "video_measure"  // VideoMeasure → Measured: for links that the browser can't read
	OpVideoUploads  Op = "video_uploads"  // VideoUploads → VideoUploaded: what one has uploaded, newest first
	OpVideoCheck    Op = "video_check"    // Target → nothing: ask the gateway now, and copy again what could not be; the answer follows as EventTask
	OpArchive       Op = "archive"        // nothing → Archive
	OpSetArchive    Op = "set_archive"    // ArchiveSettings → Archive
)

// The news of clips.
const (
	EventTask        Event = "task"         // VideoTask: made or changed
	EventTaskDeleted Event = "task_deleted" // TaskGone: it is among the deleted ones now
	EventTaskPurged  Event = "task_purged"  // TaskGone: it is gone for good
	EventArchive     Event = "archive"      // Archive: its use or its warning has changed
)

// Addresses over HTTP that belong to clips. Those with a session take
// only the session's own tasks.
const (
	// UploadsPath takes one file as the raw body of a POST (images PNG, JPEG,
	// WebP; MP4), and answers with Upload or a Problem. A file name may be
	// given as the parameter name.
	UploadsPath = "/api/uploads"
	// UploadedPath + Upload.ID + its ending is where an upload is served, with
	// no session: a gateway fetches it.
	UploadedPath = "/u/"
	// MediaPath + task + "/" + index is an output's file, with Range. With
	// ?download=1 it is saved under a telling name.
	MediaPath = "/media/"
	// PostersPath + task + "/" + index is an output's poster: POST of a PNG,
	// JPEG or WebP of at most MaxPoster bytes sets it, GET gives it.
	PostersPath = "/api/posters/"
	// VideosZip with ?ids=ID,ID,… is the files of up to MaxZipTasks tasks as one zip.
	VideosZip = "/api/videos.zip"
)

// Bounds of clips.
const (
	MaxUploadImage = 20 << 20  // bytes
	MaxUploadVideo = 100 << 20 // bytes (F156)
	MaxPoster      = 512 << 10 // bytes
	MaxZipTasks    = 200
	MaxTaskTags    = 20
	MaxTag         = 40  // characters
	MaxTaskTitle   = 200 // characters
	MaxVideoPage   = 200 // tasks on a page; the default is 50
	MaxUploadsPage = 24  // uploads that are listed
	// TrashDays is how long a deleted task can be had back. Then it goes for
	// good with its files, once it has ended.
	TrashDays = 30
)

// VideoState is how far a video task is.
type VideoState string

// The states. Done, failed, expired and refused are final, but that a done
// task expires.
const (
	// VideoAsks: it is dearer than its team lets be sent unasked, and waits for a
	// lead: see Approval. Nothing was sent, held or booked. It is told of a creation
	// alone, and is the state of no task that is stored.
	VideoAsks     VideoState = "asks"
	VideoCreating VideoState = "creating" // the intent is stored; the gateway has not answered
	// VideoUnknown: the gateway's answer was lost. The task may exist and be
	// billed: its price stays reserved until a person settles it (G35).
	VideoUnknown VideoState = "unknown"
	VideoQueued  VideoState = "queued"
	VideoRunning VideoState = "running"
	VideoDone    VideoState = "done"
	VideoFailed  VideoState = "failed"  // by the gateway; the charge was returned (F112)
	VideoExpired VideoState = "expired" // done, and the gateway has deleted its files (F102); what is archived still plays
	// VideoRefused: the gateway did not take the creation, or a person settled
	// that it did not go through. It cost nothing (F109).
	VideoRefused VideoState = "refused"
	// VideoLost: the gateway does not know the task any more (G2). It is no
	// failure: nothing was returned.
	VideoLost VideoState = "lost"
)

// Final says that the gateway is not asked again.
func (s VideoState) Final() bool {
	switch s {
	case VideoDone, VideoFailed, VideoExpired, VideoRefused, VideoLost:
		return true
	}
	return false
}

// Open says that the gateway works on it, as far as is known.
func (s VideoState) Open() bool { return s == VideoQueued || s == VideoRunning }

// Pause says why the gateway is not asked about an open task at present.
type Pause string

// The pauses. The task goes on by itself when the reason is gone.
const (
	PauseNone  Pause = ""
	PauseKey   Pause = "key"   // the gateway refuses the key, or it is gone: enter a key (G1)
	PauseStale Pause = "stale" // no end after 30 minutes: it is asked seldom (G36)
	// PauseGateway: it was sent to another gateway than the one configured now
	// (VideoTask.Gateway). It goes on when that one is configured again.
	PauseGateway Pause = "gateway"
	PauseSilent  Pause = "silent" // the gateway does not answer; it is asked again. See VideoTask.PollProblem
)

// VideoCreate asks for a clip. A try again after a failure is a new one, with
// an ID of its own.
type VideoCreate struct {
	// ID is a UUID made by the browser: the same ID again is the same task
	// and sends nothing.
	ID    string          `json:"id"`
	Body  json.RawMessage `json:"body"`            // sent to the gateway as it stands, at most MaxBody
	Title string          `json:"title,omitempty"` // a person's own name for it, at most MaxTaskTitle
	Tags  []string        `json:"tags,omitempty"`
	// Mode is the gateway.Mode of the form. What is stored is the mode that the
	// body tells, which is the same for what a form makes.
	Mode string `json:"mode,omitempty"`
	// Source is our own task whose clip an extend or upscale starts from. What
	// is stored is the task whose clip the body's task_id names; none where it
	// was made elsewhere (its UUID is pasted).
	Source string `json:"source,omitempty"`
	// SourceIndex is kept with Source for people: which of its outputs.
	SourceIndex int `json:"source_index,omitempty"`
	// ReferenceSeconds and MotionSeconds are lengths as they were measured
	// (gateway.Options).
	ReferenceSeconds []float64 `json:"reference_seconds,omitempty"`
	MotionSeconds    float64   `json:"motion_seconds,omitempty"`
	// Charge is what the clip is charged to, a Charge's ID.
	Charge string `json:"charge,omitempty"`
	// CopiedFrom is the id of the share of a clip whose settings these are.
	CopiedFrom string `json:"copied_from,omitempty"`
	// VersionOf is our own task whose settings were used again: what is made is its
	// next version where that has a review, as what has it as its source is.
	VersionOf string `json:"version_of,omitempty"`
}

// VideoTask is one video task as its owner sees it.
type VideoTask struct {
	ID string `json:"id"` // VideoCreate.ID
	// Gateway is where it was sent: a base URL, or "sandbox".
	Gateway string `json:"gateway,omitempty"`
	Remote  string `json:"remote,omitempty"` // the gateway's id, task_…; "" while it is not known
	UUID    string `json:"uuid,omitempty"`   // the gateway's internal id, which actions take (F68)
	Model   string `json:"model"`
	Mode    string `json:"mode"` // gateway.Mode
	// Body is the request as it was sent; in lists and news it is left out
	// where it is longer than 64 KiB.
	Body   json.RawMessage `json:"body,omitempty"`
	Prompt string          `json:"prompt"`
	Title  string          `json:"title,omitempty"`

	State VideoState `json:"state"`
	Pause Pause      `json:"pause,omitempty"`
	// Progress is the gateway's own figure in percent; -1 where it tells none.
	Progress int      `json:"progress"`
	Problem  *Problem `json:"problem,omitempty"` // why it failed, was refused, or is unknown
	// PollProblem is why the last question to the gateway had no answer. It is
	// no failure of the task.
	PollProblem *Problem `json:"poll_problem,omitempty"`

	CreatedMS  int64 `json:"created_ms"`            // Unix milliseconds, as all below
	AcceptedMS int64 `json:"accepted_ms,omitempty"` // when the gateway took it
	StartedMS  int64 `json:"started_ms,omitempty"`  // when it was first seen running
	FinishedMS int64 `json:"finished_ms,omitempty"` // by the gateway, else when it was first seen
	CheckedMS  int64 `json:"checked_ms,omitempty"`  // when the gateway last told its state; 0 after a restart of the server
	// ExpiresMS is when the gateway deletes the files (F104); 0 while there
	// are none.
	ExpiresMS int64 `json:"expires_ms,omitempty"`
	// UsualLeastMS and UsualMostMS are how long the model usually takes (F114).
	UsualLeastMS int64 `json:"usual_least_ms"`
	UsualMostMS  int64 `json:"usual_most_ms"`

	Seconds int `json:"seconds"` // of the field seconds
	// PriceNanoUSD is rate × seconds, as it was at the creation; whether it
	// was booked is told by Charged.
	PriceNanoUSD int64  `json:"price_nano_usd"`
	Basis        string `json:"basis,omitempty"` // "6 s × $0.05"
	SamplePrice  bool   `json:"sample_price,omitempty"`
	Charged      bool   `json:"charged,omitempty"`  // booked: the gateway took it (F109)
	Returned     bool   `json:"returned,omitempty"` // booked back: it failed (F112)
	Reserved     bool   `json:"reserved,omitempty"` // held, neither booked nor free: creating, unknown
	// Team is the id of the team that pays, PaidBy the label of the key; both
	// are "" where there are no accounts.
	Team   string `json:"team,omitempty"`
	PaidBy string `json:"paid_by,omitempty"`

	Outputs []VideoOutput `json:"outputs,omitempty"`

	Source      string   `json:"source,omitempty"` // our task that it was made from
	SourceIndex int      `json:"source_index,omitempty"`
	SourceUUID  string   `json:"source_uuid,omitempty"` // the body's task_id
	VersionOf   string   `json:"version_of,omitempty"`  // our task whose settings were used again
	Tags        []string `json:"tags,omitempty"`
	Favourite   bool     `json:"favourite,omitempty"`
	Pinned      bool     `json:"pinned,omitempty"` // its files are never removed for want of room
	Archived    bool     `json:"archived,omitempty"`
	Copied      *Copied  `json:"copied,omitempty"` // whose settings it was made with
	Deleted     bool     `json:"deleted,omitempty"`
	DeletedMS   int64    `json:"deleted_ms,omitempty"` // when, in Unix milliseconds; see TrashDays

	// From here on what gateway.Actions needs; see Provenance.
	Family      string `json:"family,omitempty"`
	Tier        string `json:"tier,omitempty"`
	Resolution  string `json:"resolution,omitempty"`
	Root        string `json:"root,omitempty"`
	FinishState string `json:"finish_state,omitempty"` // the gateway's status: "SUCCESS"

	// Version grows with each change of the task: of two the larger is newer.
	Version int64 `json:"version"`
}

// Provenance is what gateway.Actions and gateway.Options take.
func (t VideoTask) Provenance() gateway.Provenance {
	p := gateway.Provenance{
		TaskID: t.UUID, Model: t.Model, Family: gateway.Family(t.Family), Tier: t.Tier, Resolution: t.Resolution,
		Mode: gateway.Mode(t.Mode), Root: t.Root, Status: t.FinishState, Expired: t.State == VideoExpired,
	}
	if t.FinishedMS > 0 && t.State != VideoFailed {
		p.FinishedAt = time.UnixMilli(t.FinishedMS)
	}
	return p
}

// VideoOutput is one file of a finished task.
type VideoOutput struct {
	Index int `json:"index"`
	// Link is the gateway's own address of the file, for requests that name it
	// (reference and motion clips); "" once it is deleted there. It is played
	// from MediaPathOf.
	Link string `json:"link,omitempty"`
	// Width, Height (pixels) and Seconds are measured when the file is
	// archived; 0 until then.
	Width   int     `json:"width,omitempty"`
	Height  int     `json:"height,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"`
	Type    string  `json:"type,omitempty"` // media type
	// Archive tells where the copy stands.
	Archive ArchiveState `json:"archive"`
	SHA256  string       `json:"sha256,omitempty"`  // of the archived file, in hex
	Got     int64        `json:"got,omitempty"`     // bytes so far, while Archive is ArchiveCopying
	Problem *Problem     `json:"problem,omitempty"` // why it could not be copied
	// Poster says that there is one at PosterPath.
	Poster bool `json:"poster,omitempty"`
}

// MediaPathOf is where the output n of a task is played from.
func MediaPathOf(task string, n int) string { return MediaPath + task + "/" + strconv.Itoa(n) }

// PosterPathOf is where the poster of the output n of a task is set and shown.
func PosterPathOf(task string, n int) string { return PostersPath + task + "/" + strconv.Itoa(n) }

// ArchiveState is where the copy of an output stands.
type ArchiveState string

// The states of a copy.
const (
	ArchiveWaiting ArchiveState = "waiting" // to be copied
	ArchiveCopying ArchiveState = "copying"
	ArchiveSaved   ArchiveState = "saved"   // plays after the gateway has deleted its own
	ArchiveFailed  ArchiveState = "failed"  // it is not tried again; see VideoOutput.Problem
	ArchiveFull    ArchiveState = "full"    // waits for room: see Archive
	ArchiveRemoved ArchiveState = "removed" // was saved, and had to make room
)

// How a person settles an unknown creation.
const (
	WentThrough = "went_through"
	DidNot      = "did_not"
)

// VideoSettle ends the doubt about a creation whose answer was lost (G35).
type VideoSettle struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"` // WentThrough or DidNot
	// Remote is the gateway's id, task_…, of one that went through. It is
	// found in the gateway's dashboard.
	Remote string `json:"remote,omitempty"`
}

// VideoEdit changes what a person adds to a task. What is nil stays.
type VideoEdit struct {
	ID        string    `json:"id"`
	Title     *string   `json:"title,omitempty"`
	Tags      *[]string `json:"tags,omitempty"`
	Favourite *bool     `json:"favourite,omitempty"`
	Pinned    *bool     `json:"pinned,omitempty"`
}

// VideoMeasure asks for the length of a video that the browser can't read. The
// server fetches it, from public addresses and its own only.
type VideoMeasure struct {
	URL string `json:"url"`
}

// Measured is a file's measures.
type Measured struct {
	Type    string  `json:"type"` // "video/mp4", "image/png", …
	Seconds float64 `json:"seconds,omitempty"`
	Width   int     `json:"width"` // pixels
	Height  int     `json:"height"`
	Bytes   int64   `json:"bytes"`
}

// Upload answers a POST to UploadsPath.
type Upload struct {
	ID string `json:"id"`
	// URL is what goes into a request: absolute, where a gateway can fetch it.
	URL string `json:"url"`
	// Path is the same file for the browser's own preview.
	Path string `json:"path"`
	Measured
	Name string `json:"name,omitempty"`
	// Unreachable is set where the configured gateway can't fetch URL: there
	// is no public address (-public-url). The form says what to set.
	Unreachable bool `json:"unreachable,omitempty"`
}

// VideoUploads asks for one's own uploads: videos, or else images.
type VideoUploads struct {
	Videos bool `json:"videos,omitempty"`
}

// VideoUploaded are the newest MaxUploadsPage of a kind, as far as they are
// kept: what was uploaded last may push out what is older than a day.
type VideoUploaded struct {
	Uploads []Upload `json:"uploads"`
}

// Bounds of ArchiveSettings.
const (
	DefaultQuota = 10 << 30 // bytes
	MinQuota     = 100 << 20
	MaxQuota     = 100 << 40
)

// ArchiveSettings are the settings of the archive.
type ArchiveSettings struct {
	QuotaBytes int64 `json:"quota_bytes"` // MinQuota to MaxQuota; 0 is DefaultQuota
	// MakeRoom removes the oldest files that are not pinned when the quota is
	// reached. Without it nothing more is copied then.
	MakeRoom bool `json:"make_room"`
}

// TaskGone names a task that is among the deleted ones, or gone for good, and the
// version with which it went: what is told of an earlier one is old.
type TaskGone struct {
	ID      string `json:"id"`
	Version int64  `json:"version,omitempty"`
}

// Archive is how the archive stands.
type Archive struct {
	Settings ArchiveSettings `json:"settings"`
	Bytes    int64           `json:"bytes"` // of the owner's files, each counted once
	Files    int64           `json:"files"`
	// DeletedBytes is what the deleted tasks alone hold beside Bytes, until
	// they go for good or new clips need the room.
	DeletedBytes int64 `json:"deleted_bytes,omitempty"`
	Waiting      int64 `json:"waiting"` // outputs still to be copied
	// FreeBytes is what the disk has left; -1 where it is not known.
	FreeBytes int64 `json:"free_bytes"`
	// Warn: nine tenths of the quota are used, or the disk is nearly full.
	Warn bool `json:"warn,omitempty"`
	// NextOut are the tasks whose files would go first to make room, at most
	// 20; on a warning only.
	NextOut []string `json:"next_out,omitempty"`
	// Uploads and UploadsMax are the bytes of uploaded files and their bound.
	Uploads    int64 `json:"uploads"`
	UploadsMax int64 `json:"uploads_max"`
}
