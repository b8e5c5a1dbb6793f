package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"screentest/server/e2e/rig"
)

// request is one line of the sandbox's record.
type request struct {
	Method, Path, Body string
	Status             int
}

// record returns what the sandbox was asked, oldest first.
func record(t *testing.T, sandbox *rig.Program) []request {
	t.Helper()
	var out struct{ Requests []request }
	res := ask(t, sandbox, http.MethodGet, "/sandbox/requests", "")
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	// That models are asked for is no request of a person's.
	return slices.DeleteFunc(out.Requests, func(r request) bool { return r.Path == "/v1/models" })
}

// replay sends the newest text request that the sandbox was asked once more,
// straight to a sandbox without a pace, and returns the text of its answer,
// read by a decoder that shares nothing with the program's. Any sandbox answers
// a request the same.
func replay(t *testing.T, sandbox *rig.Program) string {
	t.Helper()
	var newest request
	for _, r := range record(t, sandbox) {
		if strings.HasPrefix(r.Path, "/v1/") && r.Method == http.MethodPost {
			newest = r
		}
	}
	if newest.Body == "" {
		t.Fatal("the sandbox has no record of a text request")
	}
	return replayOf(t, newest)
}

// replayOf is replay for any text request.
func replayOf(t *testing.T, newest request) string {
	t.Helper()
	res := ask(t, fast, newest.Method, newest.Path, newest.Body)
	var text strings.Builder
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var event struct {
			Type    string
			Delta   json.RawMessage
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if len(event.Choices) > 0 {
			text.WriteString(event.Choices[0].Delta.Content)
		}
		if event.Type == "response.output_text.delta" {
			var delta string
			if err := json.Unmarshal(event.Delta, &delta); err != nil {
				t.Fatal(err)
			}
			text.WriteString(delta)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func ask(t *testing.T, sandbox *rig.Program, method, path, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequest(method, sandbox.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+sandboxKey)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, path, res.Status)
	}
	return res
}
