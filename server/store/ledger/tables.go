package ledger

import (
	"cmp"
	"maps"
	"slices"

	"screentest/shared/wire"
)

// The tables and the bars of the Spend page.

// A part is what sums are told apart by in a table or a bar: the row of a person
// or team, or a text, and of a model what it made.
type part struct {
	n          int64
	text, what string
}

// byModel tells models apart that made both texts and clips.
const byModel = "model and kind"

func partOf(by string, g group) part {
	switch by {
	case byModel:
		return part{text: g.model, what: g.what}
	case wire.SplitByModel:
		return part{text: g.model}
	case wire.SplitByPerson:
		return part{n: g.owner}
	case wire.SplitByTeam:
		return part{n: g.team}
	case wire.SplitByPaidBy:
		return part{text: g.paidBy}
	}
	return part{text: g.what}
}

// by are the sums of what is asked for, by the parts of one kind. Those of all are
// kept until a row is added; nothing of it may be changed.
func (s *periodSums) by(kind string, want filter) map[part]figures {
	if want == (filter{}) && s.parts[kind] != nil {
		return s.parts[kind]
	}
	parts := map[part]figures{}
	for g, f := range s.groups {
		if want.takes(g) {
			addTo(parts, partOf(kind, g), f)
		}
	}
	if want == (filter{}) {
		if s.parts == nil {
			s.parts = map[string]map[part]figures{}
		}
		s.parts[kind] = parts
	}
	return parts
}

// sum is the sum of what is asked for.
func (s *periodSums) sum(want filter) (sum figures) {
	if want == (filter{}) {
		return s.total
	}
	for g, f := range s.groups {
		if want.takes(g) {
			sum.add(f)
		}
	}
	return sum
}

// tables are those by model, person, team and key. self is in the table by person
// in any case.
func (n *names) tables(s *wire.Spend, by func(string) map[part]figures, self int64) {
	s.Models = table(by(byModel), func(p part) wire.SpendGroup { return wire.SpendGroup{Key: p.text, What: p.what} })
	people := by(wire.SplitByPerson)
	if _, in := people[part{n: self}]; !in && self > 0 {
		people = map[part]figures{{n: self}: {}}
	}
	s.People = table(people, func(p part) wire.SpendGroup { return wire.SpendGroup{Key: n.people[p.n].name, ID: n.people[p.n].id} })
	s.Teams = table(by(wire.SplitByTeam), func(p part) wire.SpendGroup { return wire.SpendGroup{Key: n.teams[p.n].name, ID: n.teams[p.n].id} })
	s.PaidBy = table(by(wire.SplitByPaidBy), func(p part) wire.SpendGroup { return wire.SpendGroup{Key: p.text} })
	// What none paid for is in neither.
	s.Teams = slices.DeleteFunc(s.Teams, func(g wire.SpendGroup) bool { return g.ID == "" })
	s.PaidBy = slices.DeleteFunc(s.PaidBy, func(g wire.SpendGroup) bool { return g.Key == "" })
}

// table lists sums, the dearest first, each as row calls it.
func table[K comparable](sums map[K]figures, row func(K) wire.SpendGroup) []wire.SpendGroup {
	list := make([]wire.SpendGroup, 0, len(sums))
	for key, f := range sums {
		r := row(key)
		r.Sum, r.InputTokens, r.OutputTokens = f.sum(), f.in, f.out
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b wire.SpendGroup) int {
		return cmp.Or(cmp.Compare(b.Sum.NanoUSD, a.Sum.NanoUSD), cmp.Compare(a.Key+" "+a.What, b.Key+" "+b.What), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// bar is the key of a part in the bars.
func (n *names) bar(split string, p part) string {
	switch split {
	case wire.SplitByPerson:
		return n.people[p.n].label
	case wire.SplitByTeam:
		return cmp.Or(n.teams[p.n].label, wire.NoPayer)
	case wire.SplitByPaidBy:
		return cmp.Or(p.text, wire.NoPayer)
	}
	return p.text
}

func addTo[K comparable](to map[K]figures, key K, f figures) {
	sum := to[key]
	sum.add(f)
	to[key] = sum
}

// byCost are the keys of sums, the dearest first.
func byCost(sums map[string]figures) []string {
	return slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b].nano(), sums[a].nano()), cmp.Compare(a, b))
	})
}

// bars are the days with their parts by key.
func bars(q wire.SpendQuery, split []map[string]figures) (keys []string, days []wire.SpendDay) {
	whole := map[string]figures{}
	for _, day := range split {
		for key, f := range day {
			addTo(whole, key, f)
		}
	}
	keys = byCost(whole)
	if keys == nil {
		keys = []string{}
	}
	column := map[string]int{}
	if len(keys) > wire.MaxSplit {
		for _, key := range keys[wire.MaxSplit:] {
			column[key] = wire.MaxSplit
		}
		keys = append(keys[:wire.MaxSplit:wire.MaxSplit], wire.OtherKey)
	}
	for i, key := range keys[:min(len(keys), wire.MaxSplit)] {
		column[key] = i
	}
	for i, parts := range split {
		day := wire.SpendDay{FromMS: q.Days[i], Parts: make([]int64, len(keys))}
		for key, f := range parts {
			day.Parts[column[key]] += f.nano()
			day.NanoUSD += f.nano()
		}
		days = append(days, day)
	}
	return keys, days
}
