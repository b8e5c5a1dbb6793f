package gateway

import "slices"

// TakesImages is the word of [Model.Takes] for images beside the text (G44).
const TakesImages = "images"

// takeNames are the fields of a text request that no family documents and a
// catalogue may tell that a model takes, and the word for images.
var takeNames = []string{
	"max_tokens", "max_completion_tokens", "max_output_tokens", "stop", "response_format", "text",
	"reasoning_effort", "reasoning", "seed", "presence_penalty", "frequency_penalty", "top_k",
	"tools", "stream_options", TakesImages,
}

// TakeNames are the words that [Model.Takes] can hold: fields of a request by
// their own names, and [TakesImages]. A list of models that knows more words
// leaves the others out.
func TakeNames() []string { return slices.Clone(takeNames) }

// CanTake says whether a text model is known to take a field, or images: its
// family documents it, or the catalogue tells it. The families with a contract
// of their own keep to it, whatever Takes holds (G43).
func (m Model) CanTake(what string) bool {
	if !m.Family.Text() {
		return false
	}
	if m.told(what) {
		return what != TakesImages || m.Endpoint == Chat || m.InputItems
	}
	table := specs(m.Endpoint)
	for i := range table {
		if table[i].name == what {
			standing := table[i].use(m, m.Mode).standing
			return standing == Optional || standing == Required
		}
	}
	return false
}

// told says whether the catalogue tells that the model takes it.
func (m Model) told(what string) bool {
	return m.Family == Ordinary && slices.Contains(m.Takes, what)
}

// fileName is Name as a catalogue's file can hold it: a list that it comes from
// may have a longer one.
func (m Model) fileName() string {
	if r := []rune(m.Name); len(r) > MaxModelID {
		return string(r[:MaxModelID])
	}
	return m.Name
}

// fileTokens is a number of tokens as a catalogue's file can hold it.
func (m Model) fileTokens(n int) int {
	if m.Endpoint == Video {
		return 0
	}
	return max(0, min(n, maxTokens))
}

// takes is Takes as a catalogue's file can hold it.
func (m Model) takes() []string {
	if m.Family != Ordinary {
		return nil
	}
	var told []string
	for _, name := range m.Takes {
		if contains(takeNames, name) && !contains(told, name) {
			told = append(told, name)
		}
	}
	return told
}
