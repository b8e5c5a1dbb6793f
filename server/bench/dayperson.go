package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// thingWithin bounds one thing that a person does.
const thingWithin = 60 * time.Second

// person is one of a team, with a browser and what they remember.
type person struct {
	n          int
	name, base string
	team       string
	browser    *http.Client
	tab        *wiretest.Client
	random     *rand.Rand

	took  *durations
	talks []talk
	clips []string
}

// talk is a conversation of theirs.
type talk struct{ id, last string }

func newPerson(n int, base string) *person {
	return &person{n: n, name: fmt.Sprintf("person%d", n), base: base, browser: wiretest.NewHTTP(), random: rand.New(rand.NewPCG(uint64(n), 1))}
}

// A thing is what people do, and how often, of all that they do.
type thing struct {
	what   string
	weight int
	do     func(*person, context.Context) error
}

var things = []thing{
	{"a turn, whole", 30, (*person).talk},
	{"a clip asked for", 2, (*person).film},
	{"a search", 8, (*person).search},
	{"a page of conversations", 10, (*person).list},
	{"a conversation opened", 10, (*person).open},
	{"a conversation renamed", 1, (*person).rename},
	{"a conversation deleted", 1, (*person).forget},
	{"the clips", 5, (*person).gallery},
	{"a clip opened", 3, (*person).clip},
	{"the spend", 4, (*person).spent},
	{"a page of the ledger", 3, (*person).ledger},
	{"the ledger as a file", 1, (*person).ledgerFile},
	{"a conversation as a file", 2, (*person).exported},
	{"all conversations as a file", 1, (*person).exportedAll},
	{"a prompt kept", 1, (*person).keep},
	{"the library", 2, call(wire.OpLibrary, struct{}{})},
	{"the notices", 2, call(wire.OpNotices, wire.Page{})},
	{"the approvals", 1, call(wire.OpApprovals, wire.Page{})},
	{"the models", 2, call(wire.OpModels, struct{}{})},
	{"a team's ranking", 1, (*person).ranking},
	{"a team's clips", 1, (*person).teamClips},
	{"a team's library", 1, (*person).teamLibrary},
	{"the team's pages of an admin", 2, (*person).rule},
	{"a tab opened", 3, (*person).reopen},
}

