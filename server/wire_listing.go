package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"screentest/server/bff"
	gatewayclient "screentest/server/gateway"
	"screentest/server/listing"
	"screentest/server/news"
	"screentest/server/people"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// openListing prepares what knows the models that gateways list.
func (s *server) openListing() {
	s.listing = listing.New(listing.Config{Store: s.store, Changed: s.modelsListed, Logger: s.log})
	s.onClose(func(context.Context) error { s.listing.Close(); return nil })
	s.lister = listed{s}
}

// listed has the models of the gateway that is connected asked for.
type listed struct{ s *server }

// Connected implements lister.
func (l listed) Connected(now gatewayclient.Connected, key string) {
	s := l.s
	s.useModels(now)
	s.news.GatewayChanged()
	if now.Name == sandboxName || key == "" { // the former gateway and its key are left
		s.listing.Forget()
	} else {
		s.listing.Watch(now.Name, now.Client, key)
	}
}

// useModels has the models of a gateway be those that can be asked.
func (s *server) useModels(now gatewayclient.Connected) {
	if now.Name == sandboxName {
		s.models.at(true, nil, nil)
		return
	}
	entered, err := s.entered(context.Background(), now.Name)
	if err != nil {
		s.log.Error("the prices that were entered can't be read", "err", err)
	}
	of, _ := s.listing.Models(now.Name)
	s.models.at(false, of, entered)
}

// entered are the prices that were entered for the models of a gateway.
func (s *server) entered(ctx context.Context, name string) (map[string]gateway.Price, error) {
	kept, err := s.store.Prices(ctx, name)
	prices := map[string]gateway.Price{}
	for model, text := range kept {
		var p gateway.Price
		if bad := json.Unmarshal([]byte(text), &p); bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		prices[model] = p
	}
	return prices, err
}

// modelsListed takes over what a gateway lists, if it is still the one that is
// connected.
func (s *server) modelsListed(gateway string) {
	if now := s.gateways.Now(); now.Name == gateway {
		s.useModels(now)
		s.news.GatewayChanged()
	}
}

// modelCalls are those of the models that can be asked.
func (s *server) modelCalls() map[wire.Op]bff.Call {
	return map[wire.Op]bff.Call{
		wire.OpModels: bff.Calling(func(ctx context.Context, _ news.Tab, _ json.RawMessage) (any, error) {
			return s.modelSources(ctx)
		}),
		wire.OpRefreshModels: bff.Calling(func(ctx context.Context, _ news.Tab, _ json.RawMessage) (any, error) {
			return s.refreshModels(ctx)
		}),
		wire.OpSetPrice: bff.Calling(func(ctx context.Context, _ news.Tab, p wire.ModelPrice) (any, error) {
			return s.setPrice(ctx, p)
		}),
	}
}

// modelSources says where the models come from.
func (s *server) modelSources(ctx context.Context) (wire.Models, error) {
	now := s.gateways.Now()
	m := wire.Models{File: s.models.file != "", Entered: []string{}}
	if now.Name == sandboxName {
		return m, nil
	}
	prices, err := s.store.Prices(ctx, now.Name)
	for id := range prices {
		m.Entered = append(m.Entered, id)
	}
	slices.Sort(m.Entered)
	if of, at := s.listing.Models(now.Name); !at.IsZero() {
		m.Listed, m.ListedMS = len(of), at.UnixMilli()
	}
	return m, err
}

// refreshModels asks the gateway for its models, with the key of who asks.
func (s *server) refreshModels(ctx context.Context) (wire.Models, error) {
	now := s.gateways.Now()
	if now.Name == sandboxName {
		return s.modelSources(ctx)
	}
	key := gateway.NoKey
	if !now.Keyless {
		var err error
		if key, err = s.held(ctx, people.Of(ctx), now.Base, ""); err != nil {
			return wire.Models{}, err
		}
	}
	if _, err := s.listing.Refresh(ctx, now.Name, now.Client, key); err != nil {
		return wire.Models{}, &wire.Problem{Code: "no_models", Message: "The gateway lists no models.", Hint: "Type the ids of models yourself, or name them in a file with -catalog."}
	}
	return s.modelSources(ctx)
}

// setPrice keeps what a model costs.
func (s *server) setPrice(ctx context.Context, p wire.ModelPrice) (wire.Models, error) {
	bad := func(field, message, hint string) (wire.Models, error) {
		return wire.Models{}, &wire.Problem{Code: "invalid_price", Field: field, Message: message, Hint: hint}
	}
	now := s.gateways.Now()
	if now.Name == sandboxName {
		return bad("model", "The sandbox’s prices are samples and stay as they are.", "Connect your gateway first.")
	}
	if !gateway.IsModelID(p.Model) {
		return bad("model", "This is no id of a model.", "It has 1 to "+strconv.Itoa(gateway.MaxModelID)+" characters and no spaces.")
	}
	text := ""
	if p.Price.Known {
		for field, n := range map[string]money.NanoUSD{"input": p.Price.Input, "output": p.Price.Output, "per_second": p.Price.PerSecond, "per_clip": p.Price.PerClip, "per_image": p.Price.PerImage} {
			if n < 0 || n > wire.MaxBudgetNanoUSD {
				return bad(field, "A price is from $0 to a million dollars.", "Enter it in dollars.")
			}
		}
		raw, err := json.Marshal(p.Price)
		if err != nil {
			return wire.Models{}, err
		}
		text = string(raw)
	}
	if err := s.store.SetPrice(ctx, now.Name, p.Model, text); err != nil {
		return wire.Models{}, err
	}
	s.people.Note(ctx, people.Event{Action: "model.priced", Detail: map[string]any{"model": p.Model}})
	s.useModels(now)
	s.news.GatewayChanged()
	return s.modelSources(ctx)
}
