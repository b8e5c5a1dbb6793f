//go:build js && wasm

package kit

// Icons of the list, the search and the palette, beside those of icon.go.
const (
	IconRanking IconPath = "M4 6h9M9 4v4M9 12h11M14 10v4M4 18h8M7 16v4"
	IconPin     IconPath = "M9 4h6l-.7 6 3.2 3.5h-11L9.7 10zM12 13.5V20"
	IconFilter  IconPath = "M4 6h16M7 12h10M10 18h4"
	IconExport  IconPath = "M12 15V4M8 7.5L12 4l4 3.5M5 14v5h14v-5"
	IconPage    IconPath = "M7 4h7l4 4v12H7zM14 4v4h4"
	IconCommand IconPath = "M8 5l-4 7 4 7M16 5l4 7-4 7"
	IconModel   IconPath = "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12L4 7.5M12 12v9"
	IconShare   IconPath = "M18 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM6 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM18 21a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8.2 10.8l7.6-4.1M8.2 13.2l7.6 4.1"
	IconMore    IconPath = "M5 11.5h1v1H5zM11.5 11.5h1v1h-1zM18 11.5h1v1h-1z"
)
