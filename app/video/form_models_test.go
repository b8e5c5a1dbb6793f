package video

import (
	"slices"
	"strings"
	"testing"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// several is a form that goes to three models.
func several(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	f := r.Form
	f.SetModel("gamma-2-480p")
	f.SetRatio("1:1")
	f.SetSeconds(5)
	f.AddModel("alpha-3.1-lite")
	f.AddModel("beta-video-480p")
	f.AddModel("beta-video-480p") // once is enough
	f.AddModel("gamma-2-480p")    // and what is chosen is there
	if len(f.Lanes) != 2 {
		t.Fatalf("beside the chosen one there are %d models", len(f.Lanes))
	}
	return r
}

// The same goes to each model by that one's own rules, and what does not fit it
// is told.
func TestADraftGoesToSeveralModels(t *testing.T) {
	r := several(t)
	f := r.Form
	if f.Verb() != "Write a prompt" || f.Why(f.Lanes[0]) != "Write a prompt." {
		t.Errorf("the button says %q, the model beside %q", f.Verb(), f.Why(f.Lanes[0]))
	}
	if price, _ := f.Total(); price != "$0.68" {
		t.Errorf("before the prompt is written it is %s", price)
	}
	f.SetPrompt("A paper boat")
	f.SetTakes(2)
	var told []string
	for _, d := range f.Lanes[0].Dropped {
		told = append(told, d.Words())
	}
	if want := []string{"Aspect ratio changed from 1:1 to 16:9.", "Length changed from 5 to 4 s."}; !slices.Equal(slices.Sorted(slices.Values(told)), want) {
		t.Errorf("told is %q", told)
	}
	// 2 × 5 s × $0.06 + 2 × 4 s × $0.05 + 2 × 6 s × $0.03
	price, basis := f.Total()
	if price != "$1.36" || !strings.HasPrefix(basis, "2 × $0.30 + 2 × $0.20 + 2 × $0.18 · ") || f.Verb() != "Create 6 videos" {
		t.Errorf("%s, %q, %q", price, basis, f.Verb())
	}
	f.Send()
	f.Send() // a double click
	ids, bodies := map[string]bool{}, map[string]int{}
	for _, c := range r.creations() {
		create := c.args.(wire.VideoCreate)
		ids[create.ID] = true
		bodies[strings.TrimSpace(string(create.Body))]++
		if v := r.Cat.Validate(gateway.Video, create.Body, gateway.Options{}); !v.OK() {
			t.Errorf("refused: %v", v.Errors)
		}
	}
	if len(ids) != 6 || len(bodies) != 3 || bodies[`{"model":"alpha-3.1-lite","prompt":"A paper boat","seconds":"4","aspect_ratio":"16:9"}`] != 2 {
		t.Errorf("%d ids, %v", len(ids), bodies)
	}
	for _, c := range r.creations() {
		c.made()
	}
	if f.Verb() != "Created" || f.MadeCount() != 6 {
		t.Errorf("%q, %d made", f.Verb(), f.MadeCount())
	}
	// The choice is kept with the draft, and a model that is chosen alone is no second.
	r.reload()
	if f = r.Form; len(f.Lanes) != 2 || f.Takes() != 1 {
		t.Errorf("kept are %d models and %d takes", len(f.Lanes), f.Takes())
	}
	f.SetModel("alpha-3.1-lite")
	f.DropModel("beta-video-480p")
	if len(f.Lanes) != 0 || f.Verb() != "Create video" {
		t.Errorf("left are %v, %q", f.Lanes, f.Verb())
	}
}

// What one model refuses is named before anything is sent, and neither counted
// nor charged.
func TestAModelThatRefusesTheDraftIsLeftOut(t *testing.T) {
	r := several(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Lanes[0].Check.Errors = []gateway.Issue{{Field: "prompt", Message: "It is too long"}}
	price, _ := f.Total()
	if f.Why(f.Lanes[0]) != "It is too long." || f.Verb() != "Create 2 videos" || price != "$0.48" {
		t.Errorf("%q, %q, %s", f.Why(f.Lanes[0]), f.Verb(), price)
	}
}

// A model that fails leaves the others, and the next click makes only what it
// has not made.
func TestTheNextClickGoesOnlyToTheModelsThatFailed(t *testing.T) {
	r := several(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.SetTakes(2)
	f.Send()
	lost := ""
	for i, c := range r.creations() {
		switch create := c.args.(wire.VideoCreate); {
		case !strings.Contains(string(create.Body), "alpha-3.1-lite"):
			c.made()
		case lost == "":
			lost = create.ID
			c.done(nil, &wire.Problem{Code: "no_answer", Message: "The server did not answer."})
		default:
			c.done(nil, &wire.Problem{Code: "model", Message: "It is not there."})
		}
		if i == 3 && f.Problem == nil {
			t.Error("a failure is not told")
		}
	}
	if f.Problem == nil || !strings.HasPrefix(f.Problem.Message, "Made 4 of 6 clips. alpha-3.1-lite: ") {
		t.Fatalf("the form says %v", f.Problem)
	}
	price, _ := f.Total()
	if f.Verb() != "Create 2 videos" || price != "$0.40" || f.Lanes[0].Made() || !f.Lanes[1].Made() {
		t.Fatalf("the button says %q for %s", f.Verb(), price)
	}
	f.Send()
	again := r.creations()[6:]
	if len(again) != 2 || again[0].args.(wire.VideoCreate).ID != lost {
		t.Fatalf("%d are sent again, the first as %v, want %s", len(again), again[0].args.(wire.VideoCreate).ID, lost)
	}
	for _, c := range again {
		if !strings.Contains(string(c.args.(wire.VideoCreate).Body), "alpha-3.1-lite") {
			t.Error("another model is sent it again")
		}
		c.made()
	}
	for _, run := range r.timers {
		run()
	}
	if f.Verb() != "Create 6 videos" {
		t.Errorf("after all are made the button says %q", f.Verb())
	}
}

// Who takes a model out, or another in, while a click is under way asks for a new
// one: of all that stand there then.
func TestModelsThatChangeUnderWayAreAskedAnew(t *testing.T) {
	r := several(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Send()
	f.DropModel("alpha-3.1-lite")
	list := r.creations()
	for _, c := range list[1:] {
		c.done(nil, &wire.Problem{Code: "budget", Message: "The budget is spent."})
	}
	list[0].made()
	for _, run := range r.timers {
		run()
	}
	if f.Clips() != 2 || f.Verb() != "Create 2 videos" {
		t.Errorf("%d clips, %q", f.Clips(), f.Verb())
	}
}

func TestAModelWithoutAPriceSaysSo(t *testing.T) {
	r := several(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	cat := *sample
	cat.Models = slices.Clone(cat.Models)
	for i := range cat.Models {
		if cat.Models[i].ID == "alpha-3.1-lite" {
			cat.Models[i].Price = gateway.Price{}
		}
	}
	r.News(session.Greeting{Gateway: wire.Gateway{Sandbox: true}, Catalogue: &cat})
	f = r.Form
	if price, basis := f.Total(); price != "At least $0.48" || !strings.HasPrefix(basis, "$0.30 + no price known for alpha-3.1-lite + $0.18 · ") {
		t.Errorf("%s, %q", price, basis)
	}
	f.SetModel("alpha-3.1-lite")
	f.DropModel("beta-video-480p")
	if price, _ := f.Total(); price != NoPrice {
		t.Errorf("the form says %q", price)
	}
}

// A further model that the catalogue loses is named, and made with again once it
// is back.
func TestAFurtherModelThatIsGoneIsNamed(t *testing.T) {
	r := several(t)
	f := r.Form
	if len(f.Gone()) != 0 {
		t.Fatalf("gone: %v", f.Gone())
	}
	fewer := *sample
	fewer.Models = slices.DeleteFunc(slices.Clone(sample.Models), func(m gateway.Model) bool { return m.ID == "beta-video-480p" })
	r.News(session.Greeting{Gateway: wire.Gateway{Sandbox: true}, Catalogue: &fewer})
	if got := f.Gone(); !slices.Equal(got, []string{"beta-video-480p"}) || len(f.Lanes) != 1 {
		t.Errorf("gone: %v, beside: %d", got, len(f.Lanes))
	}
	r.greet()
	if len(f.Gone()) != 0 || len(f.Lanes) != 2 {
		t.Errorf("back again: gone %v, beside %d", f.Gone(), len(f.Lanes))
	}
}

// What the gateway refuses after all were made is made again alone.
func TestARefusalOfOneModelLeavesTheOthersMade(t *testing.T) {
	r := several(t)
	f := r.Form
	f.SetPrompt("A paper boat")
	f.Send()
	refused := wire.VideoTask{}
	for _, c := range r.creations() {
		c.made()
		if create := c.args.(wire.VideoCreate); strings.Contains(string(create.Body), "alpha-3.1-lite") {
			refused = wire.VideoTask{ID: create.ID, Model: "alpha-3.1-lite", State: wire.VideoRefused, Version: 2,
				Problem: &wire.Problem{Code: "model", Message: "It is not there."}}
		}
	}
	for range 2 { // told twice it is one
		refused.Version++
		r.News(refused)
	}
	if f.Problem == nil || f.Problem.Message != "Made 2 of 3 clips. alpha-3.1-lite: It is not there." {
		t.Fatalf("the form says %v", f.Problem)
	}
	if price, _ := f.Total(); f.Verb() != "Create video" || price != "$0.20" {
		t.Errorf("the button says %q for %s", f.Verb(), price)
	}
	f.Send()
	if again := r.creations()[3:]; len(again) != 1 || !strings.Contains(string(again[0].args.(wire.VideoCreate).Body), "alpha-3.1-lite") {
		t.Errorf("%d are made again", len(again))
	}
}
