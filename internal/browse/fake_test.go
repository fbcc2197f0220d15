package browse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// fakeData is files of many rows and columns. The cell of a row and a field says which it is.
type fakeData struct {
	files  int
	fields []Field
	rows   int64
	wide   map[int]int // widths of cells of some fields
}

func fakeOf(files, fields int, rows int64) *fakeData {
	d := &fakeData{files: files, rows: rows}
	for i := range fields {
		d.fields = append(d.fields, Field{Name: fmt.Sprintf("f%d", i), Type: "utf8"})
	}
	return d
}

func (d *fakeData) Title() string               { return "fake" }
func (d *fakeData) Fields() []Field             { return d.fields }
func (d *fakeData) Select(string) (Rows, error) { return fakeRows{d}, nil }

func (d *fakeData) Files() (names []string) {
	for i := range d.files {
		names = append(names, fmt.Sprintf("file%d", i))
	}
	return names
}

func (d *fakeData) Broken(i int) error {
	if d.files > 1 && i == d.files-1 {
		return errors.New("cannot be opened")
	}
	return nil
}

func (d *fakeData) File(_ context.Context, i int, details bool) (*File, error) {
	if err := d.Broken(i); err != nil {
		return nil, err
	}
	f := &File{Name: d.Files()[i], Details: details, GroupOf: "stripe"}
	for k := range 50 {
		f.Facts = append(f.Facts, Fact{fmt.Sprintf("fact %d", k), strings.Repeat("long ", map[int]int{0: 1000}[k]+1)})
		f.Groups = append(f.Groups, Group{First: int64(k), Rows: 1, Off: int64(k) * 1000, Bytes: 1000})
		f.Columns = append(f.Columns, Column{
			Name: fmt.Sprintf("f%d", k), Type: "utf8", Bytes: int64(k), Values: 7, Nulls: 3, Min: "a", Max: "b", Encodings: "PLAIN",
			Facts:  []Fact{{"sum", "14938 bytes"}, {"index", "row groups of 10"}, {"stored as", "string"}},
			Groups: []GroupValues{{Values: 5, Nulls: 2, Min: "c", Max: "d"}},
			Blocks: []Block{{Kind: "ROW_INDEX", Off: 17275, Bytes: 100}, {Kind: "DATA", Off: 100000, Bytes: 3 * hexBytes}, {Kind: "DATA", Off: -1, Elsewhere: "block 7"}},
		})
	}
	return f, nil
}

func (d *fakeData) Command(_ context.Context, s Seen) (string, string, error) {
	return fmt.Sprintf("arrowio %+v", s), "but", nil
}

func (d *fakeData) Bytes(_ context.Context, _ int, _ int64, n int) ([]byte, error) {
	return make([]byte, n), nil
}

func (d *fakeData) Explain(_ context.Context, _ int, off, end int64) ([]Note, error) {
	return []Note{{Off: off, End: end, Text: "all of it"}}, nil
}

type fakeRows struct{ d *fakeData }

func (r fakeRows) Count() (int64, bool) { return r.d.rows, true }

func (r fakeRows) Looked() (n, of int64)                                    { return r.d.rows, r.d.rows }
func (r fakeRows) Extend(context.Context, int64) error                      { return nil }
func (r fakeRows) Place(_ context.Context, _ int, row int64) (int64, error) { return row, nil }

// The files have as many rows each, but for the last, which is broken where there are several.
func (r fakeRows) each() int64 { return max(r.d.rows/int64(max(r.d.files-1, 1)), 1) }

func (r fakeRows) FileOf(row int64) int {
	if row < 0 || row >= r.d.rows {
		return -1
	}
	return int(row / r.each())
}

func (r fakeRows) FirstOf(_ context.Context, file int) (int64, bool, error) {
	row := int64(file) * r.each()
	return row, row < r.d.rows, nil
}

func (r fakeRows) Page(_ context.Context, columns []int, first int64, n int) (cells [][]string, err error) {
	for row := first; row < min(first+int64(n), r.d.rows); row++ {
		line := []string{}
		for _, c := range columns {
			cell := fmt.Sprintf("c%d.%d", c, row)
			line = append(line, cell+strings.Repeat("~", max(0, r.d.wide[c]-len(cell))))
		}
		cells = append(cells, line)
	}
	return cells, nil
}

func (r fakeRows) Record(ctx context.Context, row int64) ([]string, error) {
	columns := make([]int, len(r.d.fields))
	for i := range columns {
		columns[i] = i
	}
	cells, err := r.Page(ctx, columns, row, 1)
	return cells[0], err
}

func (r fakeRows) Find(_ context.Context, _ string, columns []int, from int64, back bool, _ func(int64)) (int64, int, bool, error) {
	if back {
		return from - 1, columns[0], from > 0, nil
	}
	return from + 1, columns[0], true, nil
}

// user is somebody before a screen.
type user struct {
	t *testing.T
	m *Model
}

func newUser(t *testing.T, d Data, o Options, width, height int) *user {
	t.Helper()
	m, err := New(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	m.ticking = true // nothing takes time here
	u := &user{t, m}
	u.obey(m.Init())
	u.resize(width, height)
	return u
}

// obey runs a command, and what comes of it.
func (u *user) obey(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			u.obey(c)
		}
	case done:
		_, next := u.m.Update(msg)
		u.obey(next)
	}
}

func (u *user) resize(width, height int) {
	_, cmd := u.m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	u.obey(cmd)
}

// press presses keys, by the names that bubbletea has for them.
func (u *user) press(keys ...string) {
	u.t.Helper()
	for _, key := range keys {
		msg := tea.KeyPressMsg{Text: key}
		if len([]rune(key)) == 1 {
			msg.Code = []rune(key)[0]
		} else {
			named, ok := map[string]tea.Key{
				"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "enter": {Code: tea.KeyEnter},
				"esc": {Code: tea.KeyEscape}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
				"tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "space": {Code: tea.KeySpace, Text: " "},
				"ctrl+b": {Code: 'b', Mod: tea.ModCtrl}, "ctrl+f": {Code: 'f', Mod: tea.ModCtrl}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+z": {Code: 'z', Mod: tea.ModCtrl},
			}[key]
			if !ok {
				u.t.Fatalf("no key %s", key)
			}
			msg = tea.KeyPressMsg(named)
		}
		if msg.String() != key {
			u.t.Fatalf("the key %s is called %s", key, msg.String())
		}
		_, cmd := u.m.Update(msg)
		u.obey(cmd)
		_ = u.screen() // which tells how many lines a text has
	}
}

// screen is what is seen, without styles.
func (u *user) screen() string {
	text, _ := u.m.screen()
	return ansi.Strip(text)
}

// sees checks that a text is on the screen.
func (u *user) sees(what, text string) {
	u.t.Helper()
	if !strings.Contains(u.screen(), text) {
		u.t.Errorf("%s: no %q on the screen:\n%s", what, text, u.screen())
	}
}
