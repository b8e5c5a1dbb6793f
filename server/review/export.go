package review

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"screentest/shared/wire"
)

// ServeFile answers GET /api/reviews/{file} with all that somebody sees of a review
// as a file for people: the review's id, or that of a share, and .md or .html.
func (s *Service) ServeFile(w http.ResponseWriter, r *http.Request, owner string) error {
	name := r.PathValue("file")
	var id, kind string
	var write func(io.Writer, wire.Review) error
	switch {
	case strings.HasSuffix(name, ".md"):
		id, kind, write = strings.TrimSuffix(name, ".md"), "text/markdown; charset=utf-8", writeMarkdown
	case strings.HasSuffix(name, ".html"):
		id, kind, write = strings.TrimSuffix(name, ".html"), "text/html; charset=utf-8", writeHTML
	default:
		return fs.ErrNotExist
	}
	seen, err := s.Store.Read(r.Context(), owner, id)
	if err != nil {
		return err
	}
	s.Note(r.Context(), "export.made", seen.Review.ID, map[string]any{"what": "review"})
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", `attachment; filename="review-`+seen.Review.ID+name[len(id):]+`"`)
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return nil
	}
	_ = write(w, seen.Review) // an error means that nobody reads it any more
	return nil
}

// A talk is a comment with its answers.
type talk struct {
	wire.Comment
	answers []wire.Comment
}

// talks are the comments on a version, by their time in the clip.
func talks(r wire.Review, version int) (all []talk) {
	at := map[string]int{}
	for _, c := range r.Comments {
		if c.Version == version && c.Answers == "" {
			i := len(all)
			for i > 0 && all[i-1].AtMS > c.AtMS {
				i--
			}
			all = append(all[:i], append([]talk{{Comment: c}}, all[i:]...)...)
		}
	}
	for i, t := range all {
		at[t.ID] = i
	}
	for _, c := range r.Comments {
		if i, is := at[c.Answers]; is && c.Version == version && c.Answers != "" && !c.Deleted {
			all[i].answers = append(all[i].answers, c)
		}
	}
	return all
}

// states are in words, as what is being told.
var states = map[string]string{wire.ReviewDraft: "Draft", wire.ReviewOpen: "In review", wire.ReviewApproved: "Approved", wire.ReviewChanges: "Changes asked"}

// clock is a time of a clip.
func clock(ms int64) string {
	return fmt.Sprintf("%02d:%02d.%d", ms/60_000, ms/1000%60, ms/100%10)
}

func day(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04 UTC") }

// point is where in the frame a comment is, or "".
func point(c wire.Comment) string {
	if c.X == nil || c.Y == nil {
		return ""
	}
	return fmt.Sprintf(", %g %% across and %g %% down", float64(*c.X)*100/wire.FramePoints, float64(*c.Y)*100/wire.FramePoints)
}

// about is what stands below a version's heading.
func about(v wire.ReviewVersion, text func(string) string) string {
	return fmt.Sprintf("%s · %s · %g s · made %s by %s", states[v.State], text(v.Model), v.Seconds, day(v.CreatedMS), text(v.Owner))
}

// when is what stands behind who said something.
func when(c wire.Comment, text func(string) string) string {
	s := day(c.CreatedMS)
	if c.EditedMS > 0 {
		s += ", changed " + day(c.EditedMS)
	}
	if c.ResolvedMS > 0 {
		s += ", resolved " + day(c.ResolvedMS) + " by " + text(c.Resolver)
	}
	return s
}

const deleted = "This comment was deleted."

// titleOf is that of a review: its newest version's.
func titleOf(r wire.Review) string {
	if n := len(r.Versions); n > 0 {
		return r.Versions[n-1].Title
	}
	return ""
}

func writeMarkdown(to io.Writer, r wire.Review) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "# Review of %s\n", inLine(titleOf(r)))
	for _, v := range r.Versions {
		fmt.Fprintf(w, "\n## Version %d · %s\n\n%s\n", v.Version, inLine(v.Title), about(v, inLine))
		for i, s := range stepsOf(r, v.Version) {
			if i == 0 {
				fmt.Fprint(w, "\n### States\n\n")
			}
			fmt.Fprintf(w, "- %s, %s by %s", states[s.State], day(s.AtMS), inLine(s.By))
			if s.Note != "" {
				fmt.Fprintf(w, "\n\n%s", quoted(s.Note, "  "))
			}
			fmt.Fprint(w, "\n")
		}
		for i, t := range talks(r, v.Version) {
			if i == 0 {
				fmt.Fprint(w, "\n### Comments\n\n")
			}
			comment := func(c wire.Comment, head, indent string) {
				fmt.Fprintf(w, "%s- %s%s, %s\n\n", indent, head, inLine(c.Name), when(c, inLine))
				text := quoted(c.Text, indent+"  ")
				if c.Deleted {
					text = indent + "  *" + deleted + "*\n"
				}
				fmt.Fprintf(w, "%s\n", text)
			}
			comment(t.Comment, "**"+clock(t.AtMS)+"**"+point(t.Comment)+" · ", "")
			for _, a := range t.answers {
				comment(a, "*Answer* · ", "  ")
			}
		}
	}
	return w.Flush()
}

