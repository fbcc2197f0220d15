package browse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize"
)

// The views.
const (
	tabOverview = iota
	tabColumns
	tabLayout
	tabRows
	tabs
)

var tabNames = [tabs]string{"Overview", "Columns", "Layout", "Rows"}

// Least size of a terminal.
const (
	leastWidth  = 80
	leastHeight = 24
)

var errChanged = errors.New("the file is not the one that was opened: it has other columns")

// Model is the state of the screen. Only the goroutine of the screen uses it.
type Model struct {
	ctx     context.Context //nolint:containedctx // that of the program, for tasks
	data    Data
	mouse   bool
	stopped func() error // of Options
	width   int
	height  int

	tab    int
	rows   rowsView
	file   int
	of     fileView
	over   []*overlay
	prompt *prompt

	history  map[string][]string
	sought   string // text of the last search
	note     string // what to say until the next key
	fault    string // the same, and it is an error
	tasks    [kinds]*task
	lastTask int
	ticking  bool
	quits    bool
}

// Options say how a browser looks at first.
type Options struct {
	Where string       // a filter
	Mouse bool         // takes the mouse from the terminal, so that its wheel moves the cursor
	Rows  bool         // begins with the rows
	Stop  func() error // stops the process until the shell wakes it
}

// New returns the model of data. Cancelling ctx ends its tasks.
func New(ctx context.Context, data Data, o Options) (*Model, error) {
	m := &Model{ctx: ctx, data: data, mouse: o.Mouse, stopped: o.Stop, history: map[string][]string{}}
	rows, err := data.Select(o.Where)
	if err != nil {
		return nil, err
	}
	m.rows = newRowsView(rows, o.Where, len(data.Fields()))
	if o.Rows {
		m.tab = tabRows
	}
	files, broken := data.Files(), 0
	for i := range files {
		if data.Broken(i) != nil {
			broken++
		}
	}
	if broken > 0 {
		m.fault = fmt.Sprintf("%s of %s cannot be opened, and the rows are those of the others: o lists them", humanize.Comma(int64(broken)), counted(int64(len(files)), "file"))
	}
	return m, nil
}

// Run shows data on a terminal until the user leaves. Cancelling ctx leaves, too, with the context's cause as error. The terminal is as it was
// before when Run returns.
func Run(ctx context.Context, data Data, o Options, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, err := New(ctx, data, o)
	if err != nil {
		return err
	}
	// Signals are the command's, which cancels ctx.
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler())
	_, err = p.Run()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// Init begins to read what the first view shows.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.readFile(taskFile, false)}
	if m.rows.where != "" {
		cmds = append(cmds, m.extend())
	}
	return tea.Batch(cmds...)
}

// Update changes the state.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		if m.small() { // what was seen is seen again when it is larger
			return m, nil
		}
		m.rows.height = max(1, m.bodyHeight()-1)
		m.rows.scroll()
		return m, m.load()
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.PasteMsg:
		if m.prompt != nil {
			m.prompt.insert(msg.Content)
		}
	case tea.MouseWheelMsg:
		key := "down"
		if msg.Mouse().Button == tea.MouseWheelUp {
			key = "up"
		}
		if m.prompt == nil {
			var cmds []tea.Cmd
			for range 3 {
				cmds = append(cmds, m.move(key))
			}
			return m, tea.Batch(cmds...)
		}
	case woken:
		if m.note = "back from the shell"; msg.err != nil {
			m.note = msg.err.Error()
		}
	case done:
		return m, m.ended(msg)
	case ticked:
		return m, tea.Batch(m.tickAgain(), m.load())
	}
	return m, nil
}

func (m *Model) fail(err error) {
	if !errors.Is(err, context.Canceled) {
		m.fault = err.Error()
	}
}

// Lines of the screen that the views do not have: title, views, status, keys.
const frameLines = 4

func (m *Model) bodyHeight() int {
	h := m.height - frameLines
	if m.prompt != nil {
		h-- // what was wrong with the text
	}
	return max(h, 1)
}

