package browse

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize"
)

// overlay is a list or a text on top of a view; Esc closes it.
type overlay struct {
	place  place
	title  string
	list   *list    // nil = text, or not read yet
	text   []string // paragraphs, escaped
	top    int      // first line of the text on the screen
	lines  int      // of the text, when last drawn
	page   int      // lines on the screen, when last drawn
	fault  error
	row    int64                             // of a record
	column int                               // of the file, that it is about
	keys   map[string]func(m *Model) tea.Cmd // those of its place alone
}

// push opens an overlay.
func (m *Model) push(o *overlay) { m.over = append(m.over, o) }

// topmost returns the overlay that is seen; nil = there is none.
func (m *Model) topmost() *overlay {
	if len(m.over) == 0 {
		return nil
	}
	return m.over[len(m.over)-1]
}

// fill reads what an overlay shows.
func (m *Model) fill(o *overlay, read func(ctx context.Context) (show func(), err error)) tea.Cmd {
	return m.start(taskOver, func(ctx context.Context, _ *atomic.Int64) func(*Model) tea.Cmd {
		show, err := read(ctx)
		return func(*Model) tea.Cmd {
			if o.fault, o.keys = err, nil; err == nil {
				show()
			}
			return nil
		}
	})
}

func (o *overlay) view(width, height int) []string {
	out := []string{styled(bold, cut(o.title, width))}
	height--
	o.page = height
	switch {
	case o.fault != nil:
		for _, l := range wrap(safe(o.fault.Error()), width) {
			out = append(out, styled(failure, l))
		}
	case o.list != nil:
		out = append(out, o.list.view(width, height)...)
	default:
		var lines []string
		for _, p := range o.text {
			lines = append(lines, wrap(p, width)...)
		}
		o.lines = len(lines)
		o.top = max(0, min(o.top, len(lines)-height))
		out = append(out, lines[o.top:min(len(lines), o.top+height)]...)
	}
	return out
}

// move handles the keys for moving, and reports whether key is one of them.
func (o *overlay) move(key string) bool {
	if o.list != nil {
		return o.list.key(key)
	}
	switch key {
	case "up", "k":
		o.top--
	case "down", "j":
		o.top++
	case "pgup", "b", "ctrl+b":
		o.top -= o.page
	case "pgdown", "space", "ctrl+f":
		o.top += o.page
	case "home", "g":
		o.top = 0
	case "end", "G":
		o.top = o.lines
	default:
		return false
	}
	o.top = max(0, min(o.top, o.lines-o.page))
	return true
}

// showText opens a text.
func (m *Model) showText(title, text string) tea.Cmd {
	o := &overlay{place: inText, title: safe(title)}
	var pretty bytes.Buffer
	if t := strings.TrimSpace(text); (strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[")) && json.Indent(&pretty, []byte(t), "", "  ") == nil {
		text = pretty.String()
	}
	for l := range strings.SplitSeq(text, "\n") {
		o.text = append(o.text, safe(l))
	}
	m.push(o)
	return nil
}

// showRecord opens all columns of the row under the cursor.
func (m *Model) showRecord() tea.Cmd {
	v := &m.rows
	row := v.number(v.cursor)
	if n, all := v.rows.Count(); row < 0 || all && row >= n || len(m.data.Fields()) == 0 {
		m.note = "there is nothing here"
		return nil
	}
	fields, rows := m.data.Fields(), v.rows
	o := &overlay{place: inRecord, title: "row " + humanize.Comma(row), row: row}
	at := 0
	if len(v.columns) > 0 {
		at = v.columns[v.at]
	}
	m.push(o)
	return m.fill(o, func(ctx context.Context) (func(), error) {
		values, err := rows.Record(ctx, row)
		if err != nil {
			return nil, err
		}
		lines := make([][]string, len(values))
		for k, text := range values {
			first, _, _ := strings.Cut(text, "\n")
			lines[k] = []string{fields[k].Name, fields[k].Type, clipBytes(first, 4096)}
		}
		return func() {
			o.list = newList([]tableColumn{{name: "column"}, {name: "type"}, {name: "value", whole: true}}, lines)
			o.list.widths[2] = 1 << 20 // as wide as the screen
			o.list.cursor = min(at, max(0, len(lines)-1))
			o.keys = map[string]func(*Model) tea.Cmd{"enter": func(m *Model) tea.Cmd {
				if k := o.list.at(); k >= 0 {
					return m.showText(fmt.Sprintf("row %s · %s · %s", humanize.Comma(row), fields[k].Name, fields[k].Type), values[k])
				}
				return nil
			}}
		}, nil
	})
}

func clipBytes(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + ellipsis
	}
	return s
}

