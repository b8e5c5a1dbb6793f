package wire

// Addresses of the gateway's connection. They are no calls of the socket: a key
// goes over none.
const (
	GatewayPath     = "/api/gateway"      // PUT connects, DELETE goes back to the sandbox
	GatewayTestPath = "/api/gateway/test" // POST looks what is there
)

// MaxGatewayAddress bounds the address of a gateway, in bytes.
const MaxGatewayAddress = 500

// GatewayAt names a gateway to be tested or connected.
type GatewayAt struct {
	Address string `json:"address"`
	// Key is the one that was typed; "" is the one that is held, if it is for this
	// address.
	Key string `json:"key,omitempty"`
	// Team is the id of the team that a key which is typed becomes the key of;
	// without accounts it is not used.
	Team string `json:"team,omitempty"`
}

// What the test of a gateway says of its key.
const (
	KeyAccepted = "accepted" // the gateway refuses calls without it, and takes it
	KeyRefused  = "refused"
	KeyWanted   = "wanted"   // there was none, and the gateway asks for one
	KeyNotAsked = "none"     // the gateway asks for none
	KeyUnsure   = "not_told" // its answers don't tell
)

// GatewayFound is what a test found, or what was found while a gateway was
// connected.
type GatewayFound struct {
	// Address is the one typed, as it is connected.
	Address string `json:"address"`
	// OK says that a gateway answers there, and doesn't refuse the key.
	OK        bool        `json:"ok"`
	Connected bool        `json:"connected,omitempty"`
	Key       string      `json:"key,omitempty"` // KeyAccepted and the like; "" where nothing answers
	Lines     []FoundLine `json:"lines"`
	TookMS    int64       `json:"took_ms"`
}

// FoundLine is one thing that was found.
type FoundLine struct {
	Mark string `json:"mark"` // MarkGood and the like
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"` // what to do
}

// The marks of a FoundLine.
const (
	MarkGood   = "good"
	MarkBad    = "bad"    // it can't be used like this
	MarkWarn   = "warn"   // it is worth a look
	MarkUnsure = "unsure" // it can't be told
)
