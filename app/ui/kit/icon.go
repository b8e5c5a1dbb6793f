//go:build js && wasm

package kit

import (
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

const svgNS = "http://www.w3.org/2000/svg"

// IconPath is an icon as one path in a square of 24.
type IconPath string

// The icons.
const (
	IconChat     IconPath = "M4 6.5A2.5 2.5 0 0 1 6.5 4h11A2.5 2.5 0 0 1 20 6.5v7a2.5 2.5 0 0 1-2.5 2.5H11l-4.5 4v-4A2.5 2.5 0 0 1 4 13.5zM8 8.5h8M8 11.5h5"
	IconVideo    IconPath = "M4 6h11v12H4zM15 10.5l5-3v9l-5-3"
	IconSettings IconPath = "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5"
	IconPlus     IconPath = "M12 5v14M5 12h14"
	IconMenu     IconPath = "M4 7h16M4 12h16M4 17h16"
	IconPencil   IconPath = "M5 19l.8-3.6L16.4 4.8a1.7 1.7 0 0 1 2.4 0l.4.4a1.7 1.7 0 0 1 0 2.4L8.6 18.2zM14.5 6.7l2.8 2.8"
	IconTrash    IconPath = "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 11v5M13.5 11v5"
	IconSend     IconPath = "M12 19V5M6 11l6-6 6 6"
	IconStop     IconPath = "M7 7h10v10H7z"
	IconRetry    IconPath = "M19 12a7 7 0 1 1-2.3-5.2M19 4v4h-4"
	IconCopy     IconPath = "M9 9h10v10H9zM5 15V5h10"
	IconCheck    IconPath = "M5 12.5l4.5 4.5L19 7.5"
	IconChevron  IconPath = "M9 6l6 6-6 6"
	IconBack     IconPath = "M15 6l-6 6 6 6"
	IconDown     IconPath = "M6 9l6 6 6-6"
	IconArrow    IconPath = "M12 5v14M6 13l6 6 6-6"
	IconSearch   IconPath = "M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5L20 20"
	IconSpend    IconPath = "M5 19V11M10 19V5M15 19v-9M20 19v-5M3.5 19.5h17.5"
	IconPerson   IconPath = "M12 11.5a3.75 3.75 0 1 0 0-7.5 3.75 3.75 0 0 0 0 7.5zM4.5 20c.8-3.6 3.8-5.5 7.5-5.5s6.7 1.9 7.5 5.5"
	IconClose    IconPath = "M6.5 6.5l11 11M17.5 6.5l-11 11"
	IconBook     IconPath = "M5 5.5A1.5 1.5 0 0 1 6.5 4H19v16H6.5A1.5 1.5 0 0 1 5 18.5zM5 18.5A1.5 1.5 0 0 1 6.5 17H19M9 8h6"
	IconTool     IconPath = "M8 5H6.5A1.5 1.5 0 0 0 5 6.5V10l-1.5 2L5 14v3.5A1.5 1.5 0 0 0 6.5 19H8M16 5h1.5A1.5 1.5 0 0 1 19 6.5V10l1.5 2-1.5 2v3.5a1.5 1.5 0 0 1-1.5 1.5H16"
	IconEyeOff   IconPath = "M4 4l16 16M10 5.8A9 9 0 0 1 12 5.6c4 0 7.2 2.5 9 6.4a12 12 0 0 1-2.6 3.6M6.4 7.6A12 12 0 0 0 3 12c1.8 3.9 5 6.4 9 6.4 1.600 0 3-.4 4.300-1.100"
	IconInspect  IconPath = "M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14"
	IconAlert    IconPath = "M12 8v5M12 16.5v.01M12 3.5l9 16H3z"
)

// Icon draws an icon beside words that say the same, so it is hidden from
// screen readers.
func Icon(path IconPath, class string) app.UI {
	return SVG("svg", At{"class", class, "viewBox", "0 0 24 24", "aria-hidden", true},
		SVG("path", At{"d", string(path)}),
	)
}

// Icon makes an icon outside of go-app.
func (d DOM) Icon(path IconPath, class string) js.Value {
	svg := d.Doc.Call("createElementNS", svgNS, "svg")
	svg.Call("setAttribute", "class", class)
	svg.Call("setAttribute", "viewBox", "0 0 24 24")
	svg.Call("setAttribute", "aria-hidden", "true")
	line := d.Doc.Call("createElementNS", svgNS, "path")
	line.Call("setAttribute", "d", string(path))
	svg.Call("append", line)
	return svg
}
