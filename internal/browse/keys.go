package browse

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

func (m *Model) quit() tea.Cmd {
	m.quits = true
	for k := range m.tasks {
		m.stop(kind(k))
	}
	return tea.Quit
}

// key handles a key.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if m.prompt != nil {
		return m.promptKey(msg)
	}
	m.note, m.fault = "", ""
	key := msg.String()
	if b := bindingOf(m.place(), key); b != nil {
		return b.do(m, key)
	}
	return nil
}

// overlayKey handles a key of what lies on top.
func (m *Model) overlayKey(key string) tea.Cmd {
	if do := m.topmost().keys[key]; do != nil {
		return do(m)
	}
	m.note = "there is nothing here" // it could not be read, or not yet
	return nil
}

// viewKey opens a view.
func (m *Model) viewKey(key string) tea.Cmd {
	switch key {
	case "tab":
		return m.enter((m.tab + 1) % tabs)
	case "shift+tab":
		return m.enter((m.tab + tabs - 1) % tabs)
	}
	tab := int(key[0] - '1')
	if tab == m.tab {
		m.note = "this is " + tabNames[tab]
	}
	return m.enter(tab)
}

// toRows handles a key of the rows, in any view.
func (m *Model) toRows(key string) tea.Cmd {
	var cmd tea.Cmd
	if m.tab != tabRows {
		cmd = m.enter(tabRows)
	}
	return tea.Batch(cmd, m.rowsKey(key))
}

// escape stops what is going on, or goes back, or leaves.
func (m *Model) escape() tea.Cmd {
	stopped := false
	for _, k := range []kind{taskFind, taskExtend, taskDetail, taskOver} {
		if m.stop(k) {
			stopped = true
		}
	}
	switch {
	case len(m.over) > 0:
		m.over = m.over[:len(m.over)-1]
	case stopped:
		m.note = "stopped"
	case m.tab == tabRows && m.rows.sorted != nil:
		m.rows.unsort()
		return m.load()
	case m.tab == tabRows && m.rows.hit.column >= 0:
		m.rows.hit = hit{column: -1}
		m.note = "the row that was found is not marked any more; Esc leaves"
	case m.tab == tabRows && m.rows.where != "":
		_, cmd := m.setFilter("")
		m.note = "all rows again; Esc leaves"
		return cmd
	default:
		return m.quit()
	}
	return nil
}

// enter opens a view.
func (m *Model) enter(tab int) tea.Cmd {
	from, file := m.tab, m.shownFile()
	m.tab = tab
	m.rows.height = max(1, m.bodyHeight()-1)
	switch {
	case from == tabRows && tab != tabRows && file != m.file:
		return m.openFile(file)
	case from != tabRows && tab == tabRows && m.shownFile() != m.file && m.data.Broken(m.file) == nil:
		return tea.Batch(m.load(), m.goToFile(m.file))
	}
	if tab == tabLayout && (m.of.file == nil || !m.of.file.Details) && m.tasks[taskDetail] == nil {
		return m.readFile(taskDetail, true)
	}
	return m.load()
}

// move handles a key for moving in what is seen.
func (m *Model) move(key string) tea.Cmd {
	if o := m.topmost(); o != nil {
		o.move(key)
		return nil
	}
	if m.tab == tabRows {
		return m.rowsKey(key)
	}
	if l := m.list(); l != nil {
		l.key(key)
	}
	return nil
}

// shownList returns the list that is seen, of a view or on top of it; nil = none is.
func (m *Model) shownList() *list {
	if o := m.topmost(); o != nil {
		return o.list
	}
	return m.list()
}

// key handles a key for moving, and reports whether it is one.
func (l *list) key(key string) bool {
	page := max(l.height-1, 1)
	switch key {
	case "up", "k":
		l.move(-1)
	case "down", "j":
		l.move(1)
	case "pgup", "b", "ctrl+b":
		l.move(-page)
	case "pgdown", "space", "ctrl+f":
		l.move(page)
	case "home", "g":
		l.move(-len(l.rows))
	case "end", "G":
		l.move(len(l.rows))
	case "left", "h":
		l.turn(-1)
	case "right", "l":
		l.turn(1)
	default:
		return false
	}
	return true
}

// listKey handles a key in a list: of a view, or on top of it.
func (m *Model) listKey(key string) tea.Cmd {
	l := m.shownList()
	if l == nil {
		return nil
	}
	if l.at() < 0 {
		m.note = "there is nothing here"
		return nil
	}
	switch key {
	case "enter":
		switch m.tab {
		case tabOverview:
			x := m.of.file.Facts[l.at()]
			return m.showText(x.Name, x.Value)
		case tabColumns:
			return m.showColumn()
		case tabLayout:
			return m.showGroupRows()
		}
	case "x":
		return m.showGroupBytes()
	case "s":
		l.sortNext()
	case "S":
		if l.sort < 0 {
			m.note = "the lines are not sorted: s sorts them"
		}
		l.flip()
	}
	return nil
}

