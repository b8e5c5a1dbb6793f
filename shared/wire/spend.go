package wire

import "encoding/json"

// The calls of spend, budgets and what is kept, with what they take and give.
const (
	OpSpend     Op = "spend"      // SpendQuery → Spend
	OpLedger    Op = "ledger"     // LedgerQuery → LedgerPage
	OpBudgets   Op = "budgets"    // nothing → Budgets
	OpSetBudget Op = "set_budget" // BudgetSettings → Budgets
	OpKeep      Op = "keep"       // nothing → Retention
	OpSetKeep   Op = "set_keep"   // Retention → Retention
	OpStorage   Op = "storage"    // nothing → Storage
	OpCorrect   Op = "correct"    // Correction → LedgerRow, the newest of its subject
)

// EventBudget carries a BudgetState: the share of a budget that is to be
// warned of was passed. It comes once for a budget and its period.
const EventBudget Event = "budget"

// What was changed in the settings, for all tabs of the owner.
const (
	EventBudgets Event = "budgets" // Budgets
	EventKeep    Event = "keep"    // Retention
)

// Addresses of the ledger as a file. They take the fields of a LedgerQuery by
// their JSON names as parameters, but for before and limit: all rows come,
// newest first. The CSV begins with a byte-order mark, without which Excel takes
// it for another encoding; its parameter zone is the IANA name of the time zone
// of the column local_time, UTC without it.
const (
	LedgerCSV  = "/api/ledger.csv"
	LedgerJSON = "/api/ledger.json"
)

// CodeBudgetReached is the Problem of a send that a budget has no room for.
// Nothing was sent. A turn is stored all the same, as a run that failed: what
// was written is kept, and can be asked again in each lane.
const CodeBudgetReached = "budget_reached"

// CodePriceUnknown is that of a send of which nobody knows what it costs, where a
// limit of others holds, or a budget of one's own that refuses such. Otherwise it is
// as CodeBudgetReached.
const CodePriceUnknown = "price_unknown"

// ByBudget says that a budget or a limit refused the send: nothing was sent.
func (p *Problem) ByBudget() bool {
	return p.Code == CodeBudgetReached || p.Code == CodePriceUnknown
}

// What a row of the ledger is about.
const (
	WhatText  = "text"
	WhatVideo = "video"
)

// Kinds of a row of the ledger.
const (
	KindCharge     = "charge"
	KindReturn     = "return"     // below nothing: the charge of a task that failed (F112)
	KindCorrection = "correction" // of either sign: a late or better figure
)

// How a figure was found (F8).
const (
	SourceReported  = "reported"  // the gateway's usage × the price
	SourceComputed  = "computed"  // from the request alone: a clip's seconds × the price
	SourceEstimated = "estimated" // tokens counted here, for the gateway reported none
)

// What the bars of a SpendQuery are split by.
const (
	SplitByKind   = "kind" // WhatText and WhatVideo
	SplitByModel  = "model"
	SplitByPerson = "person"
	SplitByTeam   = "team"
	SplitByPaidBy = "paid_by" // the label of the key
)

// Bounds of a SpendQuery and its answer.
const (
	MaxSpendDays = 400
	// MaxSplit is how many keys the bars are split by; what further models
	// cost is joined under the key OtherKey.
	MaxSplit = 8
)

// OtherKey is the last of Spend.Keys where there are more than MaxSplit.
const OtherKey = ""

// NoPayer is the key of what no team, or no key that is known, paid for.
const NoPayer = "-"

// SpendQuery asks for the Spend page. A day is what the viewer's clock says it
// is: the browser gives each day's beginning.
type SpendQuery struct {
	// Days are the beginnings of the days to show, in Unix milliseconds and
	// ascending, and the end of the last one: n+1 for n days, at most
	// MaxSpendDays of them. Each lies on a quarter of an hour, as the days of
	// every zone do today; so do the four below.
	Days []int64 `json:"days"`
	// Today, Week and Month are where the tiles begin; they end with today,
	// whichever Days are asked for: at Tomorrow. Week is the beginning of the
	// day six days before today.
	Today    int64 `json:"today"`
	Week     int64 `json:"week"`
	Month    int64 `json:"month"`
	Tomorrow int64 `json:"tomorrow"`
	// PriorFrom and PriorTo are the days that those shown are compared with, to
	// exclusive; both 0: none.
	PriorFrom int64 `json:"prior_from,omitempty"`
	PriorTo   int64 `json:"prior_to,omitempty"`
	// Split is SplitByKind (also "") or another of them.
	Split string `json:"split,omitempty"`
	Of
}