func stepsOf(r wire.Review, version int) (of []wire.ReviewStep) {
	for _, s := range r.Steps {
		if s.Version == version {
			of = append(of, s)
		}
	}
	return of
}

// special are what mean something to a reader of Markdown, within a line.
var special = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "|", `\|`,
	"~", `\~`, "&", `\&`, "!", `\!`, "$", `\$`, "@", `\@`, "://", `\:\/\/`, "www.", `www\.`)

// inLine is text within a line, which stays text.
func inLine(s string) string { return special.Replace(strings.Join(strings.Fields(s), " ")) }

// quoted is text of several lines, which stays text, as a quotation.
func quoted(s, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(s, "\r", "\n")) {
		line = strings.TrimSpace(line)
		text := special.Replace(line)
		// What begins a list or underlines a heading.
		if mark := strings.TrimLeft(line, "0123456789"); mark != "" && strings.ContainsRune("+-=.)", rune(mark[0])) {
			n := len(line) - len(mark)
			text = line[:n] + `\` + special.Replace(mark)
		}
		fmt.Fprintf(&b, "%s> %s\n", indent, text)
	}
	return b.String()
}

// page is what stands around a review in HTML. It asks for nothing and runs nothing.
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%s</title>
<style>
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; border-top: 1px solid #ccc; padding-top: 1rem; }
li { margin: .75rem 0; break-inside: avoid; }
p { margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.by { color: #595959; font-size: 14px; }
.done > p { color: #595959; }
@media print { body { margin: 0; max-width: none; } h2, h3 { break-after: avoid; } }
</style>
`

func writeHTML(to io.Writer, r wire.Review) error {
	w := bufio.NewWriter(to)
	text := html.EscapeString
	title := "Review of " + text(titleOf(r))
	fmt.Fprintf(w, page, title)
	fmt.Fprintf(w, "<h1>%s</h1>\n", title)
	for _, v := range r.Versions {
		fmt.Fprintf(w, "<h2>Version %d · %s</h2>\n<p class=\"by\">%s</p>\n", v.Version, text(v.Title), about(v, text))
		if steps := stepsOf(r, v.Version); len(steps) > 0 {
			fmt.Fprint(w, "<h3>States</h3>\n<ul>\n")
			for _, s := range steps {
				fmt.Fprintf(w, "<li>%s <span class=\"by\">%s by %s</span>", states[s.State], day(s.AtMS), text(s.By))
				if s.Note != "" {
					fmt.Fprintf(w, "<p>%s</p>", text(s.Note))
				}
				fmt.Fprint(w, "</li>\n")
			}
			fmt.Fprint(w, "</ul>\n")
		}
		all := talks(r, v.Version)
		if len(all) == 0 {
			continue
		}
		fmt.Fprint(w, "<h3>Comments</h3>\n<ul>\n")
		comment := func(c wire.Comment, head string) {
			class, said := "", text(c.Text)
			if c.ResolvedMS > 0 {
				class = ` class="done"`
			}
			if c.Deleted {
				said = "<em>" + deleted + "</em>"
			}
			fmt.Fprintf(w, "<li%s>%s%s <span class=\"by\">%s</span><p>%s</p>", class, head, text(c.Name), when(c, text), said)
		}
		for _, t := range all {
			comment(t.Comment, "<strong>"+clock(t.AtMS)+"</strong>"+point(t.Comment)+" · ")
			if len(t.answers) > 0 {
				fmt.Fprint(w, "\n<ul>\n")
				for _, a := range t.answers {
					comment(a, "")
					fmt.Fprint(w, "</li>\n")
				}
				fmt.Fprint(w, "</ul>\n")
			}
			fmt.Fprint(w, "</li>\n")
		}
		fmt.Fprint(w, "</ul>\n")
	}
	fmt.Fprint(w, "</html>\n")
	return w.Flush()
}
