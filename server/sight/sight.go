// Package sight says what somebody may see of another's: what a share shows them.
// It is only looked up, never made up: package share is the one place that asks
// who may.
package sight

// A Sight is what a share shows to who asked for it.
type Sight struct {
	Share     string // its id
	Owner     string // in whose name space Subject is
	OwnerName string
	Kind      string // wire.ShareConversation or wire.ShareClip
	Subject   string // id of the conversation or the clip
	Title     string
	// Live: it is read where it stands. Else Snapshot is the conversation as a file
	// of the export, as it was; a clip is shown without its next versions.
	Live     bool
	Snapshot []byte
	// Wire: the exact requests and events are shown, without keys and addresses.
	Wire bool
	// ByLink: nobody is asked who they are. Of people only the owner is named.
	ByLink    bool
	CreatedMS int64
	ExpiresMS int64 // 0: never
}
