package main

import (
	"context"
	"encoding/json"
	"net/http"

	"screentest/server/bff"
	gatewayclient "screentest/server/gateway"
	"screentest/server/payer"
	"screentest/server/people"
	"screentest/shared/wire"
)

// gatewayRoutes are the addresses by which a gateway is tested and connected. They
// are for who runs the instance.
func (s *server) gatewayRoutes() map[string]bff.Handler {
	return map[string]bff.Handler{
		"POST " + wire.GatewayTestPath: s.testGateway,
		"PUT " + wire.GatewayPath:      s.connectGateway,
		"DELETE " + wire.GatewayPath:   s.leaveGateway,
	}
}

func readGateway(w http.ResponseWriter, r *http.Request) (in wire.GatewayAt, err error) {
	if r.Header.Get("Content-Type") != "application/json" {
		return in, &wire.Problem{Code: "invalid_request", Status: http.StatusUnsupportedMediaType, Message: "The request's body is sent as application/json."}
	}
	if json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<10)).Decode(&in) != nil {
		return in, &wire.Problem{Code: "invalid_request", Message: `The body must be {"address":"…","key":"…"}.`}
	}
	return in, nil
}

func answerFound(w http.ResponseWriter, found wire.GatewayFound) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(found) // an error means that nobody reads it any more
}

// testGateway says what is at an address, and changes nothing.
func (s *server) testGateway(w http.ResponseWriter, r *http.Request, who people.Person) error {
	in, err := readGateway(w, r)
	if err != nil {
		return err
	}
	base, note, key, err := s.checkedGateway(r.Context(), who, &in)
	if err != nil {
		return err
	}
	found, err := s.probe(r.Context(), base, note, key)
	if err != nil {
		return err
	}
	answerFound(w, found)
	return nil
}

// connectGateway has everything that is sent from now on go to a gateway, if one
// answers at the address and doesn't refuse the key.
func (s *server) connectGateway(w http.ResponseWriter, r *http.Request, who people.Person) error {
	in, err := readGateway(w, r)
	if err != nil {
		return err
	}
	base, note, key, err := s.checkedGateway(r.Context(), who, &in)
	if err != nil {
		return err
	}
	if s.sandboxBase != "" && base.String() == s.sandboxBase {
		return s.leaveGateway(w, r, who)
	}
	found, err := s.probe(r.Context(), base, note, key)
	if err != nil {
		return err
	}
	// A team's people may enter their keys later.
	if !found.OK && !(found.Key == wire.KeyWanted && who.Me != nil) {
		answerFound(w, found)
		return nil
	}
	ctx := context.WithoutCancel(r.Context())
	s.connecting.Lock()
	defer s.connecting.Unlock()
	keyless := found.Key == wire.KeyNotAsked
	told, err := s.keepKeyFor(ctx, w, r, who, base.String(), gatewayclient.Origin(base), in)
	if err != nil {
		return err
	}
	if err := s.keepConnection(ctx, connection{Address: base.String(), Keyless: keyless}); err != nil {
		return err
	}
	told()
	if err := s.gateways.Connect(base.String(), base.String(), keyless); err != nil {
		return err
	}
	s.gateways.Meet(base.String())
	if key != "" && found.Key == wire.KeyAccepted {
		s.people.KeyJudged(base.String(), key, false)
	}
	s.people.Note(ctx, people.Event{Action: "gateway.connected", Detail: map[string]any{"keyless": keyless}})
	s.log.Info("a gateway was connected in the page", "gateway", base.String())
	s.warnOfGateway()
	s.tellLister(key)
	found.Connected = true
	answerFound(w, found)
	return nil
}

// keepKeyFor keeps the key that was typed for a gateway. told tells who works with
// it.
func (s *server) keepKeyFor(ctx context.Context, w http.ResponseWriter, r *http.Request, who people.Person, name, origin string, in wire.GatewayAt) (told func(), err error) {
	g := people.Gateway{Name: name, Origin: origin}
	switch {
	case in.Key == "":
		return func() {}, nil
	case who.Me == nil:
		return s.bff.KeepKey(w, r, g, in.Key)
	case in.Team == "":
		return nil, &wire.Problem{Code: "invalid_request", Field: "team", Message: "Say which team the key is for.", Hint: "Or leave the key out, and enter it for each team afterwards."}
	}
	if err := s.people.SetTeamKey(ctx, g, in.Team, in.Key); err != nil {
		return nil, err
	}
	return func() {
		if err := s.videos.KeyChanged(ctx, payer.Payer{Team: in.Team, Gateway: name, Secret: in.Key}); err != nil {
			s.log.Error("open video tasks did not get the team's new key", "err", err)
		}
	}, nil
}

// leaveGateway has everything go to the sandbox again. Keys stay: they are for the
// gateway that is left, and are there when it is connected again.
func (s *server) leaveGateway(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	if s.config.gateway != "" {
		return &wire.Problem{Code: "gateway_fixed", Message: "The gateway was chosen with -gateway when the server was started.", Hint: "Start the server without -gateway to use the sandbox."}
	}
	ctx := context.WithoutCancel(r.Context())
	s.connecting.Lock()
	defer s.connecting.Unlock()
	if err := s.keepConnection(ctx, connection{}); err != nil {
		return err
	}
	if err := s.gateways.Connect(sandboxName, s.sandboxBase, false); err != nil {
		return err
	}
	s.people.Note(ctx, people.Event{Action: "gateway.left"})
	s.log.Info("the sandbox is used again")
	s.tellLister("")
	answerFound(w, wire.GatewayFound{Address: s.sandboxBase, OK: true, Connected: true, Lines: []wire.FoundLine{}})
	return nil
}
