package browse

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// walks lead to every place, and into its middle.
var walks = map[place][]string{
	inOverview:   {"1", "down", "down", "pgdown", "down"},
	inColumns:    {"2", "s", "pgdown", "down", "down", "right"},
	inLayout:     {"3", "s", "pgdown", "down", "down", "right"},
	inRows:       {"4", "/", "x", "enter", "pgdown", "pgdown", "right", "right", ">"},
	inRecord:     {"4", "pgdown", "right", "right", ">", ">", ">", ">", "enter", "s"},
	inColumn:     {"2", "enter", "s", "down", "down", "right"},
	inStatistics: {"2", "enter", "enter", "down", "down"},
	inText:       {"1", "enter", "pgdown", "down"},
	inBytes:      {"2", "enter", "end", "up", "enter", ">", "pgdown", "down"},
	inChoice:     {"4", "pgdown", "right", "right", ">", ">", ">", ">", "c", "space"},
	inFiles:      {"o", "down"},
}

// Each key that help lists in a view does something there, or says why it does not.
func TestKeysDoSomething(t *testing.T) {
	for at, walk := range walks {
		for _, b := range keysAt(at) {
			for _, key := range b.keys {
				for _, files := range []int{5, 1} {
					if files == 1 && at == inFiles {
						continue
					}
					if !works(t, at, walk, files, key) && !works(t, at, append(slices.Clone(walk), "right"), files, key) {
						t.Errorf("%s: the key %s does nothing", placeNames[at], key)
					}
				}
			}
		}
		u := newUser(t, fakeOf(5, 100, 1000), Options{}, 80, 200)
		u.press(walk...)
		u.press("?")
		for _, b := range keysAt(at) {
			u.sees("help", b.help)
		}
		for _, line := range helpLines(at) {
			if wide(line) > leastWidth {
				t.Errorf("a line of help is too long: %s", line)
			}
		}
	}
}

// works reports whether a key does something, or says why it does not.
func works(t *testing.T, at place, walk []string, files int, key string) bool {
	t.Helper()
	u := newUser(t, fakeOf(files, 100, 1000), Options{}, 80, 24)
	if files > 1 {
		u.press("]")
	}
	u.press(walk...)
	if u.m.place() != at {
		t.Fatalf("%s: the keys %q do not lead there:\n%s", placeNames[at], walk, u.screen())
	}
	before, _ := u.m.screen()
	u.press(key)
	after, _ := u.m.screen()
	return u.m.quits || u.m.prompt != nil || u.m.note != "" || before != after
}

// A key that is not listed does nothing.
func TestOtherKeys(t *testing.T) {
	for at, walk := range walks {
		listed := map[string]bool{}
		for _, b := range keysAt(at) {
			for _, key := range b.keys {
				listed[key] = true
			}
		}
		u := newUser(t, fakeOf(5, 100, 1000), Options{}, 80, 24)
		u.press(walk...)
		before := u.screen()
		for c := '!'; c <= '~'; c++ {
			if key := string(c); !listed[key] {
				if u.press(key); u.screen() != before {
					t.Errorf("%s: the key %s does something", placeNames[at], key)
					before = u.screen()
				}
			}
		}
	}
}

// The page about the browser has all keys.
func TestKeysInDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/browse.md")
	if err != nil {
		t.Fatal(err)
	}
	for at := range walks {
		for _, b := range keysAt(at) {
			if line := fmt.Sprintf("| `%s` | %s |", b.label, b.help); !strings.Contains(string(text), line) {
				t.Errorf("docs/browse.md has not: %s", line)
			}
		}
	}
	for _, k := range typing {
		if line := fmt.Sprintf("| `%s` | %s |", k[0], k[1]); !strings.Contains(string(text), line) {
			t.Errorf("docs/browse.md has not: %s", line)
		}
	}
}

// The bottom line has whole hints, as many as there is room for, and always those for help and for leaving.
func TestHints(t *testing.T) {
	for at := range walks {
		for width := leastWidth; width < 200; width++ {
			for _, several := range []bool{false, true} {
				got := hints(at, several, width)
				if wide(got) > width || strings.Contains(got, ellipsis) || !strings.Contains(got, "? help  ") || !strings.HasSuffix(got, "q quit") && !strings.HasSuffix(got, "Esc back") {
					t.Fatalf("%s, %d columns: %s", placeNames[at], width, got)
				}
			}
		}
		if long, short := hints(at, false, 200), hints(at, false, leastWidth); len(short) > len(long) {
			t.Errorf("%s is longer than %s", short, long)
		}
	}
	if got := counted(1, "row") + counted(2000, "row"); got != "1 row2,000 rows" {
		t.Error(got)
	}
}

