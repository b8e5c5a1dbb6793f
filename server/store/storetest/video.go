package storetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"screentest/server/store/video"
	"screentest/shared/wire"
)

// NewVideo is the intent of a task.
func NewVideo(prompt string) wire.VideoTask {
	return wire.VideoTask{
		ID: NewID(), Model: "beta-video-720p", Mode: "text-to-video", Prompt: prompt, Seconds: 6,
		Body:         json.RawMessage(fmt.Sprintf(`{"model":"beta-video-720p","prompt":%q,"seconds":"6"}`, prompt)),
		PriceNanoUSD: 300_000_000, Basis: "6 s × $0.05", SamplePrice: true, CreatedMS: time.Now().UnixMilli(),
		UsualLeastMS: 60_000, UsualMostMS: 300_000, Family: "beta-video", Resolution: "720p",
	}
}

// Made stores the intent of a task.
func Made(t *testing.T, v *video.Videos, owner string, task wire.VideoTask) (wire.VideoTask, int64) {
	t.Helper()
	got, key, found, err := v.Create(t.Context(), owner, 0, "sk-canary-"+task.ID, task, nil)
	if err != nil || found {
		t.Fatalf("create: found %v, %v", found, err)
	}
	return got, key
}

// Taken is made and accepted.
func Taken(t *testing.T, v *video.Videos, owner string, task wire.VideoTask) wire.VideoTask {
	t.Helper()
	Made(t, v, owner, task)
	got, changed, err := v.Accepted(t.Context(), owner, task.ID, "task_"+task.ID, time.Now().UnixMilli())
	if err != nil || !changed {
		t.Fatalf("accept: %v, %v", changed, err)
	}
	return got
}

func Got[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func Ptr[T any](v T) *T { return &v }
