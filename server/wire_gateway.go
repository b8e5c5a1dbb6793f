package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	gatewayclient "screentest/server/gateway"
	"screentest/server/listing"
	"screentest/server/payer"
	"screentest/server/people"
	"screentest/server/run"
	"screentest/server/upstream"
	"screentest/server/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// sandboxName names the sandbox inside, whatever its port.
const sandboxName = "sandbox"

// gatewaySetting is where the server keeps which gateway was connected in the page.
const gatewaySetting = "gateway"

// maxFormer bounds the addresses of gateways of before that are kept.
const maxFormer = 50

// connection is what is kept of the gateway that was connected in the page.
type connection struct {
	Address string `json:"address,omitempty"` // "": the sandbox
	Keyless bool   `json:"keyless,omitempty"`
	// Former are the addresses of those before: what is shown to others doesn't
	// tell them.
	Former []string `json:"former,omitempty"`
}

// A lister is told which gateway is connected, at the start, whenever that is
// another one and when a key for it was entered, to see which models it has. key is
// that key, or gateway.NoKey; "" where none is at hand. It must not wait.
type lister interface {
	Connected(now gatewayclient.Connected, key string)
}

// openGateways connects the gateway of -gateway, or the one that was connected in
// the page, or the sandbox at base.
func (s *server) openGateways(ctx context.Context, base, key string) error {
	s.sandboxBase, s.sandboxKey = base, key
	if err := s.readConnection(ctx); err != nil {
		return err
	}
	if s.config.gateway != "" {
		u, err := gatewayclient.ParseBase(s.config.gateway)
		if err != nil {
			return mistakef("-gateway: %w", err)
		}
		address := u.String()
		if err := s.mayWrite(s.store.BindKeys(ctx, gatewayclient.Origin(u))); err != nil {
			return err
		}
		return s.gateways.Connect(address, address, s.connection.Keyless && s.connection.Address == address)
	}
	return s.useConnection()
}

// useConnection connects the gateway that was connected in the page, or the sandbox.
func (s *server) useConnection() error {
	if at := s.connection.Address; at != "" {
		return s.gateways.Connect(at, at, s.connection.Keyless)
	}
	return s.gateways.Connect(sandboxName, s.sandboxBase, false)
}

// reconnect connects the gateway that was connected at another replica.
func (s *server) reconnect(ctx context.Context) error {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	was := s.connection
	if err := s.readConnection(ctx); err != nil {
		return err
	}
	now := s.connection
	if s.config.gateway != "" || now.Address == was.Address && now.Keyless == was.Keyless {
		return nil
	}
	if err := s.useConnection(); err != nil {
		return err
	}
	if now.Address != "" {
		s.gateways.Meet(now.Address) // who connected it has been there
	}
	s.log.Info("another gateway was connected in the page, at another replica", "gateway", s.gatewayName())
	s.warnOfGateway()
	s.tellLister("")
	return nil
}

// readConnection reads what was connected in the page.
func (s *server) readConnection(ctx context.Context) error {
	text, err := s.store.ServerSetting(ctx, gatewaySetting)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var c connection
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return fmt.Errorf("read which gateway is connected: %w", err)
	}
	s.connection = c
	return nil
}

// keepConnection keeps that another one is connected.
func (s *server) keepConnection(ctx context.Context, c connection) error {
	c.Former = s.connection.Former
	if was := s.connection.Address; was != "" && was != c.Address {
		c.Former = append([]string{was}, slices.DeleteFunc(slices.Clone(c.Former), func(a string) bool { return a == was || a == c.Address })...)
		c.Former = c.Former[:min(len(c.Former), maxFormer)]
	}
	text, err := json.Marshal(c)
	if err == nil {
		err = s.store.SetServerSetting(ctx, gatewaySetting, string(text))
	}
	if err == nil {
		s.connection = c
	}
	return err
}

// clientOptions are those of the client for the gateway with a name.
func (s *server) clientOptions(name string) gatewayclient.Options {
	o := s.config.timeouts
	o.FilesFromPrivate = s.config.fetchPrivate
	o.Judged = func(key string, refused bool) { s.people.KeyJudged(name, key, refused) }
	return o
}