func (m *Model) rowsKey(key string) tea.Cmd {
	v := &m.rows
	page := int64(max(v.height-1, 1))
	switch key {
	case "up", "k":
		v.moveTo(v.cursor - 1)
	case "down", "j":
		v.moveTo(v.cursor + 1)
	case "pgup", "b", "ctrl+b":
		v.top = max(0, v.top-page)
		v.moveTo(v.cursor - page)
	case "pgdown", "space", "ctrl+f":
		v.top += page
		v.moveTo(v.cursor + page)
	case "home", "g":
		v.moveTo(0)
	case "end", "G":
		return m.goTo(math.MaxInt64)
	case "left", "h":
		v.turn(-1)
	case "right", "l":
		v.turn(1)
	case "0", "^":
		v.at, v.left = 0, 0
	case "$":
		v.turn(len(v.columns))
	case "<", ">":
		v.turnPage(m.data.Fields(), m.width, key == "<")
	case "z":
		v.frozen = (v.frozen + 1) % 3
		v.turn(0)
		m.note = [...]string{"no column stays on the left", "one column stays on the left", "two columns stay on the left"}[v.frozen]
	case "-":
		if len(v.columns) <= 1 {
			m.note = "at least one column is shown"
			return nil
		}
		v.columns = append(v.columns[:v.at:v.at], v.columns[v.at+1:]...)
		v.left = min(v.left, v.at)
		v.turn(0)
	case "s":
		if n, all := v.rows.Count(); len(v.columns) == 0 || all && n == 0 {
			m.note = "there is nothing to sort"
			return nil
		}
		return m.sortShown()
	case "c":
		return m.chooseColumns()
	case "enter":
		return m.showRecord()
	case ":":
		m.ask("go to row:", "", (*Model).goToText)
	case "f":
		m.ask("filter:", v.where, (*Model).setFilter)
	case "/":
		m.askText(func(m *Model) tea.Cmd { return m.find(false) })
	case "n":
		return m.find(false)
	case "N":
		return m.find(true)
	}
	return m.load()
}

func (m *Model) goToText(text string) (string, tea.Cmd) {
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "", " ", "").Replace(text), 10, 64)
	if err != nil || n < 0 {
		return "want the number of a row; rows are counted from 0", nil
	}
	return "", m.goTo(n)
}

// goTo moves to a row, which may first have to be looked for; to the last one if there are not as many.
func (m *Model) goTo(row int64) tea.Cmd {
	v := &m.rows
	n, all := v.count()
	if all || row < n {
		m.noteEnd(row)
		v.top = min(row, max(n-1, 0))
		v.moveTo(row)
		return m.load()
	}
	rows, until := v.rows, row
	if until < math.MaxInt64 {
		until++
	}
	return m.start(taskExtend, func(ctx context.Context, _ *atomic.Int64) func(*Model) tea.Cmd {
		err := rows.Extend(ctx, until)
		return func(m *Model) tea.Cmd {
			if err != nil {
				m.fail(err)
			}
			if m.rows.rows != rows {
				return nil
			}
			m.noteEnd(row)
			n, _ := rows.Count()
			m.rows.top = max(0, min(row, n-1))
			m.rows.moveTo(min(row, max(n-1, 0)))
			if _, all := rows.Count(); err == nil && !all && m.rows.where != "" {
				return tea.Batch(m.load(), m.extend())
			}
			return m.load()
		}
	})
}

// noteEnd says how many rows there are if a row that was asked for is beyond the last one.
func (m *Model) noteEnd(row int64) {
	if n, all := m.rows.count(); all && row >= n && row < math.MaxInt64 {
		m.note = "there " + map[bool]string{true: "is ", false: "are "}[n == 1] + counted(n, "row") + "; they are counted from 0"
	}
}

// setFilter shows only the rows for which a condition holds; "" = all.
func (m *Model) setFilter(where string) (string, tea.Cmd) {
	rows, err := m.data.Select(where)
	if err != nil {
		return err.Error(), nil
	}
	old := m.rows
	m.stop(taskPage)
	m.stop(taskFind)
	v := newRowsView(rows, where, 0)
	v.columns, v.frozen, v.left, v.at, v.widths, v.height = old.columns, old.frozen, old.left, old.at, old.widths, old.height
	m.rows = v
	m.prompt = nil
	if where == "" {
		m.stop(taskExtend)
		return "", m.load()
	}
	return "", tea.Batch(m.extend(), m.load())
}

// extend finds all rows of the filter.
func (m *Model) extend() tea.Cmd {
	rows := m.rows.rows
	return m.start(taskExtend, func(ctx context.Context, _ *atomic.Int64) func(*Model) tea.Cmd {
		err := rows.Extend(ctx, math.MaxInt64)
		return func(m *Model) tea.Cmd {
			if err != nil {
				m.fail(err)
			}
			if m.rows.rows != rows {
				return nil
			}
			m.rows.moveTo(m.rows.cursor)
			return m.load()
		}
	})
}
