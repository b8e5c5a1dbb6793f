package wire

// The calls of a team's library. EventTeamEntry goes to all of the team.
const (
	OpTeamLibrary     Op    = "team_library"      // Target, a team → TeamLibrary
	OpTeamLibraryPut  Op    = "team_library_put"  // TeamEntry → TeamEntry; EventTeamEntry
	OpTeamLibraryPast Op    = "team_library_past" // TeamTarget → TeamLibrary, its versions, the newest first
	OpTeamLibraryDrop Op    = "team_library_drop" // TeamTarget → nothing; EventTeamEntry
	EventTeamEntry    Event = "team_entry"        // TeamEntry; Deleted says that it was deleted
)

// CodeChangedSince refuses to save over a version that one hasn't seen. What is
// there now is in OpTeamLibraryPast.
const CodeChangedSince = "changed_since"

// Bounds of a team's library, beside MaxEntries and MaxLibrary.
const (
	MaxVersions = 200 // of an entry
	MaxDropped  = 100 // entries that can be brought back: the oldest of more is gone for good
)

// TeamEntry is a version of an entry of a team's library. One that is Deleted can
// be brought back by putting any of its versions.
type TeamEntry struct {
	LibraryEntry
	Team string `json:"team"`
	// Rev counts the versions. A put names the one that it changes, 0 for a new
	// entry: of two who change the same one the second is told CodeChangedSince.
	Rev int64  `json:"rev"`
	By  string `json:"by,omitempty"` // their name; set by the server, as May
	// May says that one may delete it, in an answer: who made it, who leads the
	// team and who runs the instance may. News say it to nobody.
	May bool `json:"may,omitempty"`
}

// TeamTarget names an entry of a team's library.
type TeamTarget struct {
	Team string `json:"team"`
	ID   string `json:"id"`
}

// TeamLibrary are a team's entries by name, those that were deleted last among
// them, or the versions of one.
type TeamLibrary struct {
	Entries []TeamEntry `json:"entries"`
}
