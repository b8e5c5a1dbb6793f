package wire

// The calls of a team's library. EventTeamEntry goes to all of the team.
const (
	OpTeamLibrary     Op    = "team_library"      // Target, a team → TeamLibrary
	OpTeamLibraryPut  Op    = "team_library_put"  // TeamEntry → TeamEntry; EventTeamEntry
	OpTeamLibraryPast Op    = "team_library_past" // Target, an entry → TeamLibrary, its versions, the newest first
	OpTeamLibraryDrop Op    = "team_library_drop" // Target, an entry → nothing; EventTeamEntry
	EventTeamEntry    Event = "team_entry"        // TeamEntry; Deleted says that it is gone
)

// CodeChangedSince refuses to save over a version that one hasn't seen (409).
const CodeChangedSince = "changed_since"

// TeamEntry is a version of an entry of a team's library.
type TeamEntry struct {
	LibraryEntry
	Team string `json:"team"`
	// Rev counts the versions. A put names the one that it changes, 0 for a new
	// entry: of two who change the same one the second is told CodeChangedSince.
	Rev int64  `json:"rev"`
	By  string `json:"by,omitempty"` // their name
}

// TeamLibrary are a team's entries, or the versions of one.
type TeamLibrary struct {
	Entries []TeamEntry `json:"entries"`
}
