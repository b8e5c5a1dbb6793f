package video

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"screentest/server/payer"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Create checks a request as the browser has, stores the intent, and has it
// sent: once, whatever becomes of it. It returns as soon as the intent is
// durable; the rest is told as news. The same id again gives the same task,
// whoever pays.
//
// What its payer wants to be asked about first is not made: see Approvals.
func (s *Service) Create(ctx context.Context, by payer.Payer, c wire.VideoCreate) (wire.VideoTask, error) {
	return s.create(ctx, by, c, s.Store.Create, true)
}

// Release is Create of what was asked about and released. store stores the intent,
// in place of the Store.
func (s *Service) Release(ctx context.Context, by payer.Payer, c wire.VideoCreate, store StoreIntent) (wire.VideoTask, error) {
	return s.create(ctx, by, c, store, false)
}

// StoreIntent is Store.Create, or does the same with more in its transaction.
type StoreIntent = func(ctx context.Context, owner string, key int64, secret string, t wire.VideoTask, prices json.RawMessage) (stored wire.VideoTask, used int64, found bool, err error)

func (s *Service) create(ctx context.Context, by payer.Payer, c wire.VideoCreate, store StoreIntent, ask bool) (wire.VideoTask, error) {
	by.Gateway = cmp.Or(by.Gateway, s.Origin)
	owner, key, to := by.Owner, by.Secret, s.Gateways(by.Gateway)
	t, err := s.Store.Task(ctx, owner, c.ID)
	if err == nil {
		return s.live(owner, t), nil
	}
	if !isNotExist(err) {
		return t, err
	}
	if ask = ask && s.Approvals != nil; ask {
		if t, err := s.Approvals.Asked(ctx, owner, c.ID); err == nil || !isNotExist(err) {
			return t, err
		}
	}
	if key == "" {
		return t, &wire.Problem{Code: "no_key", Message: "There is no key for the gateway.", Hint: "Enter it in the settings."}
	}
	if to == nil {
		return t, &wire.Problem{Code: "other_gateway", Message: "Another gateway was connected meanwhile. Nothing was sent.", Hint: "Send it again."}
	}
	t, quote, prices, err := s.intent(ctx, by, c)
	if err != nil {
		return t, err
	}
	if ask && by.MustAsk(quote) {
		return s.Approvals.Ask(ctx, by, c, t)
	}
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return t, &wire.Problem{Code: "shutting_down", Message: "The server is shutting down. Nothing was sent."}
	}
	s.sends.Add(1)
	s.mu.Unlock()
	id, sent := taskID{owner, t.ID}, false
	defer func() {
		if !sent {
			s.sends.Done()
		}
	}()
	release := func() {}
	if s.Budget != nil {
		by.For = t.ID
		r, p := s.Budget.Reserve(ctx, by, wire.WhatVideo, t.Model, quote)
		if p != nil {
			return t, p
		}
		release = r
	}
	mine := s.beginSending(id)
	defer func() {
		if mine && !sent {
			s.endSending(id)
		}
	}()
	stored, used, found, err := store(ctx, owner, s.keys.number(by), key, t, prices)
	if err == nil && !found && ctx.Err() != nil {
		// Nobody waits for it any more. It is not sent, and a start must not
		// take it for one that was.
		s.unsent(owner, t.ID)
		err = ctx.Err()
	}
	if err != nil || found {
		release()
		return s.live(owner, stored), err
	}
	s.keys.used(by, used)
	s.noteReserved(id, release)
	sent = true
	go func() {
		defer s.sends.Done()
		defer s.endSending(id)
		s.send(to, owner, key, used, stored, c.Body)
	}()
	s.tell(owner, stored)
	return stored, nil
}

// beginSending notes that a task is about to be sent, before it is there for others to
// see. It is false where another request does so: one of the two finds it there.
func (s *Service) beginSending(id taskID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sending[id] {
		return false
	}
	s.sending[id] = true
	return true
}

func (s *Service) endSending(id taskID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sending, id)
}

// unsent marks an intent that was stored and not sent.
func (s *Service) unsent(owner, id string) {
	ctx, cancel := context.WithTimeout(s.life, 10*time.Second)
	defer cancel()
	why := &wire.Problem{Code: "not_sent", Message: "The database was too slow, and the request was not sent.", Hint: "Try again."}
	if t, changed, err := s.Store.Refused(ctx, owner, id, why); err == nil && changed {
		s.tell(owner, t)
	}
}