// sandboxed says whether it is the sandbox inside that is connected.
func (s *server) sandboxed() bool { return s.gateways.Now().Name == sandboxName }

// keysFor is the gateway that is connected, as far as keys have to do with it.
func (s *server) keysFor() people.Gateway {
	now := s.gateways.Now()
	g := people.Gateway{Name: now.Name, Fixed: s.config.gateway != ""}
	switch {
	case now.Client == nil: // the server is being started
	case now.Name == sandboxName:
		g.Origin, g.Key = sandboxName, s.sandboxKey
	default:
		g.Origin = gatewayclient.Origin(now.Base)
		if now.Keyless {
			g.Key = gateway.NoKey
		}
	}
	return g
}

// toldGateway is the gateway that is connected, as pages are told of it.
func (s *server) toldGateway() wire.Gateway {
	now, health := s.gateways.Now(), s.gateways.Health()
	sandbox := now.Name == sandboxName
	g := wire.Gateway{
		Sandbox: sandbox, BaseURL: now.Base.String(), Fixed: s.config.gateway != "", Keyless: now.Keyless,
		StreamOptions: sandbox, // G9: off for a real gateway
		Met:           health.Met,
	}
	if health.Why != nil {
		g.DownMS, g.Down = health.Since.UnixMilli(), health.Why.Words()
	}
	return g
}

// target is the gateway that a run is sent to whose payer names it.
func (s *server) target(name string) (run.Target, *wire.Problem) {
	now := s.gateways.Now()
	if now.Name != name {
		return run.Target{}, &wire.Problem{Code: "other_gateway", Message: "Another gateway was connected at this moment. Nothing was sent.", Hint: "Send it again."}
	}
	return run.Target{Send: now.Stream, BaseURL: now.Base.String(), StreamOptions: name == sandboxName}, nil
}

// videoGateway is the gateway with a name that clips are made at, or were: the one
// that is connected, and without -gateway any from before.
func (s *server) videoGateway(name string) video.Gateway {
	base := name
	switch now := s.gateways.Now(); {
	case name == now.Name:
		return now.Client
	case s.config.gateway != "":
		return nil
	case name == sandboxName:
		base = s.sandboxBase
	}
	c, err := s.gateways.At(name, base)
	if err != nil {
		return nil
	}
	return c
}

// connectedVideo is the gateway that is connected, whichever that is.
type connectedVideo struct {
	video.Gateway // none: what isn't here is asked of a gateway by its name
	s             *server
}

func (c connectedVideo) FetchFile(ctx context.Context, address, span string) (*upstream.File, error) {
	return c.s.gateways.Now().FetchFile(ctx, address, span)
}

// pace is how much faster than life the tasks at a gateway are.
func (s *server) pace(name string) float64 {
	if name == sandboxName {
		return s.config.sandboxSpeed
	}
	return 1
}

// uploads is where the gateway that is connected fetches uploads from. The sandbox
// is in this program; inside is where it reaches it.
func (s *server) uploads(inside string) (base string, unreachable bool) {
	now, public := s.gateways.Now(), s.reach.public
	if now.Name == sandboxName {
		return uploadsBase(inside, now.Base, nil)
	}
	if s.reach.tls && public == nil {
		_, unreachable = uploadsBase(s.addr, now.Base, nil)
		return s.url, unreachable
	}
	return uploadsBase(s.addr, now.Base, public)
}

