//go:build js && wasm

package video

import (
	"strconv"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/video"
)

// Notices are what a person may not have seen, on every page of the program.
type Notices struct {
	app.Compo
	s      *Section
	Rev    int
	Raised bool // above the bar of the chosen clips
}

// Overlay implements kit.Overlaid.
func (s *Section) Overlay() app.UI {
	return &Notices{s: s, Rev: s.rev.gallery, Raised: s.desk.Tasks.Selection.On && s.view == viewDesk}
}

// Render implements app.Composer.
func (n *Notices) Render() (ui app.UI) {
	s := n.s
	defer s.Drawing("the notices", &ui)
	tasks := s.desk.Tasks
	list := tasks.Notices.List
	return kit.El("div", "toasts clip-toasts", kit.At{"role", "status", "data-raised", n.Raised},
		kit.Times(len(list), func(i int) app.UI { return s.noticeOf(list[i]) }),
		kit.If(tasks.Deleted != nil, func() app.UI {
			return kit.Box("div", "toast",
				kit.Box("span", "toast-words", tasks.DeletedWords()),
				kit.Button("", kit.At{"id", "undo-clip"}, s.Do("undo clip", func() {
					id := tasks.Deleted.ID
					tasks.Undo()
					s.focusSoon(cardKey(id, "more"))
				}), "Undo"),
			)
		}),
	)
}

func (s *Section) noticeOf(n video.Notice) app.UI {
	k := strconv.Itoa(n.N)
	return kit.Box("div", "toast",
		kit.El("span", "toast-words", kit.At{"data-tone", string(n.Tone)}, n.Words),
		kit.If(n.Task != "" && n.Ended, func() app.UI {
			return kit.El("a", "button", kit.At{"href", Path + "/" + n.Task,
				"onclick", s.Do("show "+k, func() { s.desk.Tasks.Notices.Dismiss(n.N) })}, "Show")
		}),
		kit.IconButton("small", "Dismiss", kit.IconClose, nil, s.Do("dismiss "+k, func() { s.desk.Tasks.Notices.Dismiss(n.N) })),
	)
}

// notification is the browser's own, undefined where it has none or forbids it
// to pages that are not served over https or from this machine.
func notification() js.Value { return js.Global().Get("Notification") }

// canAskToNotify says that the browser may be asked whether it tells of clips.
func (s *Section) canAskToNotify() bool {
	n := notification()
	return n.Truthy() && n.Get("permission").String() == "default"
}

// askToNotify asks the browser, because the person has asked for it.
func (s *Section) askToNotify() {
	s.await(notification().Call("requestPermission"), func(v js.Value) {
		if v.Type() == js.TypeString && v.String() == "granted" {
			s.desk.Tasks.Notices.Say("This browser will tell you when a clip ends while you are elsewhere.", video.Good)
		}
		s.redrawResults()
	})
}

// tell has the browser tell of a clip that has ended, where the person is in
// another tab or program. Several tabs tell of a clip once.
func (s *Section) tell(n video.Notice) {
	browser := notification()
	if !n.Ended || !s.Hidden() || !browser.Truthy() || browser.Get("permission").String() != "granted" {
		return
	}
	defer func() { _ = recover() }() // some phones throw: they know it from service workers only
	note := browser.New(n.Words, map[string]any{"tag": n.Task, "icon": "/web/icon-192.png", "body": "Screentest"})
	clicked := s.DOM.On(note, "click", func(js.Value) {
		js.Global().Get("window").Call("focus")
		s.Context().Navigate(Path + "/" + n.Task)
		note.Call("close")
	}, s.Post)
	var closed func()
	closed = s.DOM.On(note, "close", func(js.Value) { clicked(); closed() }, s.Post)
}
