package reply

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"screentest/shared/wire"
)

// Created is the reply to the creation of a video task (F91–F95).
type Created struct {
	ID       string // begins with task_: what is polled
	Status   TaskState
	Progress int // percent; -1 where it is not told
}

// TaskState is how far a video task is.
type TaskState string

// The states. TaskSuccess, TaskFailure and TaskExpired are final, but that
// TaskSuccess becomes TaskExpired.
const (
	TaskQueued     TaskState = "queued"
	TaskInProgress TaskState = "in_progress"
	TaskSuccess    TaskState = "success"
	TaskFailure    TaskState = "failure"
	TaskExpired    TaskState = "expired" // it succeeded, and its files are deleted (F102–F105)
	TaskUnknown    TaskState = "unknown" // the gateway says nothing that is known: ask again
)

// Task is a status reply (F96–F106).
type Task struct {
	ID    string // begins with task_
	State TaskState
	// UUID is the internal id, data.data.id, that actions take (F67, F68): in
	// lower case, "" while it is not told.
	UUID       string
	Model      string
	Action     string
	Progress   int      // percent; -1 where it is not told
	FailReason string   // of a failure (F99)
	URLs       []string // http and https addresses of the files, all of them (F106)
	Submitted  time.Time
	Started    time.Time
	Finished   time.Time

	reasonURL string // an address where the reason of a failure belongs
}

// Bounds of a task's reply.
const (
	maxURLs   = 64
	maxUnwrap = 8 // levels of "data"; S has wrappers to depth 3
)

