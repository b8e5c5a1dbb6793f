package wire

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestStartKeepsItsBodyToTheByte(t *testing.T) {
	for _, body := range []string{
		`{"input":"a <b> & \u003c \u2028"}`, "{\r\n\t\"a\" : 1 ,\n \"b\": [ ]\n}", `"null}"`, `null`, `{}`,
	} {
		s := Start{Run: "r", Conversation: "c", User: Message{ID: "u", Text: "a <b>"}, Answer: "a", Endpoint: "chat", Switched: true, Charge: "t", Body: json.RawMessage(body)}
		raw, err := s.Verbatim()
		if err != nil {
			t.Fatal(err)
		}
		call, err := json.Marshal(Call{ID: 1, Op: OpStart})
		if err != nil {
			t.Fatal(err)
		}
		msg := append(call[:len(call)-1:len(call)-1], `,"args":`...)
		msg = append(append(msg, raw...), '}')
		var c Call
		var got Start
		if err := json.Unmarshal(msg, &c); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(c.Args, &got); err != nil {
			t.Fatal(err)
		}
		if string(got.Body) != body || !reflect.DeepEqual(got, s) {
			t.Errorf("%q came out as %q, in %+v", body, got.Body, got)
		}
	}
	of := reflect.TypeFor[Start]()
	if last := of.Field(of.NumField() - 1).Name; last != "Body" {
		t.Errorf("the last field of a Start is %s: with it a body can't be written", last)
	}
	if raw, err := (Start{}).Verbatim(); err != nil || !json.Valid(raw) {
		t.Errorf("without a body: %s, %v", raw, err)
	}
}
