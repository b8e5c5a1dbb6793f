package gateway

// Issue is one thing to say about a request: what is wrong, what would do,
// and why.
type Issue struct {
	// Field is the place in the body: "seconds", "multi_prompt[2].duration",
	// or "" for the body as a whole.
	Field   string   `json:"field"`
	Code    string   `json:"code"`    // stable, for programs; an error's is the gateway's
	Message string   `json:"message"` // for people: field, bound, what was found
	Allowed []string `json:"allowed"` // the values that would do, where they can be listed
	Fact    string   `json:"fact"`    // number of the fact or decision: "F59"
	Hint    string   `json:"hint,omitempty"`
}

// Verdict is what Validate finds. Errors come in the order in which a gateway
// checks (G41): the first is the one that it would answer.
type Verdict struct {
	Errors   []Issue
	Warnings []Issue
	Price    *Quote // of a video whose seconds are right; else nil
}

// OK says that the request may go.
func (v Verdict) OK() bool { return len(v.Errors) == 0 }
