package gateway

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"screentest/shared/strictjson"
)

// checkSeconds checks type, form and list of the field seconds (F57–F59), and
// quotes the price of one that is right (F60).
func (k *checker) checkSeconds(s *spec, v *strictjson.Value) {
	allowed := k.model.seconds(k.mode)
	if v.Kind != strictjson.String {
		hint := "" // only what will do: not to quote what is then refused
		if n, err := strconv.Atoi(v.Text); v.Kind == strictjson.Number && err == nil && plainDigits(v.Text) && allowed.Has(n) {
			hint = `Put it in quotes: "seconds": "` + v.Text + `".`
		}
		k.reportWith(rSecondsType, s.name, "seconds must be a string of digits"+k.such(allowed)+", not "+show(v), allowed.List(), hint)
		return
	}
	if !plainDigits(v.Text) {
		k.reportWith(rSecondsForm, s.name, "seconds must be digits only"+k.such(allowed)+", with no unit, sign, space, point or leading zero; it is "+
			strconv.Quote(cut(v.Text)), allowed.List(), "")
		return
	}
	// What does not fit an int is in no list; any length will do for an
	// unknown model, but it has no price.
	n, err := strconv.Atoi(v.Text)
	if err != nil || !allowed.Has(n) {
		if err != nil && allowed.Any() {
			return
		}
		k.reportWith(rSecondsList, s.name, "seconds must be "+allowed.String()+" for "+k.subject()+"; it is "+cut(v.Text), allowed.List(), "")
		return
	}
	if quote := k.model.VideoPrice(n); quote.Known {
		k.verdict.Price = &quote
	}
}

// such adds the values of seconds to a sentence about their form.
func (k *checker) such(allowed Seconds) string {
	if allowed.Any() {
		return ` such as "8"`
	}
	return " (" + allowed.String() + " for " + k.subject() + ")"
}

// plainDigits says whether s is a decimal number with no leading zero.
func plainDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s == "0" || s != "" && s[0] != '0'
}

// seconds returns the field seconds where it is right in type and form.
func (k *checker) seconds() (n int, ok bool) {
	v := k.field("seconds")
	if v == nil || v.Kind != strictjson.String || !plainDigits(v.Text) {
		return 0, false
	}
	n, err := strconv.Atoi(v.Text)
	return n, err == nil
}

func (k *checker) checkRatio(s *spec, v *strictjson.Value) {
	if v.Kind != strictjson.String {
		k.reportWith(s.shape, s.name, "aspect_ratio must be a string such as 16:9, not "+show(v), k.model.Ratios, "")
		return
	}
	if _, _, ok := ratio(v.Text); !ok {
		k.reportWith(s.shape, s.name, "aspect_ratio must be W:H, two whole numbers of 1 to 9 digits such as 16:9; it is "+strconv.Quote(cut(v.Text)),
			k.model.Ratios, "")
		return
	}
	used := k.mode == TextToVideo || k.mode == MultiShot
	if used && len(k.model.Ratios) > 0 && !contains(k.model.Ratios, v.Text) {
		k.reportWith(s.bounds, s.name, "the catalogue has no ratio "+v.Text+" for "+k.subject()+", only "+either(k.model.Ratios), k.model.Ratios, "")
	}
}

func (k *checker) checkTaskID(s *spec, v *strictjson.Value) {
	switch {
	case v.Kind == strictjson.String && strings.HasPrefix(strings.ToLower(v.Text), "task_"):
		k.reportWith(rTaskIDGateway, s.name, "task_id must be the internal id (UUID) of the source, not the id for polling that starts with task_",
			nil, "Take data.data.id from the status of that task.")
	case v.Kind != strictjson.String || !isUUID(v.Text):
		k.reportWith(s.shape, s.name, "task_id must be a UUID such as 123e4567-e89b-12d3-a456-426614174000, not "+show(v),
			nil, "Take data.data.id from the status of the source task.")
	}
}

