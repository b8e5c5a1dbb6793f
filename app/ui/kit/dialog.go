//go:build js && wasm

package kit

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Dialog is the frame of a dialog with a title and a cross; what it says and
// asks is its body. Escape cancels, which need not close it: it may go back.
func (h *Host) Dialog(id, title string, at At, cancel, closed func(), body ...any) app.UI {
	return El("dialog", "dialog", append(At{"id", id, "aria-label", title,
		"oncancel", h.On("cancel "+id, func(_ app.Context, e app.Event) { e.PreventDefault(); cancel() })}, at...),
		Box("div", "dialog-head",
			Box("h2", "cut", title),
			IconButton("", "Close", IconClose, At{"id", "close-" + id, "title", "Close (Esc)"}, h.Do("close "+id, closed))),
		body)
}

// OnBackdrop is the click of a dialog, for closing it when that is beside it.
func (h *Host) OnBackdrop(id string, closed func()) *Handler {
	return h.On(id+"-backdrop", func(ctx app.Context, e app.Event) {
		ctx.PreventUpdate()
		if e.Get("target").Get("id").String() == id {
			closed()
		}
	})
}
