package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"screentest/shared/gateway"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name string
		ep   gateway.Endpoint
		in   string
		ok   bool
		want string // the whole output but for the line feed
	}{
		{"a video that may go", gateway.Video, `{"model":"beta-video-720p","prompt":"A paper boat","seconds":"6"}`, true,
			`{"errors":[],"warnings":[],"price":{"nano_usd":300000000,"basis":"6 s × $0.05","sample":true}}`},
		{"F59 a video that may not", gateway.Video, `{"model":"beta-video-720p","prompt":"A paper boat","seconds":"7"}`, false,
			`{"errors":[{"field":"seconds","code":"invalid_seconds","message":"seconds must be 6 or 10 for beta-video-720p; it is 7","allowed":["6","10"],"fact":"F59"}],"warnings":[],"price":null}`},
		{"a warning lets it go", gateway.Chat, `{"model":"zeta-1","messages":[{"role":"user","content":"Hi"}],"temperature":3}`, true,
			`{"errors":[],"warnings":[{"field":"temperature","code":"out_of_range","message":"temperature is usually 0 to 2; it is 3","allowed":[],"fact":"F25"}],"price":null}`},
		{"with no endpoint it is the model's own", "", `{"model":"vendor/beta-4.3","input":"Hi"}`, true, `{"errors":[],"warnings":[],"price":null}`},
		{"F13 the endpoint asked for is the one that counts", gateway.Chat, `{"model":"vendor/epsilon-5.6-core","messages":[]}`, false,
			`{"errors":[{"field":"model","code":"wrong_endpoint","message":"use POST /v1/responses for vendor/epsilon-5.6-core: it is not served by this endpoint","allowed":["responses"],"fact":"F13","hint":"Switch to POST /v1/responses."}],"warnings":[],"price":null}`},
		{"with no endpoint and nothing usable the verdict says why", "", `hello`, false,
			`{"errors":[{"field":"","code":"invalid_request","message":"the body is not usable JSON: line 1, column 1: a value should be here, not 'h'","allowed":[],"fact":"F115"}],"warnings":[],"price":null}`},
		{"a body too long is read no further", gateway.Chat, strings.Repeat(" ", gateway.MaxBody+100), false,
			`{"errors":[{"field":"","code":"request_too_large","message":"the JSON is longer than 4194304 bytes, the most that is read","allowed":[],"fact":"F115"}],"warnings":[],"price":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			ok, err := Run(gateway.SampleCatalogue(), c.ep, strings.NewReader(c.in), &out)
			if err != nil || ok != c.ok || out.String() != c.want+"\n" {
				t.Errorf("ok %v, error %v, printed\n%swant ok %v,\n%s", ok, err, out.String(), c.ok, c.want)
			}
			var v gateway.Verdict
			if err := json.Unmarshal(out.Bytes(), &v); err != nil || v.OK() != ok {
				t.Errorf("what is printed reads as %+v, %v", v, err)
			}
		})
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestRunFails(t *testing.T) {
	c := gateway.SampleCatalogue()
	for name, run := range map[string]func() (bool, error){
		`there is no endpoint "images"`: func() (bool, error) { return Run(c, "images", strings.NewReader("{}"), &bytes.Buffer{}) },
		"read the request: torn":        func() (bool, error) { return Run(c, "", iotest.ErrReader(errors.New("torn")), &bytes.Buffer{}) },
		"print the verdict: broken":     func() (bool, error) { return Run(c, "", strings.NewReader("{}"), brokenPipe{}) },
	} {
		if ok, err := run(); ok || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: ok %v, error %v", name, ok, err)
		}
	}
}
