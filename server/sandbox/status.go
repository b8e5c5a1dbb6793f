package sandbox

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"

	"screentest/server/sandbox/clip"
	"screentest/shared/gateway"
)

// isPoll says whether a path is that of a task's status (F118).
func isPoll(path string) bool {
	id, ok := strings.CutPrefix(path, gateway.Video.Path()+"/")
	return ok && id != "" && !strings.Contains(id, "/")
}

// statusReply is the wrapper of a status (F96, F97, S).
type statusReply struct {
	Code    string     `json:"code"`
	Message string     `json:"message"`
	Data    statusData `json:"data"`
}

type statusData struct {
	ID         int        `json:"id"`
	CreatedAt  int64      `json:"created_at"`
	UpdatedAt  int64      `json:"updated_at"`
	TaskID     string     `json:"task_id"`
	Platform   string     `json:"platform"`
	UserID     int        `json:"user_id"`
	Group      string     `json:"group"`
	ChannelID  int        `json:"channel_id"`
	Quota      int64      `json:"quota"` // micro-dollars; to be ignored (G34)
	Action     string     `json:"action"`
	Status     string     `json:"status"`
	FailReason string     `json:"fail_reason"`
	SubmitTime int64      `json:"submit_time"`
	StartTime  int64      `json:"start_time"`
	FinishTime int64      `json:"finish_time"`
	Progress   string     `json:"progress"`
	Properties properties `json:"properties"`
	Data       any        `json:"data"` // null while QUEUED, else a taskBody
}

type properties struct {
	Input       string `json:"input"`
	OriginModel string `json:"origin_model_name"`
}

// taskBody is the task as the provider behind the gateway tells it (F100–F106).
type taskBody struct {
	ID     string    `json:"id"` // F101
	Status string    `json:"status"`
	Model  string    `json:"model,omitempty"`
	Code   string    `json:"code,omitempty"`
	Output *[]output `json:"output,omitempty"`
}

type output struct {
	URL string `json:"url"`
}

// handleStatus answers GET /v1/video/generations/{task_…}. An unknown task and
// another key's are the same (G2).
func (s *Server) handleStatus(c *call) error {
	id := c.r.URL.Path[len(gateway.Video.Path())+1:]
	now := s.now()
	s.bank.mu.Lock()
	s.returnFailed(now)
	t := s.tasks.byID[id]
	inject := t != nil && t.Poll != 0 && !s.tasks.polled[id]
	if inject {
		s.tasks.polled[id] = true
	}
	s.bank.mu.Unlock()
	if t == nil || t.Account != c.account.name {
		return &refusal{status: http.StatusBadRequest, code: gateway.CodeTaskNotExist,
			message: "there is no task " + strconv.Quote(cut(id, 100)) + ": poll with the id that begins with task_"}
	}
	if inject {
		_, err := s.sendStatus(c, t.Poll, "")
		return err
	}
	return c.reply(statusReply{Code: "success", Data: t.report(now, s.filesBase(c))})
}

// report is what a poll tells at a moment.
func (t *task) report(now time.Time, base string) statusData {
	status := t.status(now)
	d := statusData{
		ID: t.Number, CreatedAt: t.Created.Unix(), UpdatedAt: t.Created.Unix(), TaskID: t.ID,
		Platform: "sandbox", UserID: 1, Group: "default", ChannelID: 1, Quota: int64(t.Cost) / 1000,
		Action: "generate", Status: string(status), SubmitTime: t.Created.Unix(),
		Progress: strconv.Itoa(t.progress(now)) + "%", Properties: properties{OriginModel: t.Model},
	}
	if status == gateway.StatusQueued {
		return d
	}
	d.StartTime, d.UpdatedAt = t.Started.Unix(), t.Started.Unix()
	body := taskBody{ID: t.UUID, Status: "processing", Model: t.Model}
	if status.Final() {
		d.FinishTime, d.UpdatedAt = t.Finished.Unix(), t.Finished.Unix()
		body.Status = "completed"
	}
	switch {
	case status == gateway.StatusFailure:
		d.FailReason = t.Fail // F99
		body = taskBody{ID: t.UUID, Status: "failed"}
	case t.expired(now):
		body = taskBody{ID: t.UUID, Status: "expired", Code: gateway.CodeResultExpired, Output: &[]output{}} // F102, F103
	case status == gateway.StatusSuccess:
		body.Output = &[]output{{base + filesPath + t.UUID + ".mp4"}} // F106, F111
	}
	d.Data = body
	return d
}

// filesPath is where finished clips are.
const filesPath = "/files/"

// filesBase is the address of this server as the caller reaches it.
func (s *Server) filesBase(c *call) string {
	if s.cfg.FilesBase != "" {
		return strings.TrimSuffix(s.cfg.FilesBase, "/")
	}
	if c.r.TLS != nil {
		return "https://" + c.r.Host
	}
	return "http://" + c.r.Host
}

// fileID is the UUID in the path of a file.
func fileID(path string) (string, bool) {
	name, ok := strings.CutPrefix(path, filesPath)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, ".mp4")
}

// fileSpec is the clip of a file that is there: finished well and not expired
// (F105, F111).
func (s *Server) fileSpec(uuid string) (clip.Spec, bool) {
	now := s.now()
	s.bank.mu.Lock()
	defer s.bank.mu.Unlock()
	t := s.tasks.byUUID[uuid]
	if t == nil || t.status(now) != gateway.StatusSuccess || t.expired(now) {
		return clip.Spec{}, false
	}
	return t.Clip, true
}

// handleFile serves a finished clip, with Range. It asks for no key (G40): the
// address cannot be guessed.
func (s *Server) handleFile(c *call) {
	c.record = s.requests.begin(s.now(), c.r)
	id, ok := fileID(c.r.URL.Path)
	spec, there := s.fileSpec(id)
	if !ok || !there {
		c.record.answered(http.StatusNotFound, "")
		http.Error(c.w, "404: there is no such file, or it has expired", http.StatusNotFound)
		return
	}
	b, err := spec.Encode()
	if err != nil {
		s.finish(c, err)
		return
	}
	h := c.w.Header()
	h.Set("Content-Type", "video/mp4")
	h.Set("ETag", `"`+id+`"`)
	h.Set("Cache-Control", "private, max-age=3600")
	w := &statusWriter{ResponseWriter: c.w, record: c.record}
	http.ServeContent(w, c.r, "", time.Time{}, bytes.NewReader(b))
}

// statusWriter notes the status that ServeContent chooses.
type statusWriter struct {
	http.ResponseWriter
	record *record
}

func (w *statusWriter) WriteHeader(status int) {
	w.record.answered(status, "")
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
