// Package approval has clips that are dearer than their team's amount wait until a
// lead of the team releases them. A [Service] is what package video asks before it
// sends, and what people ask what waits and decide by.
//
// What waits is only kept: nothing of it is sent, held or booked. It is released
// in the transaction that stores the clip, so that of two leads who release it at
// once one does, and a server that is killed meanwhile has done both or neither.
// Who leads a team releases their own clips by sending them.
package approval

import (
	"context"
	"encoding/json"
	"log/slog"

	"screentest/server/payer"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Store keeps what waits and what was decided; see package store.
type Store interface {
	Ask(ctx context.Context, owner, from string, c wire.VideoCreate, t wire.VideoTask) (v wire.Approval, found bool, err error)
	ByClip(ctx context.Context, owner, clip string) (wire.Approval, error)
	Approval(ctx context.Context, id string) (wire.Approval, error)
	Request(ctx context.Context, id string) (wire.VideoCreate, error)
	Decide(ctx context.Context, id, state, by, from, reason string) (v wire.Approval, changed bool, err error)
	Release(ctx context.Context, id, by, from, owner string, key int64, secret string, t wire.VideoTask, prices json.RawMessage) (stored wire.VideoTask, used int64, found bool, err error)
	Reprice(ctx context.Context, id string, t wire.VideoTask) (wire.Approval, error)
	List(ctx context.Context, owner string, all bool, teams []string, p wire.Page) (wire.Approvals, error)
}

// Videos make clips.
type Videos interface {
	// Release checks and makes the clip of c as it does any, and has its intent
	// stored by store.
	Release(ctx context.Context, by payer.Payer, c wire.VideoCreate, store StoreIntent) (wire.VideoTask, error)
}

// StoreIntent stores a clip that is about to be sent.
type StoreIntent = func(ctx context.Context, owner string, key int64, secret string, t wire.VideoTask, prices json.RawMessage) (stored wire.VideoTask, used int64, found bool, err error)

// People know who there is.
type People interface {
	// Asking is the owner who asks in ctx, and From the address that they do from.
	Asking(ctx context.Context) (owner, from string)
	// Leads says whether who asks in ctx leads a team, and Led are the teams that
	// they lead, by their ids: all of them, or those.
	Leads(ctx context.Context, team string) bool
	Led(ctx context.Context) (all bool, teams []string)
	// Leaders are the owners who lead a team; first are those of them whom to ask.
	Leaders(team string) (all, first []string)
	// PayerOf is a team as what pays for an owner who does not ask at the moment.
	// That they may not charge it any more is a problem.
	PayerOf(ctx context.Context, owner, team string) (payer.Payer, error)
}

// Config is what a Service works with. All must be given; Videos may be set later,
// before anything is decided.
type Config struct {
	Store  Store
	Videos Videos
	People People
	// Tell tells the tabs of owners, and Notify people in the page. They must not
	// wait.
	Tell   func(owners []string, key string, event wire.Event, data any)
	Notify func(ctx context.Context, owners []string, n wire.Notice)
	Logger *slog.Logger
}

// Service keeps clips waiting, and has them released.
type Service struct{ Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// videoPath is the page where all that waits is shown.
const videoPath = "/video"

// Asked answers the same creation again: with the clip that waits, or with why it
// came to nothing, as a problem.
func (s *Service) Asked(ctx context.Context, owner, clip string) (wire.VideoTask, error) {
	v, err := s.Store.ByClip(ctx, owner, clip)
	if err != nil {
		return wire.VideoTask{}, err
	}
	switch v.State {
	case wire.ApprovalAsked:
		return v.Clip, nil
	case wire.ApprovalRefused:
		return v.Clip, &wire.Problem{Code: "not_released", Message: v.By + " has not released it: " + v.Reason, Hint: "Change it, and ask again."}
	case wire.ApprovalWithdrawn:
		return v.Clip, &wire.Problem{Code: "withdrawn", Message: "You have withdrawn it.", Hint: "Create it anew."}
	}
	// Released, and it is not among the clips.
	return v.Clip, &wire.Problem{Code: "deleted", Message: "It was released and made, and deleted since.", Hint: "Create it anew."}
}

// Ask keeps c, which would make t, until somebody decides, and tells those who do.
func (s *Service) Ask(ctx context.Context, by payer.Payer, c wire.VideoCreate, t wire.VideoTask) (wire.VideoTask, error) {
	_, from := s.People.Asking(ctx)
	c.Charge = by.Team // whatever they charge meanwhile
	v, found, err := s.Store.Ask(ctx, by.Owner, from, c, t)
	if err != nil {
		return wire.VideoTask{}, err
	}
	if !found {
		s.tell(v)
		_, leads := s.People.Leaders(v.Team)
		s.notify(ctx, leads, v, videoPath, "asks for approval: "+words(v))
	}
	return v.Clip, nil
}

// words are what an approval is about, in short.
func words(v wire.Approval) string {
	price := "unknown price"
	if v.Clip.PriceNanoUSD > 0 {
		price = money.NanoUSD(v.Clip.PriceNanoUSD).String()
	}
	return price + ", " + wire.Cut(v.Clip.Model, wire.MaxEchoed)
}

func (s *Service) notify(ctx context.Context, owners []string, v wire.Approval, path, text string) {
	s.Notify(ctx, owners, wire.Notice{Kind: wire.NoticeApproval, Path: path, Subject: v.ID, Text: text})
}

// tell tells the tabs of who asked, and of those who decide.
func (s *Service) tell(v wire.Approval) {
	leads, _ := s.People.Leaders(v.Team)
	decides := map[string]bool{v.Owner: false}
	for _, owner := range leads {
		decides[owner] = true
	}
	for owner, leads := range decides {
		s.Tell([]string{owner}, "approval "+v.ID, wire.EventApproval, seen(v, owner, leads))
	}
}

// seen is an approval as somebody sees it.
func seen(v wire.Approval, owner string, leads bool) wire.Approval {
	v.Mine, v.Decides = v.Owner == owner, leads && v.State == wire.ApprovalAsked
	return v
}

// List returns a page of what who asks in ctx asked for, and of what they decide.
func (s *Service) List(ctx context.Context, p wire.Page) (wire.Approvals, error) {
	owner, _ := s.People.Asking(ctx)
	all, teams := s.People.Led(ctx)
	list, err := s.Store.List(ctx, owner, all, teams, p)
	for i, v := range list.Approvals {
		list.Approvals[i] = seen(v, owner, s.People.Leads(ctx, v.Team))
	}
	return list, err
}