// Of says whose spend or rows are asked for: one's own, unless it says otherwise.
// What somebody may not see is not found.
type Of struct {
	// Everybody asks for all people's, for who may see them: an admin.
	Everybody bool `json:"everybody,omitempty"`
	// Person is the id of an account: one's own, for an admin anybody's, and with
	// a Team that one leads that of anybody whom it pays for.
	Person string `json:"person,omitempty"`
	// Team is the id of the team that paid: what it paid for everybody, for who
	// leads it and for an admin, and for others what it paid for them.
	Team string `json:"team,omitempty"`
	// PaidBy is the label of the key that paid.
	PaidBy string `json:"paid_by,omitempty"`
}

// Spend is the Spend page but for the ledger.
type Spend struct {
	Today Sum `json:"today"`
	Week  Sum `json:"week"`
	Month Sum `json:"month"`
	Range Sum `json:"range"` // of all days asked for: the sum of Days, of Models and of People
	// Prior is of the days from PriorFrom, where they were asked for.
	Prior *Sum `json:"prior,omitempty"`
	// ReservedNanoUSD is set aside for answers under way and for clips whose
	// creation is open or unknown. It is in no other figure.
	ReservedNanoUSD int64 `json:"reserved_nano_usd"`
	// Keys are what the bars are split by, the dearest first.
	Keys   []string     `json:"keys"`
	Days   []SpendDay   `json:"days"`
	Models []SpendGroup `json:"models"` // the dearest first
	People []SpendGroup `json:"people"` // one's own, or all that were asked for, the dearest first
	// Teams and PaidBy are by the team and by the key that paid, the dearest
	// first; what none paid for is in neither.
	Teams  []SpendGroup `json:"teams,omitempty"`
	PaidBy []SpendGroup `json:"paid_by,omitempty"`
	// MayEverybody says that Of.Everybody may be asked for, Alone that
	// there is nobody else: it is the same then.
	MayEverybody bool          `json:"may_everybody,omitempty"`
	Alone        bool          `json:"alone,omitempty"`
	Budgets      []BudgetState `json:"budgets"` // those that are set
}

// Sum is a total of rows of the ledger, in nano-USD.
// NanoUSD = ChargedNanoUSD + ReturnedNanoUSD + CorrectedNanoUSD.
type Sum struct {
	NanoUSD          int64 `json:"nano_usd"`
	ChargedNanoUSD   int64 `json:"charged_nano_usd"`
	ReturnedNanoUSD  int64 `json:"returned_nano_usd"`  // 0 or below
	CorrectedNanoUSD int64 `json:"corrected_nano_usd"` // of either sign
	// EstimatedNanoUSD is how much of NanoUSD comes from rows that are
	// estimates; it is not apart from them.
	EstimatedNanoUSD int64 `json:"estimated_nano_usd"`
	Rows             int64 `json:"rows"`
}

// SpendDay is one bar.
type SpendDay struct {
	FromMS  int64   `json:"from_ms"` // as asked for
	NanoUSD int64   `json:"nano_usd"`
	Parts   []int64 `json:"parts"` // nano-USD by Spend.Keys; one may be below nothing, after a return
}

// SpendGroup is a row of the tables by model, person, team and key.
type SpendGroup struct {
	Key          string `json:"key"`          // the model's id, the name of the person or team, the label of the key
	ID           string `json:"id,omitempty"` // of the person or team
	What         string `json:"what,omitempty"`
	Sum          Sum    `json:"sum"`
	InputTokens  int64  `json:"input_tokens,omitempty"`
	OutputTokens int64  `json:"output_tokens,omitempty"`
}

// How rows of the ledger are sorted.
const (
	SortNewest   = "newest"
	SortOldest   = "oldest"
	SortDearest  = "dearest"
	SortCheapest = "cheapest"
)

// MaxLedgerSearch bounds LedgerQuery.Search, in characters.
const MaxLedgerSearch = 200