// chooseColumns opens the list in which columns are shown and hidden.
func (m *Model) chooseColumns() tea.Cmd {
	fields, v := m.data.Fields(), &m.rows
	on := make([]bool, len(fields))
	for _, k := range v.columns {
		on[k] = true
	}
	lines := make([][]string, len(fields))
	draw := func() {
		for k, f := range fields {
			mark := "[ ]"
			if on[k] {
				mark = "[x]"
			}
			lines[k] = []string{mark, safe(f.Name), safe(f.Type)}
		}
	}
	draw()
	o := &overlay{place: inChoice, title: "columns that are shown"}
	o.list = newList([]tableColumn{{name: ""}, {name: "column"}, {name: "type"}}, lines)
	if len(v.columns) > 0 {
		o.list.cursor = v.columns[v.at]
	}
	all := func(to bool) func(*Model) tea.Cmd {
		return func(*Model) tea.Cmd {
			for k := range on {
				on[k] = to
			}
			draw()
			return nil
		}
	}
	o.keys = map[string]func(*Model) tea.Cmd{
		"a": all(true), "n": all(false),
		"space": func(*Model) tea.Cmd {
			if k := o.list.at(); k >= 0 {
				on[k] = !on[k]
				draw()
				o.list.move(1)
			}
			return nil
		},
		"enter": func(m *Model) tea.Cmd {
			var columns []int
			for k, yes := range on {
				if yes {
					columns = append(columns, k)
				}
			}
			if len(columns) == 0 {
				m.note = "no column is left: show at least one"
				return nil
			}
			m.over = m.over[:len(m.over)-1]
			m.rows.columns, m.rows.at, m.rows.left = columns, 0, 0
			return m.load()
		},
	}
	m.push(o)
	return nil
}

// chooseFile opens the list of files.
func (m *Model) chooseFile() tea.Cmd {
	files := m.data.Files()
	lines := make([][]string, len(files))
	for i, name := range files {
		fault := ""
		if err := m.data.Broken(i); err != nil {
			fault = err.Error()
		}
		lines[i] = []string{humanize.Comma(int64(i + 1)), name, fault}
	}
	o := &overlay{place: inFiles, title: counted(int64(len(files)), "file")}
	o.list = newList([]tableColumn{{name: "", right: true}, {name: "file", whole: true}, {name: "error", whole: true}}, lines)
	o.list.cursor = m.shownFile()
	o.keys = map[string]func(*Model) tea.Cmd{"enter": func(m *Model) tea.Cmd {
		i := o.list.at()
		m.over = m.over[:len(m.over)-1]
		return m.openFile(i)
	}}
	m.push(o)
	return nil
}

// copyCommand shows the command line that prints what is seen, and sends it to the terminal's clipboard.
func (m *Model) copyCommand() tea.Cmd {
	v := &m.rows
	s := Seen{File: m.file}
	switch o := m.topmost(); {
	case o != nil && o.place == inColumn:
		s.Blocks = true
	case o == nil && m.tab == tabLayout: // which is printed with the blocks
		s.Blocks = true
	case o != nil: // a record
		s.Rows, s.Where, s.First, s.Last = v.rows, v.where, o.row, o.row+1
	case m.tab == tabRows:
		if v.height == 0 || !v.fillSeen(&s) {
			m.note = "there are no rows to print"
			return nil
		}
		if len(v.columns) < len(m.data.Fields()) {
			s.Columns = slices.Clone(v.columns)
		}
	}
	data, o := m.data, &overlay{place: inText, title: "command line, sent to the clipboard"}
	m.push(o)
	return m.start(taskOver, func(ctx context.Context, _ *atomic.Int64) func(*Model) tea.Cmd {
		command, but, err := data.Command(ctx, s)
		return func(*Model) tea.Cmd {
			if o.fault = err; err != nil {
				return nil
			}
			o.text = []string{"", safe(command), ""}
			if but != "" {
				o.text = append(o.text, styled(notice, safe(but)), "")
			}
			o.text = append(o.text, styled(faint, "The text went to the terminal as a copy (OSC 52). Not every terminal takes it; some ask first."))
			return tea.SetClipboard(command)
		}
	})
}

// fillSeen tells which rows are on the screen, and reports whether there are any.
func (v *rowsView) fillSeen(s *Seen) bool {
	s.Rows, s.Where, s.First, s.Last = v.rows, v.where, v.top, v.top+int64(v.height)
	if v.sorted != nil {
		s.First, s.Last = v.sorted.first, v.sorted.first+int64(len(v.sorted.order))
		s.Sorted, s.By, s.Desc = true, v.sorted.by, v.sorted.desc
		s.Most = int(min(v.top+int64(v.height), int64(len(v.sorted.order))))
	} else if n, all := v.rows.Count(); all || v.where != "" {
		s.Last = min(s.Last, n)
	}
	return s.First < s.Last
}
