package gateway

import (
	"context"
	"net/http"
	"sync"
	"time"

	"screentest/shared/wire"
)

// Connected is the gateway that new sends go to.
type Connected struct {
	*Client
	// Name is how tasks and payers name it: its address, or the sandbox's name.
	Name string
	// Keyless: it asks for no key.
	Keyless bool
}

// Health is what calls have met of the gateway that is connected.
type Health struct {
	Met   bool // it was reached since the server started, or since it was connected
	Since time.Time
	// Why it can't be reached, Since then; nil: it can.
	Why *wire.Problem
}

// Waits between two looks at a gateway that can't be reached.
const (
	lookFirst = 5 * time.Second
	lookMost  = time.Minute
)

// Gateways are the clients of all gateways that are called: the one that is
// connected, and those where something is still under way, by their names. Make
// them with NewGateways, and Close them.
type Gateways struct {
	// Options are those of a client for a name. They are set before the first
	// gateway is connected, as Changed is, which is told when another is, or its
	// Health is another; it must not block.
	Options func(name string) Options
	Changed func()

	mu      sync.Mutex
	now     Connected
	health  Health
	clients map[string]*Client
	looking bool
	life    context.Context
	end     context.CancelFunc
	work    sync.WaitGroup
}

// NewGateways returns Gateways of which none is connected.
func NewGateways(options func(name string) Options, changed func()) *Gateways {
	g := &Gateways{Options: options, Changed: changed, clients: map[string]*Client{}}
	g.life, g.end = context.WithCancel(context.Background())
	return g
}

// Close closes the connections that are not in use.
func (g *Gateways) Close() {
	g.mu.Lock()
	g.end()
	all := g.clients
	g.clients = map[string]*Client{}
	g.mu.Unlock()
	g.work.Wait()
	for _, c := range all {
		c.Close()
	}
}

// Now is the gateway that is connected.
func (g *Gateways) Now() Connected {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now
}

// Health is what is known of it.
func (g *Gateways) Health() Health {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.health
}

// At is the client of the gateway with a name, at base; it is made where there is
// none yet.
func (g *Gateways) At(name, base string) (*Client, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at(name, base)
}

func (g *Gateways) at(name, base string) (*Client, error) {
	if c := g.clients[name]; c != nil {
		return c, nil
	}
	o := g.Options(name)
	o.Reached = func(why *wire.Problem) { g.met(name, why) }
	c, err := New(base, o)
	if err != nil {
		return nil, err
	}
	g.clients[name] = c
	return c, nil
}

// Connect has new sends go to the gateway with a name, at base. What is under way
// stays with the client that it began with.
func (g *Gateways) Connect(name, base string, keyless bool) error {
	g.mu.Lock()
	c, err := g.at(name, base)
	if err == nil {
		g.now, g.health = Connected{c, name, keyless}, Health{}
	}
	g.mu.Unlock()
	if err == nil {
		g.Changed()
	}
	return err
}

// Meet notes that the gateway with a name was reached by another way than its
// client.
func (g *Gateways) Meet(name string) { g.met(name, nil) }

// met notes whether a gateway was reached. One that was not is looked at until it
// is.
func (g *Gateways) met(name string, why *wire.Problem) {
	g.mu.Lock()
	changed := name == g.now.Name && (!g.health.Met && why == nil || (why == nil) != (g.health.Why == nil))
	if changed {
		switch {
		case why == nil:
			g.health = Health{Met: true}
		default:
			g.health = Health{Met: g.health.Met, Since: time.Now(), Why: why}
			if !g.looking && g.life.Err() == nil {
				g.looking = true
				g.work.Go(g.lookOut)
			}
		}
	}
	g.mu.Unlock()
	if changed {
		g.Changed()
	}
}

// lookOut asks the gateway that can't be reached for something that costs nothing,
// without a key, seldom and ever more seldom, until it answers.
func (g *Gateways) lookOut() {
	for wait := lookFirst; ; wait = min(2*wait, lookMost) {
		select {
		case <-time.After(wait):
		case <-g.life.Done():
			return
		}
		g.mu.Lock()
		c := g.now.Client
		if g.health.Why == nil {
			g.looking = false
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		c.look(g.life, "", http.MethodGet, modelsPath, nil) // which tells met
	}
}
