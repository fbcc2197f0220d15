package browse

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// place is what is seen: a view, or what lies on top of it. Keys mean what the table of keys says for it.
type place uint

const (
	inOverview place = 1 << iota
	inColumns
	inLayout
	inRows
	inRecord
	inColumn // statistics and blocks of one
	inStatistics
	inText
	inBytes
	inChoice // of columns
	inFiles

	inViews    = inOverview | inColumns | inLayout | inRows
	inOverlays = inRecord | inColumn | inStatistics | inText | inBytes | inChoice | inFiles
	inLists    = inOverview | inColumns | inLayout | inRecord | inColumn | inStatistics | inChoice | inFiles
	anywhere   = inViews | inOverlays
)

// binding is what some keys do.
type binding struct {
	in    place
	keys  []string // as bubbletea names them
	label string   // the same for people
	help  string
	hint  string // the same in a word or two, for the bottom line; "" = not there. The first ones stay longest where it is narrow
	do    func(m *Model, key string) tea.Cmd
}

// What keys do that work in all views, and have a place on the bottom line in one.
const (
	helpSearch      = "search text in the columns shown; small letters find any"
	helpSearchLines = "search text in the lines; small letters find any"
	helpFilter      = "filter the rows, as --where does; empty = all rows"
	helpRow         = "go to a row; rows are counted from 0, as by --rows"
)

// bindings returns all keys: what they do is found here, and so is what is said of them. Of two for one key the first counts.
func bindings() []binding {
	o := (*Model).overlayKey
	return []binding{
		{inOverview, []string{"enter"}, "Enter", "the whole text", "whole text", (*Model).listKey},
		{inColumns, []string{"enter"}, "Enter", "statistics and blocks of the column", "statistics and blocks", (*Model).listKey},
		{inLayout, []string{"enter"}, "Enter", "the rows of the stripe, row group or split", "rows", (*Model).listKey},
		{inLayout, []string{"x"}, "x", "the bytes of the stripe, row group or split", "bytes", (*Model).listKey},
		{inRows, []string{"enter"}, "Enter", "the whole record", "record", (*Model).rowsKey},
		{inRecord, []string{"enter"}, "Enter", "the whole value", "whole value", o},
		{inColumn, []string{"enter"}, "Enter", "the bytes of the block, or what the line says, in full", "bytes of the block", o},
		{inChoice, []string{"space"}, "Space", "show or hide the column", "show or hide", o},
		{inChoice, []string{"a"}, "a", "show all", "all", o},
		{inChoice, []string{"n"}, "n", "hide all", "none", o},
		{inChoice, []string{"enter"}, "Enter", "show these columns", "done", o},
		{inFiles, []string{"enter"}, "Enter", "show this file", "show this file", o},
		{inBytes, []string{">", "<"}, "> <", "next bytes, bytes before", "next, before", o},
		{inBytes, []string{":"}, ":", "go to an offset, such as 17300 or 0x4394", "offset", o},

		{inRows, []string{"/"}, "/", helpSearch, "search", (*Model).rowsKey},
		{inRows, []string{"n", "N"}, "n N", "next and previous row with the text", "", (*Model).rowsKey},
		{inLists, []string{"/"}, "/", helpSearchLines, "search", (*Model).lineSearchKey},
		{inLists &^ inChoice, []string{"n", "N"}, "n N", "next and previous line with the text", "", (*Model).lineSearchKey},
		{inRows, []string{"f"}, "f", helpFilter, "filter", (*Model).rowsKey},
		{inViews, []string{"f"}, "f", helpFilter, "", (*Model).toRows},
		{inRows, []string{":"}, ":", helpRow, "row", (*Model).rowsKey},
		{inViews, []string{":"}, ":", helpRow, "", (*Model).toRows},
		{inRows, []string{"s"}, "s", "sort at most 1,000 rows around the cursor: up, down, not", "sort", (*Model).rowsKey},
		{inRows, []string{"c"}, "c", "choose columns", "columns", (*Model).rowsKey},
		{inRows, []string{"-"}, "-", "hide the column under the cursor", "", (*Model).rowsKey},
		{inRows, []string{"0", "^", "$"}, "0 ^ $", "first and last column", "", (*Model).rowsKey},
		{inRows, []string{"<", ">"}, "< >", "columns before and after those on the screen", "", (*Model).rowsKey},
		{inRows, []string{"z"}, "z", "columns that stay on the left: one, two, none", "", (*Model).rowsKey},
		{inColumns | inLayout | inColumn | inRecord, []string{"s"}, "s", "sort by the next column", "sort", (*Model).listKey},
		{inColumns | inLayout | inColumn | inRecord, []string{"S"}, "S", "turn the order around", "", (*Model).listKey},

		{anywhere, []string{"up", "down", "k", "j"}, "↑ ↓ k j", "up, down", "", (*Model).move},
		{anywhere, []string{"pgup", "pgdown", "b", "space", "ctrl+b", "ctrl+f"}, "PgUp PgDn, b Space", "a page up, down", "", (*Model).move},
		{anywhere, []string{"home", "end", "g", "G"}, "Home End, g G", "first and last line", "", (*Model).move},
		{inColumns | inLayout | inRows | inRecord | inColumn | inChoice, []string{"left", "right", "h", "l"}, "← → h l", "to the left, to the right", "", (*Model).move},
		{inViews, []string{"1", "2", "3", "4", "tab", "shift+tab"}, "1 2 3 4, Tab", "Overview, Columns, Layout, Rows, and the next of them", "views", (*Model).viewKey},
		{inViews, []string{"[", "]"}, "[ ]", "file before, next file; in Rows its first row", "", (*Model).fileKey},
		{inViews, []string{"o"}, "o", "list of files", "", (*Model).fileKey},
		{inViews | inRecord | inColumn, []string{"y"}, "y", "show the command line for what is seen, and copy it", "copy", func(m *Model, _ string) tea.Cmd { return m.copyCommand() }},
		{anywhere, []string{"?"}, "?", "the keys that work here", "", func(m *Model, _ string) tea.Cmd { return m.help() }},
		{anywhere, []string{"esc"}, "Esc", "stop what is going on, or go back, or leave", "", func(m *Model, _ string) tea.Cmd { return m.escape() }},
		{inViews, []string{"q"}, "q", "leave", "", func(m *Model, _ string) tea.Cmd { return m.quit() }},
		{inOverlays, []string{"q"}, "q", "go back", "", func(m *Model, _ string) tea.Cmd { return m.escape() }},
		{anywhere, []string{"ctrl+z"}, "Ctrl-Z", "stop for the shell, whose fg comes back here", "", (*Model).suspend},
		{anywhere, []string{"ctrl+c"}, "Ctrl-C", "leave", "", func(m *Model, _ string) tea.Cmd { return m.quit() }},
	}
}

