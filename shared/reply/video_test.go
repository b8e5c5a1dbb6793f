package reply

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	sampleTask = "task_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"
	sampleUUID = "6f1c2d3e-4a5b-4c6d-8e7f-001122334455"
)

func TestReadCreated(t *testing.T) {
	tests := []struct {
		name, body string
		want       Created
		problem    string // its code
	}{
		{"F91 F92 F93 F94 F95 S a task is created", sample(t, "video_create.json"), Created{ID: sampleTask, Status: TaskQueued, Progress: 0}, ""},
		{"F92 only id", `{"id":"task_1","status":"queued"}`, Created{ID: "task_1", Status: TaskQueued, Progress: -1}, ""},
		{"F92 only task_id", `{"task_id":"task_1","status":"queued","progress":0}`, Created{ID: "task_1", Status: TaskQueued}, ""},
		{"F92 an id of another kind beside task_id", `{"id":17,"task_id":"task_1"}`, Created{ID: "task_1", Status: TaskUnknown, Progress: -1}, ""},
		{"F92 a UUID as id beside task_id", `{"id":"` + sampleUUID + `","task_id":"task_1"}`, Created{ID: "task_1", Status: TaskUnknown, Progress: -1}, ""},
		{"S in a wrapper", `{"code":"success","message":"","data":{"task_id":"task_1","status":"QUEUED"}}`, Created{ID: "task_1", Status: TaskQueued, Progress: -1}, ""},
		{"S in a wrapper, as text", `{"code":"success","data":"task_1"}`, Created{ID: "task_1", Status: TaskUnknown, Progress: -1}, ""},
		{"F93 status in other letters, progress as text", `{"id":"task_1","status":"Queued","progress":"5%"}`, Created{ID: "task_1", Status: TaskQueued, Progress: 5}, ""},
		{"F95 a message beside the id is no error", `{"id":"task_1","message":"accepted"}`, Created{ID: "task_1", Status: TaskUnknown, Progress: -1}, ""},
		{"F96 an error after HTTP 200", `{"code":"insufficient_user_quota","message":"too little","data":null}`, Created{}, "insufficient_user_quota"},
		{"F96 an empty code and a message alone", `{"code":"","message":"oops","data":null}`, Created{}, CodeServerError},
		{"F92 F96 an empty code and a message beside task_id", `{"code":"","message":"ok","task_id":"task_1"}`, Created{ID: "task_1", Status: TaskUnknown, Progress: -1}, ""},
		{"F92 F96 an empty code and no message beside task_id", `{"code":"","message":null,"task_id":"task_1"}`, Created{ID: "task_1", Status: TaskUnknown, Progress: -1}, ""},
		{"G35 F96 an empty code and nothing said", `{"code":"","message":null,"data":null}`, Created{}, CodeNoTask},
		{"F96 an empty code beside the task", `{"code":"","message":"ok","data":{"task_id":"task_1"}}`, Created{ID: "task_1", Status: TaskUnknown, Progress: -1}, ""},
		{"S an error object after HTTP 200", `{"error":{"message":"no","code":"invalid_seconds"}}`, Created{}, "invalid_seconds"},
		{"G35 no id: it may have been billed", `{"status":"queued"}`, Created{}, CodeNoTask},
		{"G35 an id that is none", `{"id":"6f1c"}`, Created{}, CodeNoTask},
		{"F91 an id that does not fit an address", `{"id":"task_../../x"}`, Created{}, CodeNoTask},
		{"F91 an id without anything after task_", `{"id":"task_"}`, Created{}, CodeNoTask},
		{"F91 an id without end", `{"id":"task_` + strings.Repeat("a", 1000) + `"}`, Created{}, CodeNoTask},
		{"G35 an empty body", "", Created{}, CodeNoTask},
		{"G35 a web page", "<html><title>Login</title></html>", Created{}, CodeNoTask},
		{"G35 cut JSON", `{"id":"task_1"`, Created{}, CodeNoTask},
		{"G35 JSON of another kind", `[]`, Created{}, CodeNoTask},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, p := ReadCreated([]byte(tt.body))
			code := ""
			if p != nil {
				code = p.Code
			}
			if got != tt.want || code != tt.problem {
				t.Errorf("got %+v, problem %v, want %+v, %q", got, p, tt.want, tt.problem)
			}
			if tt.problem == CodeNoTask && KindOf(p) != Broken {
				t.Errorf("G35 kind %v", KindOf(p))
			}
		})
	}
}

