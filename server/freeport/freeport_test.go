package freeport

import (
	"slices"
	"testing"
)

func TestPortsAreGivenOnce(t *testing.T) {
	var all []int
	for range 20 {
		ports, err := Take(10)
		if err != nil || len(ports) != 10 {
			t.Fatal(ports, err)
		}
		all = append(all, ports...)
	}
	for _, port := range all {
		if port < first || port >= end {
			t.Errorf("%d may be given to who connects", port)
		}
	}
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 200 {
		t.Errorf("200 ports are %d", n)
	}
}
