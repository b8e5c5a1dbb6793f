package gateway

import (
	"strconv"
	"strings"

	"screentest/shared/strictjson"
)

// MaxImages is how many images a text request has at most (G46).
const MaxImages = 16

// imageTypes are the images that a data: URL can be of (G45).
var imageTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// ImageTypes are the types of images that a request carries within itself.
func ImageTypes() []string { return append([]string(nil), imageTypes...) }

// ContentPart is a part of a chat message's content (G44).
type ContentPart struct {
	Type     string    `json:"type"` // "text" or "image_url"
	Text     *string   `json:"text,omitempty"`
	ImageURL *ImageURL `json:"image_url,omitempty"`
}

// ImageURL is an image of a chat message: a data: URL or a link.
type ImageURL struct {
	URL string `json:"url"`
}

// MarshalJSON writes Parts as the content where there are any.
func (m Message) MarshalJSON() ([]byte, error) {
	type plain Message
	if m.Parts == nil {
		return marshal(plain(m)), nil
	}
	return marshal(struct {
		Role       string            `json:"role"`
		Content    []ContentPart     `json:"content"`
		ToolCalls  []MessageToolCall `json:"tool_calls,omitempty"`
		ToolCallID string            `json:"tool_call_id,omitempty"`
	}{m.Role, m.Parts, m.ToolCalls, m.ToolCallID}), nil
}

// chatParts writes a turn with images as parts, the text first.
func chatParts(t Turn) []ContentPart {
	var parts []ContentPart
	if t.Text != "" {
		parts = append(parts, ContentPart{Type: "text", Text: &t.Text})
	}
	for _, link := range t.Images {
		parts = append(parts, ContentPart{Type: "image_url", ImageURL: &ImageURL{link}})
	}
	return parts
}

// An inputPart is a part of an input item's content.
type inputPart struct {
	Type     string `json:"type"` // "input_text" or "input_image"
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
}

// inputParts writes a turn with images for input items, the text first.
func inputParts(t Turn) []inputPart {
	var parts []inputPart
	if t.Text != "" {
		parts = append(parts, inputPart{Type: "input_text", Text: t.Text})
	}
	for _, link := range t.Images {
		parts = append(parts, inputPart{Type: "input_image", ImageURL: link})
	}
	return parts
}

// checkParts checks a chat message's content that is an array (G44).
func (k *checker) checkParts(at string, role, content *strictjson.Value) {
	if !k.model.CanTake(TakesImages) {
		k.reportWith(rContentArray, at, "content must be a string; an array of parts is not taken by "+k.subject(), nil, k.imagesHint())
		return
	}
	if len(content.Items) == 0 {
		k.report(rParts, at, "content is empty: there must be at least one part")
	}
	for i := range content.Items {
		if len(k.verdict.Errors) > maxIssues {
			return
		}
		part, place := &content.Items[i], at+"["+strconv.Itoa(i)+"]"
		kind := ""
		if v := typeOf(part); v != nil {
			kind = v.Text
		}
		switch kind {
		case "text":
			if text := member(part, "text"); text == nil || text.Kind != strictjson.String {
				k.report(rParts, place+".text", "a text part needs its text, a string")
			}
		case "image_url":
			if role != nil && role.Text != "user" {
				k.report(rParts, place+".type", "an image goes into a user's message, not into one of the role "+cut(role.Text))
			}
			image := member(part, "image_url")
			if image == nil || image.Kind != strictjson.Object {
				k.reportWith(rParts, place+".image_url", "an image part needs image_url, an object with the image's url", nil,
					`Write {"type": "image_url", "image_url": {"url": …}}.`)
				continue
			}
			k.checkImage(place+".image_url.url", member(image, "url"))
		default:
			k.reportWith(rParts, place+".type", "a part is text or image_url", []string{"text", "image_url"}, "")
		}
	}
}

// checkItems checks the images among input items; the rest of an item is the
// gateway's to judge (G10, G44).
func (k *checker) checkItems(at string, input *strictjson.Value) {
	for i := range input.Items {
		content := member(&input.Items[i], "content")
		if content == nil || content.Kind != strictjson.Array {
			continue
		}
		for j := range content.Items {
			if len(k.verdict.Errors) > maxIssues {
				return
			}
			part := &content.Items[j]
			if kind := typeOf(part); kind == nil || kind.Text != "input_image" {
				continue
			}
			place := at + "[" + strconv.Itoa(i) + "].content[" + strconv.Itoa(j) + "]"
			if !k.model.CanTake(TakesImages) {
				k.reportWith(rImagesTold, place, k.subject()+" isn't known to take images", nil, k.imagesHint())
				continue
			}
			k.checkImage(place+".image_url", member(part, "image_url"))
		}
	}
}

// typeOf is the string under type of an object, nil where there is none.
func typeOf(v *strictjson.Value) *strictjson.Value {
	if v.Kind != strictjson.Object {
		return nil
	}
	if kind := member(v, "type"); kind != nil && kind.Kind == strictjson.String {
		return kind
	}
	return nil
}

// imagesHint says what to do about a model that isn't known to take images.
func (k *checker) imagesHint() string {
	if k.model.Family != Ordinary && k.model.Family != Unknown {
		return "Write the text as one string."
	}
	return "If it does take images, say so in the catalogue: takes has images."
}

// checkImage checks where an image is (G45), and counts it (G46).
func (k *checker) checkImage(at string, link *strictjson.Value) {
	if k.images++; k.images > MaxImages {
		if k.images == MaxImages+1 {
			k.report(rImageCount, at, "there are more than 16 images; a request has at most 16, earlier turns counted")
		}
		return
	}
	if link == nil || link.Kind != strictjson.String {
		k.report(rImageLink, at, "an image needs its url, a string")
		return
	}
	if id, kept := strings.CutPrefix(link.Text, ImageScheme); kept && k.options.KeptImages && len(id) == shaLen && isSHA([]byte(id)) {
		return
	}
	if !strings.HasPrefix(strings.ToLower(link.Text), "data:") {
		k.checkURL(rImageLink, at, link.Text)
		return
	}
	k.imageBytes += len(link.Text)
	if !dataImage(link.Text) {
		k.reportWith(rImageLink, at, "a data: URL must be of a PNG, JPEG, WebP or GIF image in base64, such as data:image/png;base64,…; it is "+
			strconv.Quote(cut(link.Text)), imageTypes, "")
	}
}

// dataImage says whether a data: URL is an image that can be sent (G45).
func dataImage(link string) bool {
	head, data, ok := strings.Cut(link[len("data:"):], ",")
	kind, base64 := strings.CutSuffix(strings.ToLower(head), ";base64")
	return ok && base64 && contains(imageTypes, kind) && wholeBase64(data)
}

// wholeBase64 says whether s is base64 with its padding, and not empty.
func wholeBase64(s string) bool {
	if s == "" || len(s)%4 != 0 {
		return false
	}
	digits := strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
	for i := range len(digits) {
		c := digits[i]
		if !('A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/') {
			return false
		}
	}
	return true
}

// ImageLink says what is wrong with an image's address as a request carries it,
// "" where nothing is (G45).
func ImageLink(link string) string {
	k := checker{}
	k.checkImage("image", &strictjson.Value{Kind: strictjson.String, Text: link})
	if k.verdict.OK() {
		return ""
	}
	return k.verdict.Errors[0].Message
}