// intent is the task that a request would make, checked, with what it costs.
func (s *Service) intent(ctx context.Context, by payer.Payer, c wire.VideoCreate) (t wire.VideoTask, q gateway.Quote, prices json.RawMessage, err error) {
	title, err := s.Store.CleanTitle(c.Title)
	if err != nil {
		return t, q, nil, err
	}
	tags, err := s.Store.CleanTags(c.Tags)
	if err != nil {
		return t, q, nil, err
	}
	if len(c.Body) > wire.MaxBody {
		return t, q, nil, &wire.Problem{Code: "body_too_large", Field: "body", Message: "The request is longer than 4 MiB."}
	}
	var r gateway.VideoRequest
	_ = json.Unmarshal(c.Body, &r) // what is wrong with it the validator says, in better words
	o := gateway.Options{ReferenceSeconds: c.ReferenceSeconds, MotionSeconds: c.MotionSeconds, Now: s.Now()}
	var source wire.VideoTask
	if r.TaskID != "" {
		switch source, err = s.Store.TaskByUUID(ctx, by.Owner, r.TaskID); {
		case err == nil:
			away := s.elsewhere(source)
			if away == nil && source.Gateway != by.Gateway {
				away = &wire.Problem{Code: "other_gateway", Message: "This clip was made at another gateway: " + source.Gateway + ".",
					Hint: "Connect that gateway again to go on with it, or start from the clip’s file."}
			}
			if away != nil {
				away.Field = "task_id"
				return t, q, nil, away
			}
			p := source.Provenance()
			o.Source = &p
		case isNotExist(err):
			o.Source = &gateway.Provenance{TaskID: strings.ToLower(r.TaskID), Pasted: true}
		default:
			return t, q, nil, err
		}
	}
	if c.VersionOf != "" {
		if _, err := s.Store.Task(ctx, by.Owner, c.VersionOf); isNotExist(err) {
			c.VersionOf = "" // gone meanwhile: the clip is made all the same
		} else if err != nil {
			return t, q, nil, err
		}
	}
	catalogue := s.Catalogue()
	verdict := catalogue.Validate(gateway.Video, c.Body, o)
	if !verdict.OK() {
		e := verdict.Errors[0]
		return t, q, nil, &wire.Problem{Code: e.Code, Message: e.Message, Hint: e.Hint, Field: e.Field, Allowed: e.Allowed}
	}
	if p := by.Refuses(r.Model); p != nil {
		return t, q, nil, p
	}
	m, _ := catalogue.Lookup(r.Model)
	mode := m.Mode
	if m.Family == gateway.Unknown {
		mode = gateway.AnyVideo
	}
	if r.MultiShots != nil && *r.MultiShots {
		mode = gateway.MultiShot
	}
	p := gateway.NewProvenance(m, mode, o.Source)
	least, most := m.Usual()
	t = wire.VideoTask{
		ID: c.ID, Gateway: by.Gateway, Model: m.ID, Mode: string(mode), Body: c.Body, Prompt: prompt(r), Title: title, Tags: tags,
		State: wire.VideoCreating, Progress: -1, CreatedMS: s.nowMS(), UsualLeastMS: least.Milliseconds(), UsualMostMS: most.Milliseconds(),
		Source: source.ID, SourceIndex: c.SourceIndex, SourceUUID: strings.ToLower(r.TaskID), VersionOf: c.VersionOf,
		Family: string(p.Family), Tier: p.Tier, Resolution: p.Resolution, Root: p.Root,
		Team: by.Team, PaidBy: by.Label,
	}
	if c.CopiedFrom != "" && s.Lineage != nil {
		// What is no longer shown to them, or never was, isn't noted; the clip is theirs
		// to make all the same.
		if t.Copied, err = s.Lineage(ctx, by.Owner, c.CopiedFrom); err != nil && !isNotExist(err) {
			return t, q, nil, err
		}
	}
	t.Seconds, _ = strconv.Atoi(r.Seconds)
	q = m.VideoPrice(t.Seconds)
	t.PriceNanoUSD, t.Basis, t.SamplePrice = int64(q.Cost), q.Basis, q.Sample
	if q.Sample {
		t.Basis += ", sample prices"
	}
	prices, err = json.Marshal(m.Price)
	return t, q, prices, err
}

// prompt is what a person would call the request's prompt: its own, though of
// several shots the model reads only theirs (F56); these are with the body.
func prompt(r gateway.VideoRequest) string {
	if strings.TrimSpace(r.Prompt) == "" && len(r.MultiPrompt) > 0 {
		return r.MultiPrompt[0].Prompt
	}
	return r.Prompt
}