// spend is a person's day: one thing after the other, with pauses, until it is over.
func (p *person) spend(ctx context.Context, took *durations) error {
	p.took = took
	all := 0
	for _, t := range things {
		all += t.weight
	}
	for pause(ctx, time.Duration(p.random.ExpFloat64()*float64(dayPause))) {
		at := p.random.IntN(all)
		next := things[slices.IndexFunc(things, func(t thing) bool {
			at -= t.weight
			return at < 0
		})]
		within, cancel := context.WithTimeoutCause(ctx, thingWithin, errTooLong)
		err := took.time(next.what, func() error {
			err := next.do(p, within)
			if err != nil && errors.Is(context.Cause(within), errTooLong) {
				return errTooLong
			}
			return err
		})
		cancel()
		if err != nil && ctx.Err() == nil { // a tab that is lost is opened again
			if err := p.reopen(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
	return nil
}

var errTooLong = fmt.Errorf("it took longer than %v", thingWithin)

// dayWords are what people ask about.
var dayWords = []string{"harbour", "Lisbon", "invoice", "telescope", "garden", "quantum", "recipe", "migration", "poem", "contract", "lens", "bicycle", "island", "budget", "cinema", "river", "protocol", "violin", "winter", "archive"}

func (p *person) word() string { return dayWords[p.random.IntN(len(dayWords))] }

func call(op wire.Op, args any) func(*person, context.Context) error {
	return func(p *person, ctx context.Context) error { return p.tab.Call(ctx, op, args, nil) }
}

// talk asks something, in a new conversation or in one of theirs.
func (p *person) talk(ctx context.Context) error {
	i := p.random.IntN(len(p.talks) + 1)
	if i == len(p.talks) || p.random.IntN(5) == 0 {
		i = len(p.talks)
		p.talks = append(p.talks, talk{id: uuid.NewString()})
	}
	t := &p.talks[i]
	prompt := fmt.Sprintf("Tell me of the %s and the %s [[repeat: %d]]", p.word(), p.word(), 30+p.random.IntN(200))
	body, err := chatBody(firstChatModel(), prompt)
	if err != nil {
		return err
	}
	start := wire.Start{
		Run: uuid.NewString(), Conversation: t.id, Answer: uuid.NewString(), Endpoint: string(gateway.Chat), Body: body,
		User: wire.Message{ID: uuid.NewString(), Parent: t.last, Role: "user", Text: prompt},
	}
	begin := time.Now()
	first := sync.OnceFunc(func() { p.took.note("a turn, until its first words", time.Since(begin)) })
	run, err := p.tab.Run(ctx, start, func(wire.LogFrame, []byte) { first() })
	if err != nil {
		return err
	}
	if run.State != wire.Done {
		return fmt.Errorf("a run ended as %s: %w", run.State, problem(run))
	}
	t.last = start.Answer
	return nil
}

// film asks for a clip, which is made and archived meanwhile.
func (p *person) film(ctx context.Context) error {
	c := wire.VideoCreate{ID: uuid.NewString(), Body: gateway.VideoRequest{Model: "beta-video-480p", Prompt: "A " + p.word() + " in the " + p.word(), Seconds: "6"}.Body()}
	if err := p.tab.Call(ctx, wire.OpVideoCreate, c, nil); err != nil {
		return err
	}
	p.clips = append(p.clips, c.ID)
	return nil
}

func (p *person) search(ctx context.Context) error {
	return p.tab.Call(ctx, wire.OpSearch, wire.Search{Query: p.word()}, nil)
}

// list looks at the first page of conversations, and at the next where there is one.
func (p *person) list(ctx context.Context) error {
	var page wire.ConversationPage
	if err := p.tab.Call(ctx, wire.OpConversations, wire.Page{}, &page); err != nil || page.Before == "" {
		return err
	}
	return p.tab.Call(ctx, wire.OpConversations, wire.Page{Before: page.Before}, nil)
}

// one is a conversation of theirs that there is something in; false where there is none.
func (p *person) one() (i int, ok bool) {
	if len(p.talks) == 0 {
		return 0, false
	}
	i = p.random.IntN(len(p.talks))
	return i, p.talks[i].last != ""
}

func (p *person) open(ctx context.Context) error {
	i, ok := p.one()
	if !ok {
		return p.list(ctx)
	}
	return p.tab.Call(ctx, wire.OpOpen, wire.Page{Conversation: p.talks[i].id}, nil)
}

func (p *person) rename(ctx context.Context) error {
	i, ok := p.one()
	if !ok {
		return p.list(ctx)
	}
	return p.tab.Call(ctx, wire.OpRename, wire.Rename{ID: p.talks[i].id, Title: "On the " + p.word()}, nil)
}

func (p *person) forget(ctx context.Context) error {
	i, ok := p.one()
	if !ok {
		return p.list(ctx)
	}
	id := p.talks[i].id
	p.talks = slices.Delete(p.talks, i, i+1)
	return p.tab.Call(ctx, wire.OpDelete, wire.Target{ID: id}, nil)
}

func (p *person) gallery(ctx context.Context) error {
	q := wire.VideoQuery{}
	if p.random.IntN(2) == 0 {
		q.Text = p.word()
	}
	return p.tab.Call(ctx, wire.OpVideoTasks, q, nil)
}

// clip opens a clip and plays what is there of it.
func (p *person) clip(ctx context.Context) error {
	if len(p.clips) == 0 {
		return p.gallery(ctx)
	}
	var opened wire.VideoOpened
	if err := p.tab.Call(ctx, wire.OpVideoTask, wire.Target{ID: p.clips[p.random.IntN(len(p.clips))]}, &opened); err != nil {
		return err
	}
	if o := opened.Task.Outputs; len(o) > 0 && o[0].Archive == wire.ArchiveSaved {
		return p.ask(ctx, "GET", wire.MediaPathOf(opened.Task.ID, 0), nil, nil)
	}
	return nil
}

func (p *person) spent(ctx context.Context) error {
	const day = 24 * time.Hour
	today := time.Now().UTC().Truncate(day)
	ms := func(days int) int64 { return today.Add(time.Duration(days) * day).UnixMilli() }
	q := wire.SpendQuery{Today: ms(0), Week: ms(-6), Month: ms(1 - today.Day()), Tomorrow: ms(1)}
	for d := -29; d <= 1; d++ {
		q.Days = append(q.Days, ms(d))
	}
	return p.tab.Call(ctx, wire.OpSpend, q, nil)
}

func (p *person) ledger(ctx context.Context) error {
	q := wire.LedgerQuery{}
	if p.random.IntN(3) == 0 {
		q.Sort = wire.SortDearest
	}
	return p.tab.Call(ctx, wire.OpLedger, q, nil)
}

func (p *person) ledgerFile(ctx context.Context) error {
	return p.ask(ctx, "GET", wire.LedgerCSV+"?zone=UTC", nil, nil)
}

func (p *person) exported(ctx context.Context) error {
	i, ok := p.one()
	if !ok {
		return p.list(ctx)
	}
	return p.ask(ctx, "GET", wire.ExportPath+p.talks[i].id+[]string{".json", ".md"}[p.random.IntN(2)], nil, nil)
}

func (p *person) exportedAll(ctx context.Context) error {
	return p.ask(ctx, "GET", wire.ExportAllPath, nil, nil)
}

func (p *person) keep(ctx context.Context) error {
	return p.tab.Call(ctx, wire.OpLibraryPut, wire.LibraryEntry{ID: uuid.NewString(), Kind: wire.LibraryPrompt,
		Name: p.word() + " " + uuid.NewString()[:8], Text: "Tell me of the {{thing}}"}, nil)
}

func (p *person) ranking(ctx context.Context) error {
	return p.tab.Call(ctx, wire.OpRanking, wire.RankingQuery{Team: p.team}, nil)
}

func (p *person) teamClips(ctx context.Context) error {
	return p.tab.Call(ctx, wire.OpTeamClips, wire.TeamClipQuery{Team: p.team}, nil)
}

func (p *person) teamLibrary(ctx context.Context) error {
	return p.tab.Call(ctx, wire.OpTeamLibrary, wire.Target{ID: p.team}, nil)
}

// rule looks at what an admin has; others look at the teams that they are in.
func (p *person) rule(ctx context.Context) error {
	pages := []string{"/api/teams"}
	if p.n == 0 {
		pages = append(pages, "/api/people", "/api/invites", "/api/audit", "/api/instance")
		if err := p.tab.Call(ctx, wire.OpStorage, struct{}{}, nil); err != nil {
			return err
		}
	}
	for _, page := range pages {
		if err := p.ask(ctx, "GET", page, nil, nil); err != nil {
			return err
		}
	}
	return nil
}