// gatewayHosts are the hosts of gateways, which nobody is told by a share.
func (s *server) gatewayHosts() []string {
	hosts := []string{s.gateways.Now().Base.Host}
	s.connecting.Lock()
	former := append([]string{s.connection.Address}, s.connection.Former...)
	s.connecting.Unlock()
	if s.sandboxBase != "" {
		former = append(former, s.sandboxBase)
	}
	for _, a := range former {
		if u, err := url.Parse(a); err == nil && u.Host != "" && !slices.Contains(hosts, u.Host) {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

func (s *server) gatewayName() string {
	if s.sandboxed() {
		return "sandbox gateway"
	}
	return "gateway " + s.gateways.Now().Base.String()
}

// warnOfGateway says in the log what is not safe about the way to the gateway.
func (s *server) warnOfGateway() {
	if s.peers != nil && s.sandboxed() {
		s.log.Warn("each replica has a sandbox of its own, which knows nothing of what the others' have made: connect a gateway in the page, or name one with -gateway. screentest sandbox serves one for all")
	}
	if base := s.gateways.Now().Base; base.Scheme == "http" && !onThisMachine(base) {
		s.log.Warn("the gateway is not reached by https: its key and all that is sent can be read on the way", "gateway", base.String())
	}
}

// tellLister tells who lists models which gateway is connected.
func (s *server) tellLister(key string) {
	if s.lister == nil {
		return
	}
	now := s.gateways.Now()
	if g := s.keysFor(); g.Key != "" {
		key = g.Key
	}
	s.lister.Connected(now, key)
}

// keyEntered tells who lists models of a key that was entered for the gateway that
// is connected.
func (s *server) keyEntered(by payer.Payer) {
	if by.Gateway == s.gateways.Now().Name {
		s.tellLister(by.Secret)
	}
}

// held is the key that is held for a gateway, by who asks.
func (s *server) held(ctx context.Context, who people.Person, base *url.URL, team string) (string, error) {
	return s.people.HeldFor(ctx, who, people.Gateway{
		Name: base.String(), Origin: gatewayclient.Origin(base),
		Fixed: s.config.gateway != "" && s.gateways.Now().Base.String() == base.String(),
	}, team)
}

// checkedGateway is what a request names, tidied, with the key that it is tested
// with.
func (s *server) checkedGateway(ctx context.Context, who people.Person, in *wire.GatewayAt) (base *url.URL, note, key string, err error) {
	refuse := func(field, message, hint string) error {
		return &wire.Problem{Code: "invalid_request", Field: field, Message: message, Hint: hint}
	}
	if len(in.Address) > wire.MaxGatewayAddress {
		return nil, "", "", refuse("address", fmt.Sprintf("The address has %d characters; at most %d are taken.", len(in.Address), wire.MaxGatewayAddress), "Copy it again.")
	}
	if strings.TrimSpace(in.Address) == "" {
		return nil, "", "", refuse("address", "Enter the address of the gateway.", "For instance https://openrouter.ai/api or http://localhost:11434.")
	}
	if base, note, err = gatewayclient.Tidy(in.Address); err != nil {
		why := strings.TrimPrefix(err.Error(), "gateway address: ")
		return nil, "", "", refuse("address", "This is no address of a gateway: "+why+".", "For instance https://openrouter.ai/api or http://localhost:11434.")
	}
	if at := s.config.gateway; at != "" && base.String() != s.gateways.Now().Base.String() {
		return nil, "", "", &wire.Problem{Code: "gateway_fixed", Field: "address", Message: "The gateway was chosen with -gateway when the server was started.",
			Hint: "Start the server without -gateway to choose it here."}
	}
	if in.Key = strings.TrimSpace(in.Key); in.Key != "" {
		if mistake := gateway.KeyMistake(in.Key); mistake != "" {
			return nil, "", "", &wire.Problem{Code: "invalid_key", Field: "key", Message: mistake}
		}
	}
	if s.sandboxed() && base.String() == s.sandboxBase {
		return base, note, s.sandboxKey, nil
	}
	if key = in.Key; key == "" {
		if key, err = s.held(ctx, who, base, in.Team); err != nil {
			return nil, "", "", err
		}
	}
	return base, note, key, nil
}

// probe looks what is at an address.
func (s *server) probe(ctx context.Context, base *url.URL, note, key string) (wire.GatewayFound, error) {
	now := s.gateways.Now()
	client, current := now.Client, now.Base.String() == base.String()
	if !current {
		var err error
		if client, err = gatewayclient.New(base.String(), s.config.timeouts); err != nil {
			return wire.GatewayFound{}, err
		}
		defer client.Close()
	}
	found := client.Probe(ctx, key, func(list []byte) (int, bool) {
		models, err := listing.Read(list)
		return len(models), err == nil
	})
	if refused := found.Key == wire.KeyRefused; current && key != "" && (refused || found.Key == wire.KeyAccepted) {
		s.people.KeyJudged(now.Name, key, refused)
	}
	if note != "" {
		found.Lines = append([]wire.FoundLine{{Mark: wire.MarkWarn, Text: note}}, found.Lines...)
	}
	return found, nil
}