// short form of a task, for tables.
func taskText(t Task) string {
	return fmt.Sprintf("%s %s uuid=%s %d%% %q %v", t.ID, t.State, t.UUID, t.Progress, t.FailReason, t.URLs)
}

func TestReadTask(t *testing.T) {
	var shapes map[string]json.RawMessage
	if err := json.Unmarshal([]byte(sample(t, "video_status.json")), &shapes); err != nil {
		t.Fatal(err)
	}
	wrap := func(rest string) string {
		return `{"code":"success","message":"","data":{"task_id":"task_1",` + rest + `}}`
	}
	uuid := `"id":"` + sampleUUID + `"`
	tests := []struct{ name, body, want string }{
		{"F97 F108 S queued, nothing nested", string(shapes["queued"]), sampleTask + ` queued uuid= 20% "" []`},
		{"F97 F100 F101 F110 S in progress", string(shapes["in_progress"]), sampleTask + ` in_progress uuid=` + sampleUUID + ` 30% "" []`},
		{"F97 F106 F111 S success", string(shapes["success"]), sampleTask + ` success uuid=` + sampleUUID + ` 100% "" [http://127.0.0.1:8080/files/` + sampleUUID + `.mp4]`},
		{"F99 F112 F163 S failure", string(shapes["failure"]), sampleTask + ` failure uuid=` + sampleUUID + ` 100% "sandbox: injected failure" []`},
		{"F102 F103 F104 G33 S expired", string(shapes["expired"]), sampleTask + ` expired uuid=` + sampleUUID + ` 100% "" []`},
		{"F103 expired by the nested code alone", wrap(`"status":"SUCCESS","data":{` + uuid + `,"code":"result_expired","output":[{"url":"https://f.test/a.mp4"}]}`), `task_1 expired uuid=` + sampleUUID + ` -1% "" []`},
		{"F102 expired in other letters", wrap(`"status":"SUCCESS","data":{` + uuid + `,"status":"Expired"}`), `task_1 expired uuid=` + sampleUUID + ` -1% "" []`},
		{"G33 expired by the outer status", wrap(`"status":"expired"`), `task_1 expired uuid= -1% "" []`},
		{"G33 expired by the outermost code", `{"code":"result_expired","message":"gone","data":{"task_id":"task_1","status":"SUCCESS"}}`, `task_1 expired uuid= -1% "" []`},
		{"F98 statuses in any letters", wrap(`"status":"In_Progress"`), `task_1 in_progress uuid= -1% "" []`},
		{"F101 the UUID in capitals", wrap(`"status":"SUCCESS","data":{"id":"` + strings.ToUpper(sampleUUID) + `"}`), `task_1 success uuid=` + sampleUUID + ` -1% "" []`},
		{"F101 what is not a UUID is not taken for one", wrap(`"status":"SUCCESS","data":{"id":"17"}`), `task_1 success uuid= -1% "" []`},
		{"F106 several files, in order, each once", wrap(`"status":"SUCCESS","data":{"output":[{"url":"https://f.test/a.mp4"},{"url":"https://f.test/b.mp4"},{"url":"https://f.test/a.mp4"},{"url":""},{},{"url":"ftp://x"},{"url":"javascript:x"}]}`), `task_1 success uuid= -1% "" [https://f.test/a.mp4 https://f.test/b.mp4]`},
		{"F106 files as plain addresses", wrap(`"status":"SUCCESS","data":{"output":["https://f.test/a.mp4"]}`), `task_1 success uuid= -1% "" [https://f.test/a.mp4]`},
		{"F106 one file that is no list", wrap(`"status":"SUCCESS","data":{"output":{"url":"https://f.test/a.mp4"}}`), `task_1 success uuid= -1% "" [https://f.test/a.mp4]`},
		{"S NOT_START is not terminal", wrap(`"status":"NOT_START"`), `task_1 queued uuid= -1% "" []`},
		{"S SUBMITTED is not terminal", wrap(`"status":"SUBMITTED"`), `task_1 queued uuid= -1% "" []`},
		{"S UNKNOWN is not terminal", wrap(`"status":"UNKNOWN"`), `task_1 unknown uuid= -1% "" []`},
		{"S a status nobody knows is not terminal", wrap(`"status":"PONDERING"`), `task_1 unknown uuid= -1% "" []`},
		{"S completed", wrap(`"status":"completed"`), `task_1 success uuid= -1% "" []`},
		{"S succeeded", wrap(`"status":"succeeded"`), `task_1 success uuid= -1% "" []`},
		{"S processing", wrap(`"status":"processing"`), `task_1 in_progress uuid= -1% "" []`},
		{"S failed", wrap(`"status":"failed","fail_reason":"x"`), `task_1 failure uuid= -1% "x" []`},
		{"S cancelled", wrap(`"status":"cancelled"`), `task_1 failure uuid= -1% "" []`},
		{"S progress as a number", wrap(`"status":"IN_PROGRESS","progress":30`), `task_1 in_progress uuid= 30% "" []`},
		{"S progress empty", wrap(`"status":"IN_PROGRESS","progress":""`), `task_1 in_progress uuid= -1% "" []`},
		{"S progress beyond its range", wrap(`"status":"IN_PROGRESS","progress":"900%"`), `task_1 in_progress uuid= -1% "" []`},
		{"S nested data is a whole wrapper", wrap(`"status":"SUCCESS","data":{"code":"success","message":"","data":{` + uuid + `,"status":"completed","output":[{"url":"https://f.test/a.mp4"}]}}`), `task_1 success uuid=` + sampleUUID + ` -1% "" [https://f.test/a.mp4]`},
		{"S a wrapper in a wrapper in a wrapper", wrap(`"status":"SUCCESS","data":{"code":"success","data":{"task_id":"task_x","status":"SUCCESS","data":{"code":"success","data":{` + uuid + `,"output":[{"url":"https://f.test/a.mp4"}]}}}}`), `task_1 success uuid=` + sampleUUID + ` -1% "" [https://f.test/a.mp4]`},
		{"S result_url", wrap(`"status":"SUCCESS","result_url":"https://f.test/a.mp4","data":{` + uuid + `}`), `task_1 success uuid=` + sampleUUID + ` -1% "" [https://f.test/a.mp4]`},
		{"F106 the list of files before result_url", wrap(`"status":"SUCCESS","result_url":"https://f.test/a.mp4","data":{"output":[{"url":"https://f.test/a.mp4"},{"url":"https://f.test/b.mp4"}]}`), `task_1 success uuid= -1% "" [https://f.test/a.mp4 https://f.test/b.mp4]`},
		{"S an address in fail_reason on SUCCESS", wrap(`"status":"SUCCESS","fail_reason":"https://f.test/a.mp4?sig=sk-abcdefghijkl"`), `task_1 success uuid= -1% "" [https://f.test/a.mp4?sig=sk-abcdefghijkl]`},
		{"S an address in fail_reason on FAILURE is a reason", wrap(`"status":"FAILURE","fail_reason":"https://f.test/why"`), `task_1 failure uuid= -1% "https://f.test/why" []`},
		{"S the flat form", `{"task_id":"task_1","status":"succeeded","url":"https://f.test/a.mp4","format":"mp4","metadata":{"duration":6},"error":null}`, `task_1 success uuid= -1% "" [https://f.test/a.mp4]`},
		{"S the flat form, failed", `{"task_id":"task_1","status":"failed","url":"","error":{"code":"x","message":"too dark"}}`, `task_1 failure uuid= -1% "too dark" []`},
		{"S the flat form, still at it", `{"task_id":"task_1","status":"processing","url":""}`, `task_1 in_progress uuid= -1% "" []`},
		{"S a wrapper with no data", `{"code":"success","data":null}`, ` unknown uuid= -1% "" []`},
		{"F113 failure without anything before it", wrap(`"status":"FAILURE","fail_reason":"no \u0000\u202ereason","start_time":0`), `task_1 failure uuid= -1% "no reason" []`},
		{"F112 a failure has no files", wrap(`"status":"FAILURE","fail_reason":"x","data":{"status":"expired","output":[{"url":"https://f.test/a.mp4"}]}`), `task_1 failure uuid= -1% "x" []`},
		{"F96 an error after HTTP 200", `{"code":"task_not_exist","message":"no","data":null}`, "problem task_not_exist"},
		{"F96 an error code beside data", `{"code":"upstream_error","message":"no","data":{"status":"SUCCESS"}}`, "problem upstream_error"},
		{"S an error object", `{"error":{"message":"no","code":"model_not_found"}}`, "problem model_not_found"},
		{"S an error within a wrapper", `{"code":"success","data":{"code":"task_not_exist","message":"no","data":null}}`, "problem task_not_exist"},
		{"G36 a web page is no failure of the task", `<html></html>`, "problem gateway_html"},
		{"G36 an empty body is no failure of the task", ``, "problem gateway_empty"},
		{"G36 cut JSON is no failure of the task", `{"code":"success","data":{"status":"FAIL`, "problem gateway_not_understood"},
		{"G36 JSON of another kind is no failure of the task", `{"hello":1}`, "problem gateway_not_understood"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			task, p := ReadTask([]byte(tt.body))
			got := taskText(task)
			if p != nil {
				got = "problem " + p.Code
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}

	task, _ := ReadTask(shapes["success"])
	if task.Model != "beta-video-720p" || task.Action != "generate" || !task.Submitted.Equal(time.Unix(1795219200, 0)) || !task.Started.Equal(time.Unix(1795219205, 0)) || !task.Finished.Equal(time.Unix(1795219260, 0)) {
		t.Errorf("S the rest of a status: %+v", task)
	}
	dearer := strings.Replace(string(shapes["success"]), `"quota": 300000`, `"quota": 900000`, 1)
	if other, _ := ReadTask([]byte(dearer)); dearer == string(shapes["success"]) || taskText(other) != taskText(task) {
		t.Errorf("G34 another quota makes another task: %+v", other)
	}
	if task, _ := ReadTask(shapes["queued"]); !task.Started.IsZero() || !task.Finished.IsZero() {
		t.Errorf("S times that are 0 are none: %+v", task)
	}
}

func TestTaskIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"code":"success","data":{"task_id":"task_1","status":"SUCCESS","fail_reason":"` + strings.Repeat("x", 1<<20) + `","data":{"output":[`)
	for i := range 10_000 {
		fmt.Fprintf(&b, `{"url":"https://f.test/%d"},`, i)
	}
	b.WriteString(`{"url":"https://f.test/` + strings.Repeat("y", 2*maxURL) + `"}]}}}`)
	task, p := ReadTask([]byte(b.String()))
	if p != nil || len(task.URLs) != maxURLs {
		t.Errorf("%d addresses, problem %v", len(task.URLs), p)
	}
	task, _ = ReadTask([]byte(strings.Replace(b.String(), "SUCCESS", "FAILURE", 1)))
	if len(task.FailReason) > maxSaid {
		t.Errorf("a reason of %d bytes", len(task.FailReason))
	}
	deep := strings.Repeat(`{"data":`, 400) + `{"status":"SUCCESS"}` + strings.Repeat("}", 400)
	if _, p := ReadTask([]byte(deep)); p == nil {
		t.Error("a status 400 levels deep was found")
	}
}
