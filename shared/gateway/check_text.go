package gateway

import (
	"strconv"

	"screentest/shared/strictjson"
)

// checkMessages checks a conversation (F22–F24, F31, G6).
func (k *checker) checkMessages(s *spec, v *strictjson.Value) {
	if !k.want(s, v, strictjson.Array) {
		return
	}
	if len(v.Items) == 0 {
		k.report(rMessages, s.name, "messages is empty: there must be at least one message")
		return
	}
	for i := range v.Items {
		if len(k.verdict.Errors) > maxIssues {
			return
		}
		at := "messages[" + strconv.Itoa(i) + "]"
		if v.Items[i].Kind != strictjson.Object {
			k.report(rMessages, at, at+" must be an object with role and content, not "+show(&v.Items[i]))
			continue
		}
		k.checkMessage(at, &v.Items[i])
	}
}

func (k *checker) checkMessage(at string, m *strictjson.Value) {
	role := member(m, "role")
	switch {
	case role == nil:
		k.report(rRole, at+".role", "role is missing: it is system, user, assistant or tool")
	case role.Kind != strictjson.String || role.Text == "":
		k.report(rRole, at+".role", "role must be a string such as user, not "+show(role))
	case role.Text != "system" && role.Text != "user" && role.Text != "assistant" && role.Text != "tool":
		k.report(rRoleOther, at+".role", "the role "+strconv.Quote(cut(role.Text))+" is not documented; system, user, assistant and tool are")
	}
	calls := member(m, "tool_calls")
	if calls != nil && !objects(calls) {
		k.report(rToolCalls, at+".tool_calls", "tool_calls must be an array of objects")
	}
	content := member(m, "content")
	switch {
	case content == nil:
		called := calls != nil && calls.Kind == strictjson.Array && len(calls.Items) > 0
		switch {
		case role != nil && role.Text == "assistant" && called:
		case role != nil && role.Text == "assistant":
			k.report(rContentNull, at+".content", "content may be null only in an assistant's message with tool_calls")
		default:
			k.report(rContent, at+".content", "content is missing: it must be a string")
		}
	case content.Kind == strictjson.Array:
		k.checkParts(at+".content", role, content)
	case content.Kind != strictjson.String:
		k.report(rContent, at+".content", "content must be a string, not "+show(content))
	}
}

// member returns a member that is there and not null (G12).
func member(o *strictjson.Value, name string) *strictjson.Value {
	v, ok := o.Get(name)
	if !ok || v.Kind == strictjson.Null {
		return nil
	}
	return v
}

// objects says whether v is an array of nothing but objects.
func objects(v *strictjson.Value) bool {
	if v.Kind != strictjson.Array {
		return false
	}
	for i := range v.Items {
		if v.Items[i].Kind != strictjson.Object {
			return false
		}
	}
	return true
}

// checkInput checks the one string that stands for the conversation (F33), or
// the items where the model takes them (G10).
func (k *checker) checkInput(s *spec, v *strictjson.Value) {
	switch {
	case v.Kind == strictjson.String && v.Text != "":
	case v.Kind == strictjson.String:
		k.report(rInput, s.name, "input is empty: it must say something")
	case v.Kind == strictjson.Array && k.model.InputItems:
		if len(v.Items) == 0 || !objects(v) {
			k.report(rInput, s.name, "input must be a string, or an array of at least one item, each an object")
			return
		}
		k.checkItems(s.name, v)
	case v.Kind == strictjson.Array:
		k.reportWith(rInput, s.name, "input must be a string; "+k.subject()+" takes no array", nil,
			"Write the conversation as one text.")
	default:
		k.report(rInput, s.name, "input must be a string, not "+show(v))
	}
}

// checkTools checks the format of the endpoint: functions nested on chat
// (F30), flat on responses (F37).
func (k *checker) checkTools(s *spec, v *strictjson.Value) {
	if v.Kind != strictjson.Array {
		k.report(s.shape, s.name, "tools must be an array, not "+show(v))
		return
	}
	for i := range v.Items {
		if len(k.verdict.Errors) > maxIssues {
			return
		}
		k.checkTool(s, "tools["+strconv.Itoa(i)+"]", &v.Items[i])
	}
}

func (k *checker) checkTool(s *spec, at string, tool *strictjson.Value) {
	if tool.Kind != strictjson.Object {
		k.report(s.shape, at, at+" must be an object, not "+show(tool))
		return
	}
	kind := member(tool, "type")
	if kind == nil || kind.Kind != strictjson.String || kind.Text == "" {
		k.report(s.shape, at+".type", at+` needs a type, a string such as "function"`)
		return
	}
	nested := member(tool, "function")
	if k.endpoint == Responses && nested != nil {
		k.reportWith(s.shape, at+".function", "on responses a tool is flat: name, description and parameters beside type, not within function",
			nil, "Move what is in function one level up.")
		return
	}
	if kind.Text != "function" {
		if k.endpoint != Responses || kind.Text != "web_search" {
			k.report(rToolOther, at+".type", "a tool of the type "+strconv.Quote(cut(kind.Text))+" is not documented here")
		}
		return
	}
	if k.endpoint == Chat {
		if nested == nil || nested.Kind != strictjson.Object {
			k.reportWith(s.shape, at+".function", "on chat a function tool has its name and parameters within an object named function",
				nil, `Write {"type": "function", "function": {"name": …}}.`)
			return
		}
		tool, at = nested, at+".function"
	}
	name := member(tool, "name")
	if name == nil || name.Kind != strictjson.String || name.Text == "" {
		k.report(s.shape, at+".name", "a function needs a name, a string that is not empty")
	}
	if p := member(tool, "parameters"); p != nil && p.Kind != strictjson.Object {
		k.report(s.shape, at+".parameters", "a function's parameters must be a JSON Schema, an object, not "+show(p))
	}
}
