// Package inspect is what the inspector knows: what was sent for an answer, and
// every event that came, with its time and place. It is plain Go with neither
// go-app nor the browser in it.
//
// Start with an [Inspector], which fetches both for one run. A [Log] is a
// run's bytes cut into events; a [Replay] gives the bytes again at the pace at
// which they came, which costs nothing; [Draft] is a request that the person
// writes as JSON; [Tokens] colours JSON as it stands.
package inspect
