//go:build race

package sandbox

// agreeCount is how many requests the sandbox and the validator are held against
// each other with: a fifth of the usual, because the race detector makes each
// several times dearer.
const agreeCount = 20_000
