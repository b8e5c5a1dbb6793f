package verify

// InSpans is what compares the sums of PostgreSQL's.
var InSpans = inSpans
