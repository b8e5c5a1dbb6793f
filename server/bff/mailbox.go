package bff

// Bounds of what waits to be sent on one socket.
const (
	// From there on calls are read no faster than answers leave, in number and
	// in bytes. A longer answer, which holds a long message, waits alone.
	maxAnswers     = 64
	maxAnswerBytes = 1 << 20
	// A socket that is that far behind with news is closed; the page connects
	// again and asks for what there is.
	maxNews      = 4096
	maxNewsBytes = 8 << 20
)

// mailbox holds the messages of one socket in the order in which they were
// true. Of several news with one key that wait, the last is kept. News that
// come while a call is being answered go behind its answer: the answer may show
// an older state than they do.
type mailbox struct {
	calling bool
	answers int // that wait
	bytes   int // of the answers that wait, and of those that were taken and are not sent
	taken   int // of these, the latter
	fresh   int // bytes of the news that wait

	msgs  []mail
	at    map[string]int // of news: where in msgs
	later []mail
}

type mail struct {
	key string // "" for an answer
	msg []byte // nil where later news took its place
}

// late queues the answer to a slow call, which news and other calls go past.
// It is false when too many answers wait.
func (m *mailbox) late(msg []byte) bool {
	if m.answers >= maxAnswers || m.bytes > 0 && m.bytes+len(msg) > maxAnswerBytes {
		return false
	}
	m.answers++
	m.bytes += len(msg)
	m.msgs = append(m.msgs, mail{msg: msg})
	return true
}

// answer queues the answer to the call under way and then the news that came
// meanwhile. It is false when too many answers wait.
func (m *mailbox) answer(msg []byte) bool {
	if !m.late(msg) {
		return false
	}
	m.calling = false
	later := m.later
	m.later = nil
	for _, l := range later {
		m.put(l)
	}
	return true
}

// news queues news. It is false when too many wait.
func (m *mailbox) news(key string, msg []byte) bool {
	if len(m.msgs)+len(m.later) >= maxNews+maxAnswers || m.fresh > 0 && m.fresh+len(msg) > maxNewsBytes {
		return false
	}
	m.fresh += len(msg)
	if m.calling {
		m.later = append(m.later, mail{key, msg})
	} else {
		m.put(mail{key, msg})
	}
	return true
}

func (m *mailbox) put(l mail) {
	if i, waiting := m.at[l.key]; waiting {
		m.fresh -= len(m.msgs[i].msg)
		m.msgs[i].msg = nil
	}
	if m.at == nil {
		m.at = map[string]int{}
	}
	m.at[l.key] = len(m.msgs)
	m.msgs = append(m.msgs, l)
}

// take empties the mailbox. The answers that it gives count until they are
// sent.
func (m *mailbox) take() [][]byte {
	if len(m.msgs) == 0 {
		return nil
	}
	out := make([][]byte, 0, len(m.msgs))
	for _, l := range m.msgs {
		if l.msg != nil {
			out = append(out, l.msg)
		}
	}
	m.msgs, m.at, m.answers = nil, nil, 0
	m.taken, m.fresh = m.bytes, 0
	for _, l := range m.later {
		m.fresh += len(l.msg)
	}
	return out
}

// sent says that what was taken is with the network, and returns how many bytes
// of answers that were.
func (m *mailbox) sent() int {
	n := m.taken
	m.bytes, m.taken = m.bytes-n, 0
	return n
}
