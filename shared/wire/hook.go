package wire

// The calls of a person's web hook: an address that is told when a share of a
// budget is spent. It is told by POST, with the JSON of a HookCall.
const (
	OpHook    Op = "hook"     // nothing → Hook
	OpSetHook Op = "set_hook" // HookSettings → Hook
	OpTryHook Op = "try_hook" // nothing → Hook, after a HookCall of HookTest
)

// Bounds of a web hook.
const (
	MaxHookURL = 2000 // bytes
	HookTries  = 3    // a call that fails is made again so often in all
)

// HookSettings set the address; "" takes it away.
type HookSettings struct {
	URL string `json:"url"` // https, or http; it is kept sealed and never told again
}

// Hook is how a person's web hook stands.
type Hook struct {
	Host string `json:"host,omitempty"` // of the address; "": there is none
	// AtMS is when it was called last since the server started, 0 if it wasn't;
	// Trouble is why that failed, "" where it didn't.
	AtMS    int64  `json:"at_ms,omitempty"`
	Trouble string `json:"trouble,omitempty"`
}

// What a HookCall is about.
const (
	HookBudget = "budget.share_spent"
	HookTest   = "test"
)

// HookCall is what a web hook is sent. Text and Content are the same sentence,
// under the names by which chat programs take it.
type HookCall struct {
	Event   string       `json:"event"`
	Text    string       `json:"text"`
	Content string       `json:"content"`
	Budget  *BudgetState `json:"budget,omitempty"` // of HookBudget
	AtMS    int64        `json:"at_ms"`
}