// View draws the screen.
func (m *Model) View() tea.View {
	text, cursor := m.screen()
	v := tea.NewView(text)
	v.AltScreen = true
	v.Cursor = cursor
	v.WindowTitle = "arrowio " + safe(m.data.Title())
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// small reports whether the terminal has no room for the views.
func (m *Model) small() bool { return m.width < leastWidth || m.height < leastHeight }

func (m *Model) screen() (string, *tea.Cursor) {
	switch {
	case m.width == 0 || m.quits:
		return "", nil
	case m.small():
		text := fmt.Sprintf("arrowio browse needs a terminal of at least %d×%d characters; this one has %d×%d. Make it larger, or press q.", leastWidth, leastHeight, m.width, m.height)
		lines := wrap(text, m.width)
		if len(lines) > m.height {
			lines = wrap(fmt.Sprintf("needs %d×%d, has %d×%d; q leaves", leastWidth, leastHeight, m.width, m.height), m.width)
		}
		return strings.Join(lines[:min(len(lines), max(m.height, 1))], "\n"), nil
	}
	lines := []string{m.titleLine(), m.tabLine()}
	body := m.body(m.width, m.bodyHeight())
	for i := range m.bodyHeight() {
		text := ""
		if i < len(body) {
			text = body[i]
		}
		lines = append(lines, text)
	}
	if m.prompt == nil {
		return strings.Join(append(lines, m.statusLine(), m.keyLine()), "\n"), nil
	}
	text, column := m.prompt.view(m.width)
	fault := wrap(safe(m.prompt.fault), m.width)
	if len(fault) > 2 {
		fault = []string{fault[0], cut(strings.Join(fault[1:], " "), m.width)}
	}
	for len(fault) < 2 {
		fault = append(fault, "")
	}
	if m.prompt.fault == "" {
		fault[1] = styled(faint, "Enter done  Esc back  ↑↓ earlier texts")
	} else {
		fault[0], fault[1] = styled(failure, fault[0]), styled(failure, fault[1])
	}
	y := len(lines)
	return strings.Join(append(lines, text, fault[0], fault[1]), "\n"), tea.NewCursor(column, y)
}

func (m *Model) titleLine() string {
	left := " arrowio  " + safe(m.data.Title())
	right := ""
	if files := m.data.Files(); len(files) > 1 {
		right = fmt.Sprintf("file %s of %s ", humanize.Comma(int64(m.shownFile()+1)), humanize.Comma(int64(len(files))))
	}
	return styled(reverse, fit(cut(left, m.width-wide(right)-1), m.width-wide(right), false)+right)
}

func (m *Model) tabLine() string {
	var b strings.Builder
	used := 0
	for i, name := range tabNames {
		text := fmt.Sprintf(" %d %s ", i+1, name)
		used += wide(text) + 1
		if i == m.tab {
			b.WriteString(styled("\x1b[1;4m", text))
		} else {
			b.WriteString(styled(faint, text))
		}
		b.WriteByte(' ')
	}
	if m.rows.where != "" {
		b.WriteString(styled(notice, cut("  filter: "+safe(m.rows.where), m.width-used)))
	}
	return b.String()
}

func (m *Model) body(width, height int) []string {
	if o := m.topmost(); o != nil {
		if o.list == nil && o.text == nil && o.fault == nil {
			return []string{styled(bold, cut(o.title, width)), "reading …"}
		}
		return o.view(width, height)
	}
	if m.tab == tabRows {
		v := &m.rows
		if v.failed != nil && v.failure.holds(v.top, 1, nil) {
			out := []string{styled(failure, fmt.Sprintf("rows %s to %s cannot be read:", humanize.Comma(v.failure.first), humanize.Comma(v.failure.first+v.failure.n-1)))}
			for _, l := range wrap(safe(v.failed.Error()), width) {
				out = append(out, styled(failure, l))
			}
			return append(out, "", "Other rows may be sound: page on, or go to a row with :.")
		}
		if n, all := v.count(); all && n == 0 {
			if v.where != "" {
				return []string{"no row matches the filter"}
			}
			return []string{"there are no rows"}
		}
		return v.view(m.data.Fields(), width, height)
	}
	l := m.list()
	switch {
	case l != nil && len(l.rows) == 0:
		return []string{"the file says nothing about this"}
	case l != nil:
		return l.view(width, height)
	case m.of.fault != nil:
		var out []string
		for _, l := range wrap(safe(m.of.fault.Error()), width) {
			out = append(out, styled(failure, l))
		}
		return out
	}
	return []string{"reading …"}
}

// list returns the list of the view that is open; nil = it is the rows, or it is not read yet.
func (m *Model) list() *list {
	switch m.tab {
	case tabOverview:
		return m.of.facts
	case tabColumns:
		return m.of.columns
	case tabLayout:
		return m.of.groups
	}
	return nil
}

// slow is how long a task runs before the screen says so.
const slow = 150 * time.Millisecond

func (m *Model) statusLine() string {
	if m.fault != "" {
		return styled(failure, cut(safe(m.fault), m.width))
	}
	if m.note != "" {
		return styled(notice, cut(safe(m.note), m.width))
	}
	var busy []string
	for k, t := range m.tasks {
		if t == nil || time.Since(t.since) < slow {
			continue
		}
		text := kindNames[k]
		switch kind(k) {
		case taskFind:
			text += fmt.Sprintf(" %q: %s", m.sought, counted(t.rows.Load(), "row"))
		case taskExtend:
			n, of := m.rows.rows.Looked()
			if text += ": " + humanize.Comma(n); of > 0 {
				text += fmt.Sprintf(" of %s (%d%%)", humanize.Comma(of), 100*n/max(of, 1))
			}
		}
		busy = append(busy, text)
	}
	switch status := m.status(); {
	case len(busy) > 0:
		text := strings.Join(busy, ", ") + " … Esc stops"
		return styled(notice, cut(text, m.width*2/3)) + "  " + styled(faint, cut(status, max(0, m.width-min(wide(text), m.width*2/3)-2)))
	default:
		return styled(faint, cut(status, m.width))
	}
}

func (m *Model) status() string {
	if o := m.topmost(); o != nil {
		switch {
		case o.list != nil && len(o.list.rows) > 0:
			return o.list.status()
		case o.list == nil && o.lines > o.page && o.page > 0:
			return fmt.Sprintf("lines %s to %s of %s", humanize.Comma(int64(o.top+1)), humanize.Comma(int64(min(o.top+o.page, o.lines))), humanize.Comma(int64(o.lines)))
		}
		return ""
	}
	if m.tab == tabRows {
		return m.rows.status(m.data.Fields())
	}
	l := m.list()
	if l == nil || len(l.rows) == 0 {
		return ""
	}
	return l.status()
}

func (m *Model) keyLine() string {
	return styled(faint, hints(m.place(), len(m.data.Files()) > 1, m.width))
}
