package gateway

import "encoding/json"

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

	rule   ruleID // the line of rules, where broken says that there is one
	broken bool
}

// Rule returns the rule that is broken. An issue that was read from JSON knows
// only its Fact and Code.
func (i Issue) Rule() (r Rule, known bool) { return rules[i.rule], i.broken }

// Verdict is what Validate finds. Errors come in the order in which a gateway
// checks (G41): the first is the one that it would answer.
type Verdict struct {
	Errors   []Issue
	Warnings []Issue
	Price    *Quote // of a video whose seconds are right; else nil
}

// OK says that the request may go.
func (v Verdict) OK() bool { return len(v.Errors) == 0 }

// MarshalJSON writes the verdict as the command check prints it: lists are
// never null, the price is null where it is not known.
func (v Verdict) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Errors   []Issue `json:"errors"`
		Warnings []Issue `json:"warnings"`
		Price    *Quote  `json:"price"`
	}{listed(v.Errors), listed(v.Warnings), v.Price}), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Verdict) UnmarshalJSON(b []byte) error {
	var read struct {
		Errors   []Issue `json:"errors"`
		Warnings []Issue `json:"warnings"`
		Price    *Quote  `json:"price"`
	}
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	*v = Verdict(read)
	if v.Price != nil {
		v.Price.Known = true // what is not known is not quoted
	}
	return nil
}

// listed is issues with no list in it nil.
func listed(issues []Issue) []Issue {
	out := make([]Issue, len(issues))
	for i, issue := range issues {
		if issue.Allowed == nil {
			issue.Allowed = []string{}
		}
		out[i] = issue
	}
	return out
}

// maxIssues bounds each list of a verdict, whatever the body.
const maxIssues = 50

// add puts a broken rule into the verdict.
func (v *Verdict) add(r ruleID, i Issue) {
	rule := &rules[r]
	i.Code, i.Fact, i.rule, i.broken = rule.Code, rule.Fact, r, true
	list := &v.Errors
	if rule.Warning {
		list = &v.Warnings
	}
	switch {
	case len(*list) < maxIssues:
		*list = append(*list, i)
	case len(*list) == maxIssues:
		*list = append(*list, Issue{Code: CodeMoreIssues, Message: "there is more of this; these are the first"})
	}
}
