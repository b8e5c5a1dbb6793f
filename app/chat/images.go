package chat

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// imagesName holds, in the Storage, the images that are in a composer and on the
// server; its conversation's id follows.
const imagesName = "screentest.images."

// Attachment is an image in the composer.
type Attachment struct {
	ID    string     `json:"-"`     // in this tab
	Name  string     `json:"name"`  // of the file
	Image wire.Image `json:"image"` // once the server has it
	// Note is what was done to it before it was sent to the server, in words.
	Note string `json:"note,omitempty"`
	// Problem is why it can't be sent; it stays until the person has read that.
	Problem *wire.Problem `json:"-"`
}

// Ready says that the image can be sent.
func (a *Attachment) Ready() bool { return a.Image.ID != "" && a.Problem == nil }

// Attached are the images in the composer.
func (c *Conversation) Attached() []*Attachment { return c.attached }

// Attach puts an image of that name into the composer, which is to be made ready by
// Attachment.Done; nil, with Refusal set, where there can't be another.
func (c *Conversation) Attach(name string) *Attachment {
	if len(c.attached) >= wire.MaxImages {
		c.Refusal = refuse("", "too_many_images", "A message has at most "+strconv.Itoa(wire.MaxImages)+" images.", "Send the rest with your next message.")
		c.changed(PartComposer)
		return nil
	}
	a := &Attachment{ID: c.chat.o.NewID(), Name: name}
	c.setAttached(append(slices.Clone(c.attached), a))
	return a
}

// AttachDone says what came of an image that was to be attached. It may have been
// removed meanwhile, or belong to another conversation than the one shown.
func (c *Conversation) AttachDone(id string, i wire.Image, note string, p *wire.Problem) {
	for _, a := range c.attached {
		if a.ID == id {
			a.Image, a.Note, a.Problem = i, note, p
		}
	}
	c.setAttached(c.attached)
}

// Detach removes an image from the composer.
func (c *Conversation) Detach(id string) {
	c.setAttached(slices.DeleteFunc(slices.Clone(c.attached), func(a *Attachment) bool { return a.ID == id }))
}

func (c *Conversation) setAttached(list []*Attachment) {
	c.attached = list
	c.Refusal, c.waiting = nil, ""
	c.storeAttached()
	c.changed(PartComposer)
}

func (c *Conversation) storeAttached() {
	var ready []*Attachment
	for _, a := range c.attached {
		if a.Ready() {
			ready = append(ready, a)
		}
	}
	text := ""
	if b, err := json.Marshal(ready); err == nil && len(ready) > 0 {
		text = string(b)
	}
	store(c.chat.o.Storage, imagesName+c.ID, text)
}

// readAttached takes up the images that were stored, beside those under way.
func (c *Conversation) readAttached() {
	var list []*Attachment
	if json.Unmarshal([]byte(c.chat.o.Storage.Get(imagesName+c.ID)), &list) != nil {
		list = nil // none, or of another build
	}
	list = slices.DeleteFunc(list, func(a *Attachment) bool { return a == nil || !a.Ready() })
	for i, a := range list {
		a.ID = "kept-" + strconv.Itoa(i)
	}
	for _, a := range c.attached {
		if !a.Ready() && a.Problem == nil {
			list = append(list, a)
		}
	}
	c.attached = list
}

// images are those of the composer, or why they can't be sent yet.
func (c *Conversation) images() (list []wire.Image, r *Refusal) {
	for _, a := range c.attached {
		switch {
		case a.Problem != nil:
			return nil, refuse("", "image_refused", "“"+a.Name+"” could not be attached: "+a.Problem.Message, "Remove it, or choose another.")
		case !a.Ready():
			return nil, refuse("", "image_under_way", "“"+a.Name+"” is still uploading.", "Send again in a moment.")
		}
		list = append(list, a.Image)
	}
	return list, nil
}

// imageLinks are what stands for images in a request: see gateway.ImageRefs.
func imageLinks(images []wire.Image) (list []string) {
	for _, i := range images {
		list = append(list, gateway.ImageScheme+i.ID)
	}
	return list
}

// TakesImages says whether the lane's model takes images.
func (l *Lane) TakesImages() bool {
	m, _ := l.next()
	return m.CanTake(gateway.TakesImages)
}

// NoImages are the lanes whose models take none, where a message is to have some:
// these are asked without, or not at all.
func (c *Conversation) NoImages() (list []*Lane) {
	for _, l := range c.Lanes {
		if l.Model() != "" && !l.TakesImages() {
			list = append(list, l)
		}
	}
	return list
}

