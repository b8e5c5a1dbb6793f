package main

import (
	"time"

	"github.com/google/uuid"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// walkCall is a call about somebody's things.
type walkCall struct {
	op     wire.Op
	args   func(h things) any
	others string // what comes of it about others'
}

// walkCalls are all calls, what destroys last.
func walkCalls() []walkCall {
	nothing := func(things) any { return struct{}{} }
	conversation := func(h things) any { return wire.Target{ID: h.start.Conversation} }
	run := func(h things) any { return wire.Target{ID: h.start.Run} }
	clip := func(h things) any { return wire.Target{ID: h.clip} }
	now := time.Now().UnixMilli() / 900_000 * 900_000
	return []walkCall{
		{wire.OpPing, nothing, apart},
		{wire.OpConversations, func(things) any { return wire.Page{} }, apart},
		{wire.OpOpen, func(h things) any { return wire.Page{Conversation: h.start.Conversation} }, unseen},
		{wire.OpMessages, func(h things) any {
			return wire.MessageQuery{Conversation: h.start.Conversation, IDs: []string{h.start.Answer}}
		}, unseen},
		{wire.OpOutline, conversation, unseen},
		{wire.OpSearch, func(h things) any { return wire.Search{Query: h.mark} }, apart},
		{wire.OpSearch, func(h things) any { return wire.Search{Conversation: h.start.Conversation} }, unseen},
		{wire.OpLibrary, nothing, apart},
		// Of one's own it has been read: the offset is refused, not the run.
		{wire.OpRead, func(h things) any { return wire.Read{Run: h.start.Run, From: -1} }, unseen},
		{wire.OpUnread, run, apart},
		{wire.OpRunRequest, run, unseen},
		{wire.OpRunTimes, run, unseen},
		{wire.OpRename, func(h things) any { return wire.Rename{ID: h.start.Conversation, Title: h.mark} }, unseen},
		{wire.OpPin, func(h things) any { return wire.Pin{ID: h.start.Conversation, Pinned: true} }, unseen},
		{wire.OpLanes, func(h things) any {
			return wire.Lanes{Conversation: h.start.Conversation, Lanes: []wire.Lane{{Model: "vendor/model-a"}, {Model: "vendor/model-b"}}}
		}, unseen},
		{wire.OpVote, func(h things) any {
			return wire.Vote{Conversation: h.start.Conversation, Message: h.start.User.ID, Models: []string{"vendor/model-a", "vendor/model-b"}}
		}, unseen},
		{wire.OpStop, run, unseen},
		{wire.OpStart, func(h things) any { // another answer to a message of theirs
			s := turn(gateway.Chat, "on")
			s.Conversation, s.User.Parent = h.start.Conversation, h.start.Answer
			return s
		}, unseen},
		{wire.OpWrite, func(h things) any { // an answer to a message of theirs
			return wire.Written{Conversation: h.start.Conversation, Message: wire.Message{ID: uuid.NewString(), Parent: h.start.User.ID, Role: "assistant", Text: "x"}}
		}, unseen},
		{wire.OpRanking, func(h things) any { return wire.RankingQuery{Team: h.team} }, apart}, // team mates have the same one
		{wire.OpLibraryPut, func(h things) any {
			return wire.LibraryEntry{ID: uuid.NewString(), Kind: wire.LibraryPrompt, Name: "new", Text: "x"}
		}, apart},

		{wire.OpNotices, func(things) any { return wire.Page{} }, apart},
		{wire.OpNoticesSeen, func(h things) any { return wire.Target{ID: h.notice} }, unseen},
		{wire.OpTeamLibrary, func(h things) any { return wire.Target{ID: h.team} }, ofTeam},
		{wire.OpTeamLibraryPast, func(h things) any { return h.entry }, ofTeam},
		{wire.OpTeamLibraryPut, func(h things) any { return teamEntry(h.team, uuid.NewString(), 0) }, ofTeam},
		{wire.OpTeamLibraryPut, func(h things) any { return teamEntry(h.team, h.entry.ID, 1) }, ofTeam},
		{wire.OpTeamLibraryDrop, func(h things) any { return h.entry }, ofTeam},

		{wire.OpApprovals, func(things) any { return wire.Page{} }, apart},
		{wire.OpDecide, func(h things) any { return wire.Decision{ID: h.approval, State: wire.ApprovalWithdrawn} }, unseen},
		{wire.OpTeamClips, func(h things) any { return wire.TeamClipQuery{Team: h.team} }, apart},
		{wire.OpLook, func(h things) any { return wire.Look{Clip: h.clip} }, unseen},
		{wire.OpComment, func(h things) any {
			return wire.Comment{ID: uuid.NewString(), Review: h.review, Version: 1, Text: "x"}
		}, unseen},
		{wire.OpCommentEdit, func(h things) any { return wire.CommentEdit{ID: h.comment, Resolved: ptr(true)} }, unseen},
		{wire.OpReviewStep, func(h things) any {
			return wire.ReviewStep{Review: h.review, Version: 1, State: wire.ReviewOpen}
		}, unseen},
		{wire.OpLookAway, func(h things) any { return wire.Target{ID: h.review} }, apart},

		{wire.OpSpend, func(things) any {
			return wire.SpendQuery{Days: []int64{now - 86_400_000, now + 86_400_000}, Today: now - 86_400_000, Week: now - 86_400_000, Month: now - 86_400_000, Tomorrow: now + 86_400_000}
		}, apart},
		{wire.OpLedger, func(things) any { return wire.LedgerQuery{} }, apart},
		{wire.OpLedger, func(h things) any { return wire.LedgerQuery{Subject: h.start.Run} }, apart},
		{wire.OpLedger, func(h things) any { return wire.LedgerQuery{Conversation: h.start.Conversation} }, apart},
		{wire.OpBudgets, nothing, apart},
		{wire.OpSetBudget, func(things) any { return wire.BudgetSettings{DayNanoUSD: 1_000_000_000_000} }, apart},
		{wire.OpModels, nothing, apart},
		{wire.OpRefreshModels, nothing, apart},
		{wire.OpSetPrice, func(things) any { return wire.ModelPrice{Model: "vendor/model-a"} }, apart},
		{wire.OpHook, nothing, apart},
		{wire.OpSetHook, func(things) any { return wire.HookSettings{} }, apart},
		{wire.OpTryHook, nothing, apart},
		{wire.OpKeep, nothing, apart},
		{wire.OpSetKeep, func(things) any { return wire.Retention{} }, apart},
		{wire.OpStorage, nothing, apart},
		{wire.OpCorrect, func(h things) any { return wire.Correction{Subject: h.start.Run, CostNanoUSD: 5} }, unseen},

		{wire.OpVideoCreate, func(things) any { return clipRequest("another") }, apart},
		{wire.OpVideoTasks, func(things) any { return wire.VideoQuery{} }, apart},
		{wire.OpVideoTask, clip, unseen},
		{wire.OpVideoSettle, func(h things) any { return wire.VideoSettle{ID: h.clip, Outcome: wire.DidNot} }, unseen},
		{wire.OpVideoEdit, func(h things) any { return wire.VideoEdit{ID: h.clip, Favourite: ptr(true)} }, unseen},
		{wire.OpVideoMeasure, func(h things) any { return wire.VideoMeasure{URL: "http://127.0.0.1:1/nothing.mp4"} }, apart},
		{wire.OpVideoUploads, func(things) any { return wire.VideoUploads{} }, apart},
		{wire.OpVideoUploads, func(things) any { return wire.VideoUploads{Videos: true} }, apart},
		{wire.OpVideoCheck, clip, unseen},
		{wire.OpArchive, nothing, apart},
		{wire.OpSetArchive, func(things) any { return wire.ArchiveSettings{MakeRoom: true} }, apart},

		{wire.OpVideoDelete, clip, unseen},
		{wire.OpVideoUndelete, clip, unseen},
		{wire.OpVideoDelete, clip, unseen},
		{wire.OpVideoPurge, clip, unseen},
		{wire.OpLibraryDelete, func(h things) any { return wire.Target{ID: h.prompt} }, unseen},
		{wire.OpDelete, conversation, unseen},
	}
}
