//go:build !race

package sandbox

// agreeCount is how many requests the sandbox and the validator are held against
// each other with.
const agreeCount = 100_000