// LedgerQuery asks for rows of the ledger. An empty field asks for all.
type LedgerQuery struct {
	From         int64  `json:"from,omitempty"` // Unix milliseconds
	To           int64  `json:"to,omitempty"`   // up to but not including
	Kind         string `json:"kind,omitempty"` // KindCharge, …
	What         string `json:"what,omitempty"` // WhatText, WhatVideo
	Model        string `json:"model,omitempty"`
	Source       string `json:"source,omitempty"`       // SourceReported, …
	Subject      string `json:"subject,omitempty"`      // the id of a run or a video task
	Conversation string `json:"conversation,omitempty"` // its id
	// MinNanoUSD and MaxNanoUSD bound a row's cost, both inclusive. A return
	// is below nothing.
	MinNanoUSD *int64 `json:"min_nano_usd,omitempty"`
	MaxNanoUSD *int64 `json:"max_nano_usd,omitempty"`
	// Search is a text that stands in the name of the model, or in the title of
	// one's own conversation or clip: at most MaxLedgerSearch characters.
	Search string `json:"search,omitempty"`
	Sort   string `json:"sort,omitempty"` // SortNewest (also ""), …; in a file rows are always the newest first
	Of

	Before string `json:"before,omitempty"` // as in Page
	Limit  int    `json:"limit,omitempty"`  // as in Page: at most 500, 0 is 50
}

// LedgerPage is a stretch of the ledger; Before is empty at its end.
type LedgerPage struct {
	Rows   []LedgerRow `json:"rows"`
	Before string      `json:"before,omitempty"`
	// Total is the sum of all rows that the query finds, on the first page
	// only.
	Total *Sum `json:"total,omitempty"`
}

// LedgerRow is one row of the ledger, which never changes.
type LedgerRow struct {
	N         int64  `json:"n"` // its number, growing
	CreatedMS int64  `json:"created_ms"`
	Kind      string `json:"kind"`
	What      string `json:"what"`
	Model     string `json:"model"`
	// Subject is the run (WhatText) or the video task (WhatVideo) that the row
	// is about.
	Subject string `json:"subject"`
	// Title is that of the conversation, or of the clip, and of one without a
	// title the beginning of its prompt; empty where it was deleted.
	Title   string `json:"title,omitempty"`
	Seconds int    `json:"seconds,omitempty"` // of a clip, as it was paid for
	// Conversation and Message are where a text row's answer stands; both are
	// empty where it was deleted.
	Conversation string `json:"conversation,omitempty"`
	Message      string `json:"message,omitempty"`
	CostNanoUSD  int64  `json:"cost_nano_usd"` // a return is below nothing
	Basis        string `json:"basis"`         // "31 in × $1.25/M + 118 out × $10/M"
	Source       string `json:"source"`
	InputTokens  int64  `json:"input_tokens,omitempty"`
	OutputTokens int64  `json:"output_tokens,omitempty"`
	// Prices are those that the cost was worked out from, as the catalogue
	// had them then.
	Prices json.RawMessage `json:"prices,omitempty"`
	// Who paid; all are empty where there are no accounts. Person and Team are
	// names as they are now, PaidBy is the label of the key. Of a row of somebody
	// else's Title, Conversation and Message are empty, and nothing is found by
	// its Subject.
	Person   string `json:"person,omitempty"`
	PersonID string `json:"person_id,omitempty"`
	Team     string `json:"team,omitempty"`
	TeamID   string `json:"team_id,omitempty"`
	PaidBy   string `json:"paid_by,omitempty"`
}

// Correction says what a run or a video task really cost, by the gateway's
// dashboard, which alone knows (F8). The difference is booked as a row of its
// own, and what was an estimate of it is one no more.
type Correction struct {
	Subject     string `json:"subject"`       // as in LedgerRow
	CostNanoUSD int64  `json:"cost_nano_usd"` // all in all, 0 to MaxBudgetNanoUSD
	// Person is the id of whose it is; "": one's own.
	Person string `json:"person,omitempty"`
}

// Bounds of BudgetSettings.
const (
	MaxBudgetNanoUSD   = 1_000_000_000_000_000 // a million dollars
	DefaultWarnPercent = 80
	// DefaultMaxOutput is how many tokens of output are reserved for a text
	// run: a gateway tells no bound, and requests of the contract carry none.
	DefaultMaxOutput = 16_384
)