// isUUID says whether s is 8-4-4-4-12 hexadecimal digits, in either case (F67).
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			c := s[i] | 0x20
			if (s[i] < '0' || s[i] > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

// checkURLs checks a list of links, or one where that will do (F64–F66, F76–F79).
func (k *checker) checkURLs(s *spec, u *use, v *strictjson.Value) {
	link := rImageURL
	if s.form == FormURLs {
		link = rReferenceURL
	}
	switch {
	case v.Kind == strictjson.String && s.form == FormURLOrURLs:
		k.checkURL(link, s.name, v.Text)
		return // one link is within every count
	case v.Kind != strictjson.Array:
		what := "an array of links"
		if s.form == FormURLOrURLs {
			what = "a link or an array of links"
		}
		hint := ""
		if v.Kind == strictjson.String {
			hint = `Put it in brackets: "` + s.name + `": ["…"].`
		}
		k.reportWith(s.shape, s.name, s.name+" must be "+what+", not "+show(v), nil, hint)
		return
	}
	if n := len(v.Items); n < u.lo || u.hi != 0 && n > u.hi {
		k.report(u.rule, s.name, s.name+" has "+amount(n, things[s.form])+"; "+k.subject()+" takes "+count(u.lo, u.hi, things[s.form]))
	}
	for i := range v.Items {
		if len(k.verdict.Errors) > maxIssues {
			return
		}
		at := s.name + "[" + strconv.Itoa(i) + "]"
		item := &v.Items[i]
		if item.Kind != strictjson.String {
			k.report(s.shape, at, at+" must be a string, not "+show(item))
			continue
		}
		if k.checkURL(link, at, item.Text) && link == rReferenceURL && !isMP4(item.Text) {
			k.report(rReferenceMP4, at, "a reference video should be an mp4 file; the link does not end in .mp4")
		}
	}
}

// checkScenes checks the shots of a multi-shot clip (F82–F86, G27).
func (k *checker) checkScenes(s *spec, v *strictjson.Value) {
	if v.Kind != strictjson.Array {
		k.report(s.shape, s.name, "multi_prompt must be an array of scenes, not "+show(v))
		return
	}
	if n := len(v.Items); n < s.lo || n > s.hi {
		k.report(s.shape, s.name, "multi_prompt has "+amount(n, things[FormScenes])+"; there must be "+count(s.lo, s.hi, things[FormScenes]))
	}
	for i := range v.Items {
		if len(k.verdict.Errors) > maxIssues {
			return
		}
		at := s.name + "[" + strconv.Itoa(i) + "]"
		if v.Items[i].Kind != strictjson.Object {
			k.report(s.shape, at, at+" must be an object with prompt and duration, not "+show(&v.Items[i]))
			continue
		}
		k.checkScene(at, &v.Items[i])
	}
}

func (k *checker) checkScene(at string, scene *strictjson.Value) {
	prompt := member(scene, "prompt")
	switch {
	case prompt == nil:
		k.report(rScenePrompt, at+".prompt", "prompt is missing: a scene needs a text of 1 to 500 characters")
	case prompt.Kind != strictjson.String:
		k.report(rScenePrompt, at+".prompt", "a scene's prompt must be a string, not "+show(prompt))
	case prompt.Text == "":
		k.report(rScenePrompt, at+".prompt", "a scene's prompt is empty: it needs a text of 1 to 500 characters")
	default:
		if n := utf8.RuneCountInString(prompt.Text); n > MaxScenePrompt {
			k.report(rScenePromptLength, at+".prompt", "a scene's prompt has at most 500 characters; it has "+strconv.Itoa(n))
		} else if n := utf16Length(prompt.Text); n > MaxScenePrompt {
			k.report(rScenePromptUTF16, at+".prompt", "the prompt is short enough in characters, but "+strconv.Itoa(n)+
				" long in UTF-16: a gateway that counts so would refuse it above 500")
		}
	}
	duration := member(scene, "duration")
	switch {
	case duration == nil:
		k.report(rSceneDuration, at+".duration", "duration is missing: a scene lasts 1 to 12 seconds")
	case !duration.Integer():
		k.report(rSceneDuration, at+".duration", "duration must be written as an integer from 1 to 12, without quotes or a point, not "+show(duration))
	default:
		n, err := strconv.Atoi(duration.Text)
		if err != nil || n < MinSceneDuration || n > MaxSceneDuration {
			k.report(rSceneDurationRange, at+".duration", "duration must be 1 to 12 seconds; it is "+duration.Text)
		}
	}
}

// utf16Length counts as JavaScript does.
func utf16Length(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
