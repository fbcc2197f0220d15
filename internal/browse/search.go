package browse

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize"
)

const noText = "nothing was searched for yet: press /"

// askText asks for the text of a search; without one it is that of the last.
func (m *Model) askText(search func(m *Model) tea.Cmd) {
	m.ask("search:", "", func(m *Model, text string) (string, tea.Cmd) {
		if text != "" {
			m.sought = text
		}
		return "", search(m)
	})
}

// lineSearchKey handles a key of the search in a list.
func (m *Model) lineSearchKey(key string) tea.Cmd {
	switch l := m.shownList(); {
	case l == nil:
	case l.at() < 0:
		m.note = "there is nothing here"
	case key == "/":
		m.askText(func(m *Model) tea.Cmd {
			m.findLine(l, false, l.sought != m.sought)
			return nil
		})
	default:
		m.findLine(l, key == "N", false)
	}
	return nil
}

// findLine goes to the next line of a list that holds the text of the last search, or to the one before. here = the line under the
// cursor counts.
func (m *Model) findLine(l *list, back, here bool) {
	if m.sought == "" {
		m.note = noText
		return
	}
	l.sought = m.sought
	from := l.cursor
	cell, found := l.find(m.sought, back, here)
	switch {
	case !found:
		m.note = "no line has the text"
		return
	case back && l.cursor > from:
		m.note = "found from the last line on"
	case !back && l.cursor < from:
		m.note = "found from the first line on"
	case l.cursor == from && !here:
		m.note = "no other line has the text"
	}
	if !slices.Contains(visible(l.widths, 1, l.left+1, m.width), cell) {
		l.left = max(0, cell-1)
	}
}

// find moves the cursor to the next line with a text, or to the one before, also beyond the last and the first, and tells in which cell it is.
func (l *list) find(text string, back, here bool) (cell int, found bool) {
	n, step := len(l.order), 1
	if back {
		step = n - 1
	}
	at := l.cursor
	if !here {
		at += step
	}
	fold := strings.ToLower(text) == text
	for range n {
		at %= n
		cell := slices.IndexFunc(l.rows[l.order[at]], func(s string) bool {
			if fold {
				s = strings.ToLower(s)
			}
			return strings.Contains(s, text)
		})
		if cell >= 0 {
			l.cursor = at
			return cell, true
		}
		at += step
	}
	return 0, false
}

// find goes to the next row that holds the text of the last search, or back to the one before.
func (m *Model) find(back bool) tea.Cmd {
	v := &m.rows
	if m.sought == "" {
		m.note = noText
		return nil
	}
	if v.sorted != nil {
		v.unsort()
	}
	rows, text, from := v.rows, m.sought, v.cursor
	columns := append([]int(nil), v.columns...)
	if v.hit.column < 0 && !back {
		from-- // the row under the cursor counts
	}
	return m.start(taskFind, func(ctx context.Context, looked *atomic.Int64) func(*Model) tea.Cmd {
		row, column, found, err := rows.Find(ctx, text, columns, from, back, looked.Store)
		return func(m *Model) tea.Cmd {
			switch {
			case err != nil:
				m.fail(err)
				return nil
			case m.rows.rows != rows:
				return nil
			case !found && back:
				m.note = "not found before row " + humanize.Comma(from)
				return nil
			case !found:
				m.note = "not found after row " + humanize.Comma(from)
				if from < 0 {
					m.note = "not found"
				}
				return nil
			}
			v := &m.rows
			v.hit = hit{row, column}
			for i, f := range v.columns {
				if f == column {
					v.turn(i - v.at)
				}
			}
			if row < v.top || row >= v.top+int64(v.height) {
				v.top = max(0, row-int64(v.height)/2)
			}
			v.moveTo(row)
			return m.load()
		}
	})
}
