package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"screentest/server/store"
)

// OneRun is what a short answer leaves: a turn and its end, each durable.
func OneRun(b *testing.B, db *store.DB, owner string, log, times []byte) {
	s := NewStart("", "What is a file system?")
	if err := StartTurn(db, owner, s); err != nil {
		b.Error(err)
	}
	if err := db.FinishRun(context.Background(), owner, Ended(RunOf(s), 1_218_750), "An answer of some words.", log, times, nil); err != nil {
		b.Error(err)
	}
}

// AnswerLog is the event stream of a chat answer of n tokens, as a gateway
// sends it, and a time index of about the size that the run package makes. Its
// words come as unevenly as those of a text, and are as long.
func AnswerLog(n int) (log, times []byte) {
	random := rand.New(rand.NewPCG(1, 2))
	common := rand.NewZipf(random, 1.1, 2, 4000)
	for range n {
		word := rand.New(rand.NewPCG(common.Uint64(), 3)) // each number is a word of its own
		text := []byte{' '}
		for range 1 + word.IntN(8) {
			text = append(text, "etaoinshrdlucmfwyp"[word.IntN(18)])
		}
		log = fmt.Appendf(log, "data: {\"id\":\"chatcmpl-8f3kd02mXq\",\"object\":\"chat.completion.chunk\",\"created\":1767225600,\"model\":\"m-1-2026\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n", text)
		times = append(times, byte(15+random.IntN(12)), byte(170+len(text)), 1)
	}
	return append(log, "data: [DONE]\n\n"...), times
}
