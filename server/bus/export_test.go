package bus

// Waiting is how many bytes wait for another one.
func (b *Bus) Waiting(n int64) int {
	b.mu.Lock()
	l := b.lines[n]
	b.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes
}

// Cut breaks off all lines without a word.
func (b *Bus) Cut() { b.end() }
