package video

import (
	"testing"

	"screentest/server/payer"
)

// The same key, entered for two gateways, is two: what becomes of it at one says
// nothing at the other, and another one takes its place at one alone.
func TestAKeyIsOfOneGateway(t *testing.T) {
	one, two := payer.Payer{Owner: "1", Gateway: "https://one", Secret: "sk"}, payer.Payer{Owner: "1", Gateway: "https://two", Secret: "sk"}
	k := newKeys()
	k.used(one, 1)
	k.used(two, 2)
	if k.number(one) != 1 || k.number(two) != 2 {
		t.Fatalf("%d, %d", k.number(one), k.number(two))
	}
	if refused := k.pause(1); len(refused) != 1 {
		t.Errorf("refused at one: %v", refused)
	}
	if _, _, ok := k.get(2); !ok {
		t.Error("it is refused at the other, too")
	}
	better := payer.Payer{Owner: "1", Gateway: "https://one", Secret: "sk-better"}
	k.replace(better, 3, true)
	if secret, _, ok := k.get(k.current(1)); !ok || secret != "sk-better" {
		t.Errorf("at one: %q", secret)
	}
	if secret, _, ok := k.get(k.current(2)); !ok || secret != "sk" {
		t.Errorf("at the other: %q", secret)
	}
}

// A team's key is changed here for two people, and the second one's new key is heard of
// before it is put in its place here: it never stands in its own place, and what was
// asked about with the old one goes on with it.
func TestAKeyThatIsHeardOfFirst(t *testing.T) {
	old := payer.Payer{Owner: "2", Team: "team", Gateway: "https://one", Secret: "sk"}
	better := old
	better.Secret = "sk-better"
	p := newPoller(&Service{keys: newKeys()})
	k, id := p.s.keys, taskID{"2", "task"}
	k.load(old, 1, false, false)
	p.all[id] = &entry{taskID: id, team: old.Team, gateway: old.Gateway, key: 1}
	k.learn(better, 4, false, true)
	k.replace(better, 4, true)
	if to, is := k.moved[4]; is {
		t.Fatalf("in the place of 4 stands %d", to)
	}
	p.rekey(holderOf(better), 4, true)
	if secret, replaced, ok := k.get(p.all[id].key); !ok || !replaced || secret != "sk-better" {
		t.Errorf("asked about with %d: %q", p.all[id].key, secret)
	}
	if p.follow(id, 4) {
		t.Error("it follows what it has")
	}
	if k.number(old) != 0 || k.number(better) != 4 || k.current(1) != 4 {
		t.Errorf("%d, %d, %d", k.number(old), k.number(better), k.current(1))
	}
}

// What was read of the store before a key was changed here is heard after: it takes
// nothing back, and keys don't stand in each other's place.
func TestAnEarlierKeyTakesNothingBack(t *testing.T) {
	of := payer.Payer{Owner: "2", Gateway: "https://one", Secret: "sk"}
	p := newPoller(&Service{keys: newKeys()})
	k, id, other := p.s.keys, taskID{"2", "task"}, taskID{"2", "other"}
	k.load(of, 2, false, false)
	p.all[id] = &entry{taskID: id, gateway: of.Gateway, key: 2}
	p.all[other] = &entry{taskID: other, gateway: of.Gateway}
	of.Secret = "sk-better"
	k.replace(of, 3, true)
	p.rekey(holderOf(of), 3, true)
	if p.follow(id, 2) || k.moved[3] != 0 {
		t.Fatalf("it follows back: %v", k.moved)
	}
	if p.all[id].key != 3 || k.current(2) != 3 {
		t.Errorf("asked about with %d, current is %d", p.all[id].key, k.current(2))
	}
	// Whose change is handled late has a later one's in its place.
	best := of
	best.Secret = "sk-best"
	k.learn(best, 5, false, true)
	if !p.follow(id, 5) {
		t.Error("a later key isn't followed")
	}
	of.Secret = "sk-late"
	k.replace(of, 4, true)
	p.rekey(holderOf(of), 4, true)
	if p.all[id].key != 5 || p.all[other].key != 4 || k.moved[5] != 0 {
		t.Errorf("asked about with %d and %d; %v", p.all[id].key, p.all[other].key, k.moved)
	}
}
