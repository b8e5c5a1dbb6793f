package main

import (
	"context"

	gatewayclient "screentest/server/gateway"
	"screentest/server/listing"
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
	switch {
	case now.Name == sandboxName:
		s.listing.Forget()
	case key != "":
		s.listing.Watch(now.Name, now.Client, key)
	}
}

// useModels has the models of a gateway be those that can be asked.
func (s *server) useModels(now gatewayclient.Connected) {
	if now.Name == sandboxName {
		s.models.at(true, nil)
		return
	}
	of, _ := s.listing.Models(now.Name)
	s.models.at(false, of)
}

// modelsListed takes over what a gateway lists, if it is still the one that is
// connected.
func (s *server) modelsListed(gateway string) {
	if now := s.gateways.Now(); now.Name == gateway {
		s.useModels(now)
		s.news.GatewayChanged()
	}
}
