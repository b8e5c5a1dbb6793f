package gateway

// Seconds is the values that the field seconds may take: a set, or a range.
// The zero Seconds allows any.
type Seconds struct {
	Values   []int // a set, rising
	Min, Max int   // a range, where Values is empty
}