// BudgetSettings are the budgets of a person and of everybody together. 0 is
// no budget.
type BudgetSettings struct {
	DayNanoUSD            int64 `json:"day_nano_usd"`
	MonthNanoUSD          int64 `json:"month_nano_usd"`
	EverybodyDayNanoUSD   int64 `json:"everybody_day_nano_usd"`
	EverybodyMonthNanoUSD int64 `json:"everybody_month_nano_usd"`
	// WarnPercent is the share of a budget that is warned of, 1 to 100; 0 is
	// DefaultWarnPercent.
	WarnPercent int `json:"warn_percent"`
	// Zone is the IANA name of the time zone whose days and months are meant,
	// "Europe/Berlin"; "" is UTC.
	Zone string `json:"zone"`
	// EverybodyWarnPercent and EverybodyZone are those of everybody's budgets.
	// 0 and "" leave them as they are; at first they are DefaultWarnPercent and
	// UTC.
	EverybodyWarnPercent int    `json:"everybody_warn_percent,omitempty"`
	EverybodyZone        string `json:"everybody_zone,omitempty"`
	// MaxOutput is how many output tokens are reserved for a text run until
	// its real cost is known, 1 to 1 000 000; 0 is DefaultMaxOutput.
	MaxOutput int64 `json:"max_output"`
	// RefuseUnpriced has the person's own budgets refuse a model of which no price is
	// known. Otherwise it is let through, and counts nothing; limits of others refuse
	// it in either case.
	RefuseUnpriced bool `json:"refuse_unpriced,omitempty"`
}

// Budgets are the settings and how the budgets stand.
type Budgets struct {
	Settings BudgetSettings `json:"settings"`
	States   []BudgetState  `json:"states"` // of those that are set
	// MayEverybody says that the budgets of everybody may be changed, Alone
	// that there is nobody else: they add nothing to one's own then.
	MayEverybody bool `json:"may_everybody,omitempty"`
	Alone        bool `json:"alone,omitempty"`
}

// Whose a budget is, and for how long.
const (
	ScopePerson    = "person"    // what a person set for themself
	ScopeLimit     = "limit"     // what an admin lets a person spend
	ScopeTeam      = "team"      // what an admin lets a team spend
	ScopeEverybody = "everybody" // all people together
	PeriodDay      = "day"
	PeriodMonth    = "month"
)

// BudgetState is how a budget stands.
type BudgetState struct {
	Scope           string `json:"scope"`
	Period          string `json:"period"`
	LimitNanoUSD    int64  `json:"limit_nano_usd"`
	SpentNanoUSD    int64  `json:"spent_nano_usd"` // of the ledger, returns subtracted
	ReservedNanoUSD int64  `json:"reserved_nano_usd"`
	FromMS          int64  `json:"from_ms"` // the period, in Zone
	ToMS            int64  `json:"to_ms"`   // when it begins anew
	Zone            string `json:"zone"`
	// Team and Name are those of the team, where Scope is ScopeTeam.
	Team string `json:"team,omitempty"`
	Name string `json:"name,omitempty"`
	// Ask names whom to ask for more: none where it is one's own.
	Ask []string `json:"ask,omitempty"`
	// Warn: WarnPercent of it is spent. What is reserved doesn't count: of a
	// text run it is a bound, and most cost far less.
	Warn bool `json:"warn,omitempty"`
	// Reached: there is room for nothing more.
	Reached bool `json:"reached,omitempty"`
	// NoPrice: a model of which no price is known is refused.
	NoPrice bool `json:"no_price,omitempty"`
}

// MaxKeepDays bounds the days of Retention.
const MaxKeepDays = 3650

// Retention is how long wire events and clips are kept, in days; 0 is for
// ever. Messages and the ledger are always kept.
type Retention struct {
	// WireDays is for the logs of runs and the request bodies that were sent:
	// the Wire and Request tabs of an older answer are empty.
	WireDays int `json:"wire_days"`
	// ClipDays is for archived clips that are not favourites.
	ClipDays int `json:"clip_days"`
}

// Kinds of Stored.
const (
	StoredMessages = "messages" // conversations and their messages
	StoredWire     = "wire"     // logs of runs and request bodies
	StoredLedger   = "ledger"
	StoredSearch   = "search"  // the index for finding text
	StoredVideo    = "video"   // tasks, without their clips
	StoredClips    = "clips"   // the archive's files, posters and copies under way among them
	StoredBackups  = "backups" // copies kept before a change of the database
	StoredOther    = "other"   // sessions, settings, free pages, the write-ahead log
)

// Storage is what the data folder holds, with the database and the files that are
// elsewhere.
type Storage struct {
	Kinds []Stored `json:"kinds"` // the largest first
	Bytes int64    `json:"bytes"` // of all
	// FreeBytes is what the disk of the data folder has left; 0: not known.
	FreeBytes int64 `json:"free_bytes,omitempty"`
}

// Stored is the size of one kind of data.
type Stored struct {
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
	Count int64  `json:"count,omitempty"` // messages, requests, entries, tasks, clips, copies
}