// ImagesRefused says, in words, why no image can be attached, because no lane's
// model takes any; "" where one does. Quiet says that this is so by the contract of
// their families, and no button for it is to stand there.
func (c *Conversation) ImagesRefused() (words string, quiet bool) {
	none := c.NoImages()
	if len(none) < len(c.Lanes) || len(none) == 0 {
		return "", false
	}
	quiet = true
	for _, l := range none {
		m, _ := l.next()
		quiet = quiet && m.Family != gateway.Ordinary
	}
	return takesNone(none, len(c.Lanes)), quiet
}

// takesNone says of which lanes it is that their models take no images.
func takesNone(lanes []*Lane, of int) string {
	var names []string
	known := true
	for _, l := range lanes {
		if m, _ := l.next(); m.Family == gateway.Ordinary {
			known = false
		}
		if name := l.Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	verb := " takes no images."
	switch {
	case len(names) > 1 && known:
		verb = " take no images."
	case len(names) > 1:
		verb = " aren’t known to take images."
	case !known:
		verb = " isn’t known to take images."
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1] + verb
	}
	return names[0] + verb
}

// MayAttach says whether images can be put into the composer; if not, Refusal says why.
func (c *Conversation) MayAttach() bool {
	words, _ := c.ImagesRefused()
	if words != "" {
		c.Refusal = refuse("", "images_not_taken", words, "Choose another model for them.")
		c.changed(PartComposer)
	}
	return words == ""
}

// CodeNoImages is the code of a Refusal because of images that a lane's model does
// not take: LeaveImages asks it without them.
const CodeNoImages = "no_images"

// ImagesWarning says what would keep the composer's images from being sent, ""
// where nothing does.
func (c *Conversation) ImagesWarning() string {
	if r := c.Refused(); len(c.attached) == 0 || r != nil && r.Issues[0].Code == CodeNoImages { // which says it
		return ""
	}
	none := slices.DeleteFunc(c.NoImages(), func(l *Lane) bool { return l.params.NoImages })
	if len(none) == 0 {
		return ""
	}
	return takesNone(none, len(c.Lanes))
}

// ImagesLeft says which lanes are asked without the composer's images, "" for none.
func (c *Conversation) ImagesLeft() string {
	if len(c.attached) == 0 {
		return ""
	}
	var names []string
	for _, l := range c.NoImages() {
		if l.params.NoImages {
			names = append(names, l.Name())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + ": asked without the images."
}

// LeaveImages has the lanes whose models take no images asked without them from now
// on.
func (c *Conversation) LeaveImages() {
	for _, l := range c.NoImages() {
		l.params.NoImages = true
	}
	c.Refusal = nil
	c.tellLanes(0)
	c.changed(PartLanes | PartComposer)
}

// noImages refuses turns with images that the lane's model does not take.
func (l *Lane) noImages(ts []gateway.Turn) *Refusal {
	if l.TakesImages() || l.params.NoImages || !hasImages(ts) {
		return nil
	}
	hint := "Choose another model, or ask it without the images."
	if m, _ := l.next(); m.Family == gateway.Ordinary {
		hint = "If it does take them, the catalogue can say so. Or ask it without the images."
	}
	r := refuse("", CodeNoImages, takesNone([]*Lane{l}, 1), hint)
	r.Lane, r.Many = l.Index(), len(l.of.Lanes) > 1
	return r
}

func hasImages(ts []gateway.Turn) bool {
	return slices.ContainsFunc(ts, func(t gateway.Turn) bool { return len(t.Images) > 0 })
}

// leavesImages says that the lane is asked without images.
func (l *Lane) leavesImages() bool { return l.params.NoImages && !l.TakesImages() }

// without are the turns as a lane is asked that is asked without images.
func (l *Lane) without(ts []gateway.Turn) []gateway.Turn {
	if !l.leavesImages() || !hasImages(ts) {
		return ts
	}
	ts = slices.Clone(ts)
	for i := range ts {
		ts[i].Images = nil
	}
	return ts
}

// imagesSent is how many images go with the composer's message in the lane.
func (l *Lane) imagesSent() int {
	if !l.TakesImages() {
		return 0
	}
	n := len(l.of.attached)
	for _, m := range l.Path() {
		n += len(m.Images)
	}
	return n
}