// ReadCreated reads the body of a 2xx reply to a creation. When it gives no
// id, the problem is the gateway's error or CodeNoTask; in that second case
// the task may exist and be billed (G35).
func ReadCreated(body []byte) (Created, *wire.Problem) {
	v, ok := parseJSON(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !ok {
		return Created{}, misread(CodeNoTask, body)
	}
	if f := gather(v); failedCode(&f) || isError(&f) && taskID(v) == "" {
		p := problemOf(0, v, body)
		p.Raw = rawText(body)
		return Created{}, p
	}
	for range maxUnwrap {
		if id := taskID(v); id != "" {
			return Created{ID: id, Status: taskState(v.get("status").text()), Progress: progress(v.get("progress"))}, nil
		}
		next := v.get("data")
		if next.is('"') { // {"code":"success","data":"task_…"}
			if id := next.text(); IsTaskID(id) {
				return Created{ID: id, Status: TaskUnknown, Progress: -1}, nil
			}
		}
		v = next
	}
	return Created{}, misread(CodeNoTask, body)
}

// failedCode says whether a wrapper's code is one other than success (F96). An
// empty one is, where nothing but a message stands beside it: no task may be
// taken for a refusal.
func failedCode(f *fields) bool {
	if f.code.is('"') {
		if len(f.code) == 2 {
			return f.message.is('"') && len(f.message) > 2 && f.id.null() && f.taskID.null() && f.status.null() && f.data.null()
		}
		return !f.code.equals("success") && !f.code.equals(codeExpired)
	}
	n, ok := f.code.int()
	return ok && n != 0 && n != 200
}

const codeExpired = "result_expired" // F103

// taskID is the id of a task object: whichever of the two is there (F92).
func taskID(v raw) string {
	for _, name := range []string{"id", "task_id"} {
		if id := v.get(name).text(); IsTaskID(id) {
			return id
		}
	}
	return ""
}

// IsTaskID says whether s can stand in the address of a poll: task_ and
// letters, digits, - and _ (F91, F118).
func IsTaskID(s string) bool {
	rest, ok := strings.CutPrefix(s, "task_")
	if !ok || rest == "" || len(s) > maxID {
		return false
	}
	for _, c := range []byte(rest) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}

// ReadTask reads the body of a 2xx reply to a poll. The problem is the
// gateway's error, or says that the body cannot be read: neither is a failure
// of the task (G36).
func ReadTask(body []byte) (Task, *wire.Problem) {
	v, ok := parseJSON(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !ok {
		return Task{}, misread(CodeNotUnderstood, body)
	}
	t := Task{State: TaskUnknown, Progress: -1}
	expired, seen := false, false
	for level := 0; level < maxUnwrap && v.is('{'); level++ {
		f := gather(v)
		status := f.status.text()
		if f.code.equals(codeExpired) || strings.EqualFold(status, "expired") {
			expired = true
		}
		if status == "" && t.State == TaskUnknown && (failedCode(&f) || hasError(f.err)) {
			p := problemOf(0, v, body)
			p.Raw = rawText(body)
			return Task{}, p
		}
		seen = seen || status != "" || !f.code.null()
		t.level(v, &f, status)
		v = v.get("data")
	}
	if !seen && t.ID == "" && t.UUID == "" {
		return Task{}, misread(CodeNotUnderstood, body)
	}
	if expired && t.State != TaskFailure { // G33: the outer status stays SUCCESS
		t.State, t.URLs = TaskExpired, nil
	}
	if t.State == TaskSuccess && len(t.URLs) == 0 {
		t.addURL(t.reasonURL)
	}
	t.reasonURL = ""
	if t.State != TaskFailure {
		t.FailReason = ""
	} else {
		t.URLs = nil
	}
	return t, nil
}

// level takes what one level of the reply tells. The outermost status counts;
// the rest is taken from wherever it stands first, the UUID and the model from
// the innermost.
func (t *Task) level(v raw, f *fields, status string) {
	if s := taskState(status); t.State == TaskUnknown && s != TaskUnknown && s != TaskExpired {
		t.State = s
	}
	if t.ID == "" {
		t.ID = taskID(v)
	}
	var output, result, url, reason, metadata raw
	for name, val := range v.members() {
		switch string(name) {
		case "id":
			if id := val.text(); isUUID(id) {
				t.UUID = strings.ToLower(id)
			}
		case "model":
			if m := short(val.text()); m != "" {
				t.Model = m
			}
		case "action":
			if t.Action == "" {
				t.Action = short(val.text())
			}
		case "progress":
			if t.Progress < 0 {
				t.Progress = progress(val)
			}
		case "submit_time":
			setTime(&t.Submitted, val)
		case "start_time":
			setTime(&t.Started, val)
		case "finish_time":
			setTime(&t.Finished, val)
		case "output":
			output = val
		case "result_url":
			result = val
		case "url":
			url = val
		case "metadata":
			metadata = val
		case "fail_reason":
			reason = val
		}
	}
	if t.FailReason == "" {
		t.FailReason = plain([]byte(reason.text()))
		t.reasonURL = webAddress(reason)
	}
	if t.FailReason == "" && hasError(f.err) {
		var w errorWords
		readError(f.err, &w, 3)
		t.FailReason = w.said
		if w.said == "" {
			t.FailReason = w.code
		}
	}
	t.outputs(output)
	if len(t.URLs) == 0 {
		for _, one := range []raw{result, url, metadata.get("url")} {
			if len(t.URLs) == 0 {
				t.addURL(webAddress(one))
			}
		}
	}
}

// outputs takes the files: {"url"} each, or addresses. Files of a deeper level
// are the fuller list and come in place of a single address further out.
func (t *Task) outputs(v raw) {
	first := true
	take := func(one raw) {
		if one.is('{') {
			one = one.get("url")
		}
		u := webAddress(one)
		if u == "" {
			return
		}
		if first {
			t.URLs, first = nil, false
		}
		t.addURL(u)
	}
	if !v.is('[') {
		take(v)
		return
	}
	for one := range v.items() {
		take(one)
	}
}

func (t *Task) addURL(u string) {
	if u == "" || len(t.URLs) >= maxURLs {
		return
	}
	for _, have := range t.URLs {
		if have == u {
			return
		}
	}
	t.URLs = append(t.URLs, u)
}

// taskState reads a status in any letters, with the synonyms of S (F97, F98).
func taskState(s string) TaskState {
	switch strings.ToUpper(s) {
	case "QUEUED", "NOT_START", "SUBMITTED", "PENDING":
		return TaskQueued
	case "IN_PROGRESS", "PROCESSING", "RUNNING":
		return TaskInProgress
	case "SUCCESS", "COMPLETED", "SUCCEEDED":
		return TaskSuccess
	case "FAILURE", "FAILED", "CANCELLED", "CANCELED":
		return TaskFailure
	case "EXPIRED":
		return TaskExpired
	}
	return TaskUnknown
}

// progress reads 30, "30%" and "30"; -1 where it is none of these.
func progress(v raw) int {
	s := string(v)
	if v.is('"') {
		s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v.text()), "%"))
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0 && f <= 100) {
		return -1
	}
	return int(f)
}

// setTime takes a time in Unix seconds, or milliseconds where it is too large
// for that, unless there is one already.
func setTime(t *time.Time, v raw) {
	n, ok := v.int()
	if !ok || n <= 0 || !t.IsZero() {
		return
	}
	if n >= 1e11 {
		n /= 1000
	}
	if n < 1e11 {
		*t = time.Unix(n, 0).UTC()
	}
}

// isUUID says whether s has the form 8-4-4-4-12 of hexadecimal digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
				return false
			}
		}
	}
	return true
}

// misread is the problem of a 2xx body that is no reply of a gateway.
func misread(code string, body []byte) *wire.Problem {
	said := ""
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		if code == CodeNotUnderstood {
			code = CodeEmpty
		}
	case isHTML(body):
		if code == CodeNotUnderstood {
			code = CodeHTML
		}
		said = pageTitle(body)
	}
	p := NewProblem(code, said)
	p.Raw = rawText(body)
	return p
}
