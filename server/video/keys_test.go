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
