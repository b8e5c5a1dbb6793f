package bff

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"screentest/shared/money"
	"screentest/shared/wire"
)

// markdownPage is how many messages are read at a time.
const markdownPage = 200

// writeMarkdown writes a conversation for people to read: each message under a
// heading of its own, in the order of the conversation, its text as it stands;
// what models it was sent to and what they cost. Where a message has several
// answers, each says which it is.
func writeMarkdown(ctx context.Context, c Conversations, owner, id string, to io.Writer) error {
	o, err := c.Outline(ctx, owner, id)
	if err != nil {
		return err
	}
	sum, err := c.Conversation(ctx, owner, id)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(to, 64<<10)
	images := map[string]int{} // numbers, by their ids
	fmt.Fprintf(w, "# %s\n\n", sum.Title)
	fmt.Fprintf(w, "%s · %d messages", day(sum.CreatedMS), o.Len())
	if sum.CostNanoUSD != 0 {
		fmt.Fprintf(w, " · %s%s", about(sum.Estimated), money.NanoUSD(sum.CostNanoUSD))
	}
	fmt.Fprint(w, "\n")
	siblings := map[int]int{} // answers to each message
	for i, parent := range o.Parents {
		if o.Roles[i] == 'a' {
			siblings[parent]++
		}
	}
	met := map[int]int{}
	for i := 0; i < o.Len(); {
		q := wire.MessageQuery{Conversation: id}
		for j := i; j < min(i+markdownPage, o.Len()); j++ {
			q.IDs = append(q.IDs, o.ID(j))
		}
		page, err := c.Messages(ctx, owner, q)
		if err != nil {
			return err
		}
		if len(page.Messages) == 0 {
			break // deleted meanwhile
		}
		for _, m := range page.Messages {
			for i < o.Len() && o.ID(i) != m.ID {
				i++
			}
			if i == o.Len() {
				break
			}
			parent := o.Parents[i]
			if m.Role == "assistant" {
				met[parent]++
			}
			writeMessage(w, m, met[parent], siblings[parent], images)
			i++
		}
	}
	if err := writeImages(ctx, w, c, owner, id, images); err != nil {
		return err
	}
	return w.Flush()
}

// writeImages writes the bytes of a conversation's images where the text is over: each
// once, as what its number stands for.
func writeImages(ctx context.Context, w *bufio.Writer, c Conversations, owner, conversation string, images map[string]int) error {
	ids := slices.SortedFunc(maps.Keys(images), func(a, b string) int { return images[a] - images[b] })
	for n, id := range ids {
		i, data, err := c.ImageOfConversation(ctx, owner, conversation, id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		if n == 0 {
			fmt.Fprint(w, "\n")
		}
		fmt.Fprintf(w, "[image-%d]: data:%s;base64,", images[id], i.Type)
		e := base64.NewEncoder(base64.StdEncoding, w)
		e.Write(data)
		e.Close()
		fmt.Fprint(w, "\n")
	}
	return nil
}

func writeMessage(w *bufio.Writer, m wire.Message, version, versions int, images map[string]int) {
	fmt.Fprint(w, "\n---\n\n## ")
	switch {
	case m.Role == "tool":
		fmt.Fprintf(w, "Result of %s\n\n", code(m.Tool))
		fenced(w, "", m.Text)
		return
	case m.Run == nil && m.Role == "assistant":
		fmt.Fprint(w, "Answer, written by hand")
		if versions > 1 {
			fmt.Fprintf(w, " · answer %d of %d", version, versions)
		}
		fmt.Fprint(w, "\n\n")
		text(w, m.Text)
		return
	case m.Run == nil:
		fmt.Fprint(w, "You\n\n")
		text(w, m.Text)
		for _, i := range m.Images {
			if images[i.ID] == 0 {
				images[i.ID] = len(images) + 1
			}
			fmt.Fprintf(w, "![Image %d, %d × %d][image-%[1]d]\n\n", images[i.ID], i.Width, i.Height)
		}
		return
	}
	r := m.Run
	fmt.Fprint(w, code(r.Model))
	if r.Answered != "" && r.Answered != r.Model {
		fmt.Fprintf(w, ", answered by %s", code(r.Answered))
	}
	if versions > 1 {
		fmt.Fprintf(w, " · answer %d of %d", version, versions)
	}
	fmt.Fprint(w, "\n\n")
	text(w, m.Text)
	for _, c := range r.Calls {
		fmt.Fprintf(w, "Calls %s:\n\n", code(c.Name))
		fenced(w, "json", c.Arguments)
	}
	if r.Problem != nil {
		fmt.Fprintf(w, "> %s\n\n", strings.Join(strings.Fields(r.Problem.Message), " "))
	}
	figures := []string{string(r.State)}
	if r.InputTokens+r.OutputTokens > 0 {
		figures = append(figures, fmt.Sprintf("%d tokens in, %d out", r.InputTokens, r.OutputTokens))
	}
	if r.CostSource != "" {
		figures = append(figures, about(r.CostSource == "estimated")+money.NanoUSD(r.CostNanoUSD).String())
	}
	fmt.Fprintf(w, "*%s*\n", strings.Join(figures, " · "))
}

// text writes a message's text as it stands.
func text(w *bufio.Writer, s string) {
	if s = strings.TrimRight(s, "\n"); s != "" {
		w.WriteString(s)
		w.WriteString("\n\n")
	}
}

// fenced writes code within a fence that the code cannot end.
func fenced(w *bufio.Writer, language, s string) {
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	fmt.Fprintf(w, "%s%s\n%s\n%s\n\n", fence, language, strings.TrimRight(s, "\n"), fence)
}

// code is a name within a line.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "a function"
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	return fence + s + fence
}

// longestRun is the length of the longest run of backquotes in s.
func longestRun(s string) int {
	runs := strings.FieldsFunc(s, func(r rune) bool { return r != '`' })
	if len(runs) == 0 {
		return 0
	}
	return len(slices.MaxFunc(runs, func(a, b string) int { return len(a) - len(b) }))
}

func about(estimated bool) string {
	if estimated {
		return "≈ "
	}
	return ""
}

func day(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04 UTC") }
