package gateway

import (
	"strconv"
	"strings"

	"screentest/shared/strictjson"
)

// checkVideo checks what takes several fields or more than the body: sums,
// references, measured lengths, and the fifth stage, the source.
func (k *checker) checkVideo() {
	switch k.mode {
	case MultiShot:
		k.checkSum()
		if images := k.field("image_urls"); images != nil && links(images) > 0 && k.field("aspect_ratio") != nil {
			k.report(rRatioUnused, "aspect_ratio", "aspect_ratio has no effect beside a frame: it is used in text-to-video only")
		}
	case Reference:
		k.checkMentions()
		k.checkReferences()
	case Motion:
		k.checkMotion()
	}
	if k.mode == Extend || k.mode == Upscale {
		k.checkSource()
	}
}

// links counts the links of a field that may hold one or an array.
func links(v *strictjson.Value) int {
	switch {
	case v == nil:
		return 0
	case v.Kind == strictjson.String:
		return 1
	}
	return len(v.Items)
}

// checkSum compares seconds with those of the scenes (F151).
func (k *checker) checkSum() {
	n, ok := k.seconds()
	scenes := k.field("multi_prompt")
	if !ok || scenes == nil || scenes.Kind != strictjson.Array || len(scenes.Items) == 0 || len(scenes.Items) > MaxScenes {
		return
	}
	sum := 0
	for i := range scenes.Items {
		duration := member(&scenes.Items[i], "duration")
		if duration == nil || !duration.Integer() {
			return
		}
		d, err := strconv.Atoi(duration.Text)
		if err != nil || d < MinSceneDuration || d > MaxSceneDuration {
			return
		}
		sum += d
	}
	if n != sum {
		want := strconv.Itoa(sum)
		k.reportWith(rSceneSum, "seconds", "seconds must be the sum of the scenes, "+want+"; it is "+strconv.Itoa(n),
			[]string{want}, `Write "seconds": "`+want+`".`)
	}
}

// checkMentions looks for references in the prompt that are not there (F145).
func (k *checker) checkMentions() {
	prompt := k.field("prompt")
	if prompt == nil || prompt.Kind != strictjson.String {
		return
	}
	for _, kind := range []struct {
		mark  string
		thing [2]string
		have  int
	}{
		{"@Video", [2]string{"reference video", "reference videos"}, links(k.field("reference_video_urls"))},
		{"@Image", [2]string{"image", "images"}, links(k.field("image_urls"))},
	} {
		for _, n := range mentions(prompt.Text, kind.mark) {
			if number, err := strconv.Atoi(n); err == nil && number >= 1 && number <= kind.have {
				continue
			}
			k.report(rMentions, "prompt", "the prompt names "+kind.mark+cut(n)+", and the request has "+
				amount(kind.have, kind.thing)+", counted from 1")
			break // one of a kind is enough to go and look
		}
	}
}

// mentions returns the digits that follow each mark.
func mentions(text, mark string) (list []string) {
	for {
		_, rest, ok := strings.Cut(text, mark)
		if !ok {
			return list
		}
		end := 0
		for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
			end++
		}
		if end > 0 {
			list = append(list, rest[:end])
		}
		text = rest[end:]
	}
}

// checkReferences compares seconds with the reference videos: with their
// measured lengths where these are known, else with their number (F142,
// F143, F147, F149, G20, G21).
func (k *checker) checkReferences() {
	list := k.field("reference_video_urls")
	if list == nil || list.Kind != strictjson.Array || len(list.Items) < MinReferences || len(list.Items) > MaxReferences {
		return
	}
	count := len(list.Items)
	lengths := k.options.ReferenceSeconds
	sum, measured := total(lengths)
	measured = measured && len(lengths) == count
	if measured && !k.checkLengths(lengths, sum) {
		return
	}
	n, ok := k.seconds()
	if !ok || !k.model.Seconds.Has(n) {
		return // said already
	}
	fits := ReferenceRange(count, lengths)
	if fits.Has(n) {
		return
	}
	allowed := within(fits, k.model.Seconds)
	switch {
	case !measured:
		k.reportWith(rReferenceUnmeasured, "seconds", "seconds is the clip, 4 to 15, and the references together: with "+
			strconv.Itoa(count)+" of them "+fits.String()+"; it is "+strconv.Itoa(n), allowed, "")
	case !k.options.Exact && (fits.Has(n+1) || fits.Has(n-1)):
		k.reportWith(rReferenceRounding, "seconds", "seconds fits only if the gateway measures the references a little otherwise: they take "+
			strconv.Itoa(round(sum))+" s here, so "+fits.String()+" is safe", allowed, "")
	default:
		k.reportWith(rReferenceSeconds, "seconds", "seconds is the clip, 4 to 15, and the references, "+
			strconv.Itoa(round(sum))+" together: "+fits.String()+"; it is "+strconv.Itoa(n), allowed, "")
	}
}

// checkLengths checks the measured references themselves, before any rounding.
func (k *checker) checkLengths(lengths []float64, sum int64) (ok bool) {
	ok = true
	for i, s := range lengths {
		if n, _ := length(s); n < minReference*micro || n > maxReference*micro {
			ok = false
			k.report(rReferenceLength, "reference_video_urls["+strconv.Itoa(i)+"]", "a reference video must be 2 to 15 s long; this one is "+clock(n))
		}
	}
	if sum > maxReferenceTotal*micro {
		ok = false
		k.report(rReferenceTotal, "reference_video_urls", "the reference videos must be at most 15 s long together; they are "+clock(sum))
	}
	return ok
}

// clock writes micros as seconds.
func clock(micros int64) string {
	return strconv.FormatFloat(float64(micros)/micro, 'f', -1, 64) + " s"
}

// within lists the values of a range that are in the model's list too.
func within(r, list Seconds) (values []string) {
	for n := r.Min; n <= r.Max; n++ {
		if list.Has(n) {
			values = append(values, strconv.Itoa(n))
		}
	}
	return values
}

// checkMotion compares seconds with the measured motion clip (F155, F158, G22).
func (k *checker) checkMotion() {
	clip, ok := length(k.options.MotionSeconds)
	if !ok || k.field("video_url") == nil {
		return
	}
	if clip < minMotion*micro || clip > maxMotion*micro {
		k.report(rMotionLength, "video_url", "the motion clip must be 3 to 30 s long; it is "+clock(clip))
		return
	}
	n, ok := k.seconds()
	if !ok || !k.model.Seconds.Has(n) {
		return // said already
	}
	if off := int64(n)*micro - clip; off >= micro || off <= -micro {
		want := strconv.Itoa(round(clip))
		k.reportWith(rMotionSeconds, "seconds", "seconds must be the length of the motion clip, "+clock(clip)+", to less than a second; it is "+strconv.Itoa(n),
			[]string{want}, `Write "seconds": "`+want+`".`)
	}
}
