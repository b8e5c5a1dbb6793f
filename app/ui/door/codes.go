//go:build js && wasm

package door

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
)

// recoveryCodes shows recovery codes, this once.
func recoveryCodes(h *kit.Host, codes []string, done func()) app.UI {
	text := strings.Join(codes, "\n") + "\n"
	return kit.El("div", "security-form", kit.At{"id", "security-recovery-codes", "tabindex", -1, "role", "group", "aria-label", "New recovery codes"},
		kit.Notice(kit.Warn, "", nil, "Save these somewhere you can reach without this device. Each code works once. They aren’t shown again, and older codes no longer work."),
		kit.Box("ol", "security-codes", kit.Times(len(codes), func(i int) app.UI { return kit.Box("li", "mono", codes[i]) })),
		kit.Box("div", "line",
			kit.Button("", kit.At{"id", "codes-copy"}, h.On("codes-copy", func(ctx app.Context, _ app.Event) {
				ctx.PreventUpdate()
				h.CopyTo(text, h.DOM.ByID("codes-copy"))
			}), "Copy"),
			kit.Button("", kit.At{"id", "codes-download"}, h.Do("codes-download", func() { h.Save("screentest-recovery-codes.txt", text) }), "Download"),
			kit.Button("primary", kit.At{"id", "codes-done"}, h.Do("codes-done", done), "I’ve saved them"),
		),
	)
}