// The last of very many columns is seen, whatever the size of the screen.
func TestVeryManyColumns(t *testing.T) {
	for _, n := range []int{1, 2, 3, 30, 3000, 10000} {
		d := fakeOf(1, n, 100)
		d.wide = map[int]int{n - 1: 10, n / 2: 500, n - 3: 30}
		u := newUser(t, d, Options{Rows: true}, 80, 24)
		cell := func(c int) string { return (fakeRows{d}).cell(c, 0) }
		u.press("$")
		u.sees("$", " "+cell(n-1))
		for _, size := range [][2]int{{200, 50}, {80, 24}, {120, 40}} {
			u.resize(size[0], size[1])
			u.sees("another size", " "+cell(n-1))
		}
		u.press("z", "z")
		u.sees("without a column on the left", " "+cell(n-1))
		u.press("z", "^")
		u.sees("^", " "+cell(0))
		u.press("$", "home", "0")
		u.sees("0", " "+cell(0))
		if n > 3000 {
			continue
		}
		// All columns come by, there and back.
		for _, key := range []string{">", "<"} {
			seen := map[int]bool{}
			look := func() {
				for _, word := range strings.Fields(u.screen()) {
					if name, _, ok := strings.Cut(strings.TrimSuffix(word, ellipsis), ".0"); ok && strings.HasPrefix(name, "c") {
						seen[slices.IndexFunc(d.fields, func(f Field) bool { return f.Name == "f"+name[1:] })] = true
					}
				}
			}
			for last := -1; u.m.rows.at != last; {
				last = u.m.rows.at
				look()
				u.press(key)
			}
			if look(); len(seen) != n {
				t.Errorf("%s shows %d of %d columns", key, len(seen), n)
			}
		}
	}
}

func (r fakeRows) cell(column int, row int64) string {
	cells, _ := r.Page(nil, []int{column}, row, 1) //nolint:staticcheck // it is not used
	return cells[0][0][:min(len(cells[0][0]), 20)]
}

// Files without columns or rows are shown, and every key can be pressed there.
func TestNothingThere(t *testing.T) {
	for _, c := range []struct {
		fields int
		rows   int64
		text   string
	}{{0, 3, "3 rows"}, {0, 0, "there are no rows"}, {5, 0, "there are no rows"}, {5, 1, "1 row ·"}} {
		for _, b := range bindings() {
			for _, key := range b.keys {
				u := newUser(t, fakeOf(1, c.fields, c.rows), Options{Rows: true}, 80, 24)
				u.sees("rows", c.text)
				if c.fields == 0 && c.rows > 0 {
					u.sees("the last row", "\n  2")
				}
				u.press(key)
				_ = u.screen()
				u.press("esc")
			}
		}
	}
}

// A row beyond the last one is told, and how many there are.
func TestGoBeyondTheLastRow(t *testing.T) {
	for _, c := range []struct{ row, note string }{{"99", ""}, {"100", "there are 100 rows; they are counted from 0"}, {"123456", "there are 100 rows; they are counted from 0"}} {
		u := newUser(t, fakeOf(1, 10, 100), Options{Rows: true}, 80, 24)
		u.press(":")
		u.types(c.row)
		u.press("enter")
		if u.m.note != c.note || u.m.rows.cursor != 99 {
			t.Errorf("%s: %q in row %d", c.row, u.m.note, u.m.rows.cursor)
		}
	}
}

// Enter on a line about a column shows what the line stands for.
func TestColumnLines(t *testing.T) {
	for down, want := range []string{"least value", "14938 bytes", "17275-17375 (0x437b-0x43df)", "string", "greatest value", "0x437b  ", "0x186a0  ", "not in one place of this file: block 7"} {
		u := newUser(t, fakeOf(1, 10, 10), Options{}, 80, 24)
		u.press("2", "enter")
		for range down {
			u.press("down")
		}
		u.press("enter")
		u.sees("line", want)
	}
}

// An offset is decimal or hexadecimal, and one that is outside is refused.
func TestGoToOffset(t *testing.T) {
	for text, want := range map[string]string{
		"100000": "    0x186a0  ", "0x186a0": "bytes 100,000 to 116,384 (0x186a0 to 0x1c6a0) of", "117,000": "bytes 116,992 to 133,376", "0X1C908": "bytes 116,992 to 133,376",
		"99999": "want an offset from 100000 to 149151, or from 0x186a0 to 0x2469f", "149152": "want an offset", "x": "want an offset", "-1": "want an offset", "": "want an offset",
	} {
		u := newUser(t, fakeOf(1, 10, 10), Options{}, 120, 24)
		u.press("2", "enter", "end", "up", "enter", ":")
		for _, c := range text {
			u.press(string(c))
		}
		u.press("enter")
		u.sees(text, want)
	}
	if n, ok := parseOffset("9223372036854775808"); ok || n != math.MaxInt64 {
		t.Errorf("%d, %v", n, ok)
	}
}

// A terminal that is too small says so within its size, and what was shown comes back.
func TestSmallTerminal(t *testing.T) {
	u := newUser(t, fakeOf(1, 10, 100), Options{Rows: true}, 80, 24)
	u.press("down", "down")
	before := u.screen()
	for _, size := range [][2]int{{79, 24}, {80, 23}, {20, 5}, {20, 2}} {
		u.resize(size[0], size[1])
		u.sees("size", "80×24")
		for _, text := range []string{"q", fmt.Sprintf("%d×%d", size[0], size[1])} {
			u.sees("size", text)
		}
		if n := strings.Count(u.screen(), "\n"); n >= size[1] {
			t.Errorf("%d lines on %d×%d", n+1, size[0], size[1])
		}
	}
	if u.resize(80, 24); u.screen() != before {
		t.Errorf("after small sizes: %s", u.screen())
	}
	u.resize(20, 5)
	u.press("q")
	if !u.m.quits {
		t.Error("q does not leave")
	}
}
