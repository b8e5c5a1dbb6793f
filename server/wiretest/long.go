package wiretest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"screentest/shared/wire"
)

// Long is a file of one conversation with n messages, as an export has it, and the
// messages' ids. Answer i says "answer i", and its heights differ.
func Long(title string, n int) (file []byte, ids []string, err error) {
	type message map[string]any
	var all []message
	parent, at := "", int64(1_760_000_000_000)
	for i := range n {
		id := uuid.NewString()
		ids = append(ids, id)
		m := message{"id": id, "role": "user", "text": fmt.Sprintf("question %d", i), "created_ms": at + int64(i)}
		if parent != "" {
			m["parent"] = parent
		}
		if i%2 == 1 {
			text := fmt.Sprintf("answer %d\n\n", i) + strings.Repeat("Some **words** to read. ", 1+i*7%90)
			if i%10 == 3 {
				text += "\n\n```go\nfunc f() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
			}
			m["role"], m["text"] = "assistant", text
			m["run"] = message{"id": uuid.NewString(), "endpoint": "chat", "model": "vendor/model-a", "state": "done",
				"started_ms": at + int64(i), "duration_ms": 900, "first_token_ms": 200}
		}
		all = append(all, m)
		parent = id
	}
	conversations, err := json.Marshal([]any{map[string]any{
		"id": uuid.NewString(), "title": title, "created_ms": at, "updated_ms": at + int64(n), "models": "vendor/model-a", "messages": all,
	}})
	// The format has to come first.
	return fmt.Appendf(nil, `{"format":"screentest.conversations","version":1,"conversations":%s}`, conversations), ids, err
}

// Import gives the server at base a file, as a program would.
func Import(ctx context.Context, base string, file []byte) (got wire.Imported, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+wire.ImportPath, bytes.NewReader(file))
	if err != nil {
		return got, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", base)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return got, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return got, err
	}
	if res.StatusCode != http.StatusOK {
		return got, fmt.Errorf("import: %s: %.400s", res.Status, body)
	}
	return got, json.Unmarshal(body, &got)
}
