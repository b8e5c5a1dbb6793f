package video

import (
	"encoding/json"
	"slices"
	"testing"

	"screentest/shared/wire"
)

func TestParameters(t *testing.T) {
	clip := wire.VideoTask{Body: json.RawMessage(`{"model":"m","prompt":"p","seconds":"6","seeds":12345,"image_urls":["a"]}`)}
	want := []Parameter{{"model", "m"}, {"seconds", "6"}, {"seeds", "12345"}, {"image_urls", `["a"]`}}
	if got := Parameters(&clip); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for _, bad := range []string{``, `[]`, `{"a"`, `{"a":`} {
		_ = Parameters(&wire.VideoTask{Body: json.RawMessage(bad)}) // nothing that is stored makes the page fail
	}
}
