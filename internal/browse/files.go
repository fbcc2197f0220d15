package browse

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// shownFile returns the file that is seen: in the rows that of the row under the cursor.
func (m *Model) shownFile() int {
	if m.tab == tabRows {
		if i := m.rows.rows.FileOf(m.rows.number(m.rows.cursor)); i >= 0 {
			return i
		}
	}
	return m.file
}

// fileKey goes to another file.
func (m *Model) fileKey(key string) tea.Cmd {
	files, at := len(m.data.Files()), m.shownFile()
	switch {
	case files == 1:
		m.note = "there is one file"
	case key == "o":
		return m.chooseFile()
	case key == "[" && at == 0:
		m.note = "this is the first file"
	case key == "]" && at == files-1:
		m.note = "this is the last file"
	case key == "[" && m.tab == tabRows:
		return m.rowsOfFile(at-1, true)
	case key == "[":
		return m.openFile(at - 1)
	case m.tab == tabRows:
		return m.goToFile(at + 1)
	default:
		return m.openFile(at + 1)
	}
	return nil
}

// goToFile goes to the first row of a file, or of the next that has rows.
func (m *Model) goToFile(i int) tea.Cmd { return m.rowsOfFile(i, false) }

// rowsOfFile goes to the first row of a file. If it has none, that of the next one that has, or of the one before.
func (m *Model) rowsOfFile(i int, back bool) tea.Cmd {
	if m.rows.sorted != nil {
		m.rows.unsort()
	}
	rows := m.rows.rows
	return m.start(taskExtend, func(ctx context.Context, _ *atomic.Int64) func(*Model) tea.Cmd {
		row, found, err := rows.FirstOf(ctx, i)
		for k := i; back && err == nil && k > 0 && (!found || rows.FileOf(row) > i); {
			k--
			row, found, err = rows.FirstOf(ctx, k)
		}
		return func(m *Model) tea.Cmd {
			switch {
			case m.rows.rows != rows:
				return nil
			case err != nil:
				m.fail(err)
			case !found || back && rows.FileOf(row) > i:
				m.note = map[bool]string{true: "no file before this one has rows", false: "no file after this one has rows"}[back]
			default:
				m.rows.top = row
				m.rows.moveTo(row)
			}
			if _, all := rows.Count(); err == nil && !all && m.rows.where != "" {
				return tea.Batch(m.load(), m.extend())
			}
			return m.load()
		}
	})
}
