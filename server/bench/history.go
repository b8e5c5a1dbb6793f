package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"

	"screentest/shared/wire"
)

// A history is what one person has, in conversations of so many messages. Each file
// of it is imported into every instance before the next one, so that all have the
// same, however far they come.
const (
	historyConversations = 10_000
	historyMessages      = 10 // in each
	historyFile          = 250
	historyWithin        = 30 * time.Second

	historyAsked = 150 // searches, and as many pages, in each round
	rareWords    = 5000
)

// historyOf is a file of conversations as an export has it. Each message has two words
// of those that people ask about, and one that few others have.
func historyOf(random *rand.Rand, conversations int) (json.RawMessage, error) {
	type message struct {
		ID        string         `json:"id"`
		Parent    string         `json:"parent,omitempty"`
		Role      string         `json:"role"`
		Text      string         `json:"text"`
		CreatedMS int64          `json:"created_ms"`
		Run       map[string]any `json:"run,omitempty"`
	}
	type conversation struct {
		ID        string    `json:"id"`
		Title     string    `json:"title"`
		CreatedMS int64     `json:"created_ms"`
		UpdatedMS int64     `json:"updated_ms"`
		Models    string    `json:"models"`
		Messages  []message `json:"messages"`
	}
	model := firstChatModel()
	var all []conversation
	for range conversations {
		at := 1_700_000_000_000 + random.Int64N(60_000_000_000)
		c := conversation{ID: uuid.NewString(), Title: "On the " + dayWords[random.IntN(len(dayWords))], CreatedMS: at, UpdatedMS: at + historyMessages, Models: model}
		parent := ""
		for n := range historyMessages {
			m := message{ID: uuid.NewString(), Parent: parent, Role: "user", CreatedMS: at + int64(n),
				Text: fmt.Sprintf("Tell me of the %s and the %s of %s", dayWords[random.IntN(len(dayWords))], dayWords[random.IntN(len(dayWords))], rareWord(random))}
			if n%2 == 1 {
				m.Role, m.Text = "assistant", strings.Repeat(m.Text+". ", 1+random.IntN(8))
				m.Run = map[string]any{"id": uuid.NewString(), "endpoint": "chat", "model": model, "state": wire.Done, "started_ms": m.CreatedMS, "duration_ms": 900, "first_token_ms": 200}
			}
			c.Messages = append(c.Messages, m)
			parent = m.ID
		}
		all = append(all, c)
	}
	raw, err := json.Marshal(all)
	// The format has to come first.
	return fmt.Appendf(nil, `{"format":"screentest.conversations","version":1,"conversations":%s}`, raw), err
}

func rareWord(random *rand.Rand) string { return fmt.Sprintf("ref%dx", random.IntN(rareWords)) }

// fill imports a history into all of them and returns how many conversations it came
// to in the time that there is.
func fill(ctx context.Context, all []*instance) (conversations int, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	begin := time.Now()
	for conversations < historyConversations && time.Since(begin) < historyWithin {
		file, err := historyOf(random, historyFile)
		if err != nil {
			return 0, err
		}
		for _, i := range all {
			var got wire.Imported
			if err := i.team.people[0].ask(ctx, "POST", wire.ImportPath, file, &got); err != nil {
				return 0, err
			}
			if got.Conversations != historyFile {
				return 0, fmt.Errorf("%d conversations of %d were imported", got.Conversations, historyFile)
			}
		}
		conversations += historyFile
	}
	return conversations, nil
}

// measureHistory searches what was filled and looks through its pages, at all replicas
// in turn, the ways in turn.
func measureHistory(ctx context.Context, ways []*replicaWay) error {
	const warmUp = 10
	for _, w := range ways {
		random := rand.New(rand.NewPCG(3, 4)) // the same words everywhere
		var searched, paged []time.Duration
		before := ""
		for n := range warmUp + historyAsked {
			tab := w.history[n%len(w.history)]
			word := dayWords[random.IntN(len(dayWords))]
			if n%2 == 1 {
				word = rareWord(random)
			}
			start := time.Now()
			if err := tab.Call(ctx, wire.OpSearch, wire.Search{Query: word}, nil); err != nil {
				return fmt.Errorf("search: %w", err)
			}
			found := time.Now()
			var page wire.ConversationPage
			if err := tab.Call(ctx, wire.OpConversations, wire.Page{Before: before}, &page); err != nil {
				return fmt.Errorf("a page of conversations: %w", err)
			}
			if before = page.Before; n >= warmUp {
				searched, paged = append(searched, found.Sub(start)), append(paged, time.Since(found))
			}
		}
		w.note(rowSearch50, ms(quantile(searched, 0.50)))
		w.note(rowSearch99, ms(quantile(searched, 0.99)))
		w.note(rowPage50, ms(quantile(paged, 0.50)))
		w.note(rowPage99, ms(quantile(paged, 0.99)))
	}
	return nil
}