// typing is the keys while a text is typed, and what they do.
var typing = [][2]string{
	{"Enter", "done"},
	{"Esc Ctrl-C", "back, without the text"},
	{"↑ ↓", "earlier texts"},
	{"← → Home End", "move, and Ctrl-A and Ctrl-E"},
	{"Backspace Delete", "remove a character; Ctrl-W a word"},
	{"Ctrl-U Ctrl-K", "remove what is before the cursor, behind it"},
	{"Ctrl-Z", "stop for the shell"},
}

// place returns what is seen.
func (m *Model) place() place {
	if o := m.topmost(); o != nil {
		return o.place
	}
	return inOverview << m.tab
}

// bindingOf returns what a key does at a place; nil = nothing.
func bindingOf(at place, key string) *binding {
	all := bindings()
	for i := range all {
		if b := &all[i]; b.in&at != 0 && slices.Contains(b.keys, key) {
			return b
		}
	}
	return nil
}

// keysAt returns the bindings of which a key works at a place.
func keysAt(at place) (out []binding) {
	taken := map[string]bool{}
	for _, b := range bindings() {
		if b.in&at == 0 {
			continue
		}
		b.keys = slices.DeleteFunc(slices.Clone(b.keys), func(key string) bool { return taken[key] })
		for _, key := range b.keys {
			taken[key] = true
		}
		if len(b.keys) > 0 {
			out = append(out, b)
		}
	}
	return out
}

var placeNames = map[place]string{
	inOverview: tabNames[0], inColumns: tabNames[1], inLayout: tabNames[2], inRows: tabNames[3], inRecord: "a record", inColumn: "a column", inStatistics: "statistics",
	inText: "a text", inBytes: "bytes", inChoice: "the choice of columns", inFiles: "the list of files",
}

// labelAt returns the keys that work at a place, for people.
func (b binding) labelAt(at place) string {
	if at == inChoice && strings.Contains(b.label, ", b Space") { // Space does something else there
		return strings.Replace(b.label, ", b Space", ", b", 1)
	}
	return b.label
}

// helpLines lists the keys that work at a place.
func helpLines(at place) (out []string) {
	for _, b := range keysAt(at) {
		out = append(out, fmt.Sprintf("  %s  %s", fit(b.labelAt(at), 18, false), b.help))
	}
	if at&(inViews|inLists|inBytes) != 0 {
		out = append(out, "", "While a text is typed:")
		for _, k := range typing {
			out = append(out, fmt.Sprintf("  %s  %s", fit(k[0], 18, false), k[1]))
		}
	}
	return out
}

func (m *Model) help() tea.Cmd {
	at := m.place()
	m.push(&overlay{place: inText, title: "keys in " + placeNames[at], text: helpLines(at)})
	return nil
}

// hints is the bottom line: of the keys that work at a place as many as there is room for, and always those for help and for leaving.
func hints(at place, several bool, width int) string {
	last := "? help  q quit"
	if at&inOverlays != 0 {
		last = "? help  Esc back"
	}
	out := ""
	for _, b := range keysAt(at) {
		if b.hint == "" {
			continue
		}
		label, _, _ := strings.Cut(b.labelAt(at), ",")
		if b.hint == "views" {
			label = "1-4"
		}
		if piece := label + " " + b.hint + "  "; wide(out+piece+last) <= width {
			out += piece
		}
	}
	if piece := "[ ] o files  "; several && at&inViews != 0 && wide(out+piece+last) <= width {
		out += piece
	}
	return out + last
}
