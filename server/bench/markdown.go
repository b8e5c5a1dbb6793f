package main

import (
	"strings"
	"unicode/utf8"
)

// markdownTable is a table whose first row is its head and whose columns but the first are
// flush right, as readable as it is.
func markdownTable(table [][]string) (lines []string) {
	width := make([]int, len(table[0]))
	for _, row := range table {
		for n, cell := range row {
			width[n] = max(width[n], utf8.RuneCountInString(cell), len("--:"))
		}
	}
	for n, row := range table {
		line, rule := "|", "|"
		for n, cell := range row {
			space := strings.Repeat(" ", width[n]-utf8.RuneCountInString(cell))
			if n == 0 {
				line += " " + cell + space + " |"
				rule += strings.Repeat("-", width[n]+2) + "|"
				continue
			}
			line += " " + space + cell + " |"
			rule += strings.Repeat("-", width[n]+1) + ":|"
		}
		lines = append(lines, line)
		if n == 0 {
			lines = append(lines, rule)
		}
	}
	return lines
}
