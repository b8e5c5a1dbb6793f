package admin

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"screentest/app/figure"
	"screentest/app/session"
	"screentest/shared/wire"
)

// page is how many rows of the audit are fetched at once.
const page = 100

// Filter narrows the audit; "" is everything. Days are those of the viewer,
// "2026-11-03", both among what is found.
type Filter struct{ Action, Person, From, To string }

// Audit is what was done on the instance, the newest first.
type Audit struct {
	desk *Desk

	Filter   Filter
	Rows     []wire.AuditRow
	Came     bool
	More     bool // there are older ones
	Fetching bool
	Problem  *wire.Problem
}

// at shows what the query of an address asks for.
func (a *Audit) at(q url.Values) {
	f := Filter{Action: q.Get("action"), Person: q.Get("person"), From: q.Get("from"), To: q.Get("to")}
	if f != a.Filter {
		*a = Audit{desk: a.desk, Filter: f}
	}
}

// Address is where a filter's rows are shown.
func (f Filter) Address() string {
	q := url.Values{}
	for name, value := range map[string]string{"action": f.Action, "person": f.Person, "from": f.From, "to": f.To} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return Path(PageAudit)
	}
	return Path(PageAudit) + "?" + q.Encode()
}

// Download is the address of all rows of a filter, as JSON lines.
func (a *Audit) Download() string { return "/api/audit?" + a.query().Encode() }

func (a *Audit) query() url.Values {
	q := url.Values{}
	if a.Filter.Action != "" {
		q.Set("action", a.Filter.Action)
	}
	if a.Filter.Person != "" {
		q.Set("person", a.Filter.Person)
	}
	if ms, ok := a.midnight(a.Filter.From, 0); ok {
		q.Set("from", strconv.FormatInt(ms, 10))
	}
	if ms, ok := a.midnight(a.Filter.To, 1); ok {
		q.Set("to", strconv.FormatInt(ms, 10))
	}
	return q
}

// midnight is the first moment of a day, or of the one so many days later, by
// the viewer's clock.
func (a *Audit) midnight(day string, later int) (ms int64, ok bool) {
	d, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0, false
	}
	return a.desk.Midnight(d.Year(), d.Month(), d.Day()+later), true
}

// fetch asks for the newest rows.
func (a *Audit) fetch() { a.ask(0) }

// Older asks for more rows, older than those that are there.
func (a *Audit) Older() {
	if n := len(a.Rows); n > 0 && !a.Fetching {
		a.ask(a.Rows[n-1].N)
	}
}

// ask asks for rows; below is the number that they are below, 0 for the newest.
func (a *Audit) ask(below int64) {
	filter := a.Filter
	q := a.query()
	q.Set("limit", strconv.Itoa(page))
	if below > 0 {
		q.Set("before", strconv.FormatInt(below, 10))
	}
	a.Fetching = true
	a.desk.API.Ask("GET", "/api/audit?"+q.Encode(), nil, func(data json.RawMessage, p *wire.Problem) {
		if a.Filter != filter {
			return // others are asked for by now
		}
		a.Fetching = false
		rows, p := readLines(data, p)
		if a.Problem = p; p == nil {
			if below > 0 {
				a.Rows = append(a.Rows, rows...)
			} else {
				a.Rows = rows
			}
			a.Came, a.More = true, len(rows) == page
		}
		a.desk.Changed()
	})
	a.desk.Changed()
}

// readLines reads rows that come as JSON lines.
func readLines(data json.RawMessage, p *wire.Problem) (rows []wire.AuditRow, _ *wire.Problem) {
	if p != nil {
		return nil, p
	}
	for line := range bytes.Lines(data) {
		var row wire.AuditRow
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if p := session.Read(line, nil, &row); p != nil {
			return nil, p
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Who is the name of who did something, as it is now.
func (a *Audit) Who(r wire.AuditRow) string {
	switch {
	case r.Name != "":
		return r.Name
	case r.Person != "":
		return short(r.Person)
	}
	if strings.HasPrefix(r.Action, "signin.") {
		return "Somebody"
	}
	return "The server"
}

// What is what was done, in words, with the names of what it was done to where
// they are known.
func (a *Audit) What(r wire.AuditRow) string {
	done, known := actions[r.Action]
	if !known {
		return strings.TrimSpace(r.Action + " " + short(r.Object))
	}
	object := short(r.Object)
	if r.Object != "" && r.Object == r.Person {
		object = "themself"
	} else if name := a.name(r.Object); name != "" {
		object = name
	}
	var detail struct{ Person string }
	_ = json.Unmarshal(r.Detail, &detail) // somebody, where nothing is told
	person := a.name(detail.Person)
	if person == "" {
		person = "somebody"
	}
	words := strings.ReplaceAll(done.words, whom, person)
	return strings.TrimSpace(strings.ReplaceAll(words, "%", object))
}

// name is what a person or a team of an id is called, "" where there is none.
func (a *Audit) name(id string) string {
	if one := a.desk.People.Find(id); one != nil {
		return one.Name
	}
	if team := a.desk.Teams.Find(id); team != nil {
		return team.Name
	}
	return ""
}

// before ends the name of what something was before, "role_before".
const before = "_before"

// Detail is the rest of what is kept of a row, as words.
func (a *Audit) Detail(r wire.AuditRow) string {
	var detail map[string]any
	if json.Unmarshal(r.Detail, &detail) != nil {
		return ""
	}
	var words []string
	for name, value := range detail {
		s := a.value(value)
		switch short, limit := strings.CutSuffix(name, "_nano_usd"); {
		case strings.HasSuffix(name, before), name == "person" && strings.Contains(actions[r.Action].words, whom), name == "lead" && value == false:
			continue // told otherwise, or nothing to tell
		case limit:
			nano, _ := value.(float64)
			name, s = "limit of the "+short, "none"
			if nano != 0 {
				s = figure.Dollars(int64(nano))
			}
		}
		if was := a.value(detail[name+before]); was != "" {
			s = was + " → " + s
		}
		if s != "" {
			words = append(words, strings.ReplaceAll(name, "_", " ")+": "+s)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " · ")
}

func (a *Audit) value(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		if name := a.name(v); name != "" {
			return name
		}
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, a.value(one))
		}
		return strings.Join(all, ", ")
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// short is the beginning of an id, which tells it from others; what is no id,
// such as everybody, stays whole.
func short(id string) string {
	if len(id) > 12 {
		return id[:8] + "…"
	}
	return id
}
