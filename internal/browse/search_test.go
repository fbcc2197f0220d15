package browse

import (
	"strings"
	"testing"
)

// cursorLine returns the line of a list under the cursor, as words.
func (u *user) cursorLine() string {
	l := u.m.shownList()
	return strings.Join(strings.Fields(strings.Join(l.rows[l.at()], " ")), " ")
}

func (u *user) types(text string) {
	u.t.Helper()
	for _, c := range text {
		u.press(strings.Replace(string(c), " ", "space", 1))
	}
}

// A search goes through the lines of each list, in the order in which they are shown, and around.
func TestSearchInLists(t *testing.T) {
	for _, c := range []struct {
		walk []string
		text string
		want string // what is under the cursor begins so
	}{
		{[]string{"2"}, "f33", "f33 "},
		{[]string{"2", "s", "S"}, "f7", "f7 "},
		{[]string{"2", "end"}, "f3", "f3 "},
		{[]string{"1"}, "fact 44", "fact 44 "},
		{[]string{"3"}, "41,000", "41 "},
		{[]string{"2", "enter"}, "sum", "sum "},
		{[]string{"2", "enter"}, "17,275", "stripe 0 ROW_INDEX "},
		{[]string{"2", "enter", "enter"}, "least", "least value "},
		{[]string{"4", "enter"}, "f88", "f88 "},
		{[]string{"4", "enter"}, "c77.", "f77 "},
		{[]string{"4", "c"}, "f66", "[x] f66 "},
		{[]string{"o"}, "cannot", "5 file4 "},
	} {
		u := newUser(t, fakeOf(5, 100, 1000), Options{}, 80, 24)
		u.press(c.walk...)
		u.press("/")
		u.types(c.text)
		u.press("enter")
		if got := u.cursorLine(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, %s: the cursor is on %q, want %q", c.walk, c.text, got, c.want)
		}
		u.sees(c.text, strings.Fields(c.want)[0])
	}
	u := newUser(t, fakeOf(1, 100, 1000), Options{}, 80, 24)
	u.press("2", "n")
	u.sees("n", noText)
	u.press("/", "4", "8", "enter", "n")
	u.sees("n", "no other line has the text")
	u.press("/", "F", "4", "enter")
	u.sees("capitals", "no line has the text")
	u.press("/", "f", "4", "enter")
	if got := u.cursorLine(); !strings.HasPrefix(got, "f48 ") { // the line under the cursor counts
		t.Error(got)
	}
	u.press("n", "n")
	u.sees("beyond the last line", "from the first line on")
	if got := u.cursorLine(); !strings.HasPrefix(got, "f4 ") {
		t.Error(got)
	}
	u.press("N")
	u.sees("beyond the first line", "from the last line on")
	if got := u.cursorLine(); !strings.HasPrefix(got, "f49 ") {
		t.Error(got)
	}
	// The text is that of the rows, too.
	u.press("4", "n")
	if u.m.rows.hit.column < 0 {
		t.Error("the rows were not searched")
	}
}

// In a prompt Ctrl-C and Esc go back to what was seen.
func TestLeavingAPrompt(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		u := newUser(t, fakeOf(1, 10, 100), Options{}, 80, 24)
		u.press("2")
		before := u.screen()
		u.press("/", "f", "5", key)
		if u.m.quits || u.m.prompt != nil || u.screen() != before {
			t.Errorf("%s: %s", key, u.screen())
		}
	}
	u := newUser(t, fakeOf(1, 10, 100), Options{Rows: true}, 80, 24)
	u.press("f", "x", "ctrl+z")
	if u.m.prompt == nil || u.m.note != "stopping …" {
		t.Errorf("Ctrl-Z: %q", u.m.note)
	}
}

// In the rows [ and ] go to the first rows of files, and the other views are about the file of the row under the cursor.
func TestFilesInRows(t *testing.T) {
	u := newUser(t, fakeOf(5, 10, 1000), Options{Rows: true}, 80, 24) // four files of 250 rows, and a broken one
	at := func(row int64, text string) {
		t.Helper()
		if u.m.rows.cursor != row {
			t.Errorf("the cursor is in row %d, want %d", u.m.rows.cursor, row)
		}
		u.sees("file", text)
	}
	u.press("]")
	at(250, "file 2 of 5")
	u.press("]")
	at(500, "file 3 of 5")
	u.press("down", "[")
	at(250, "file 2 of 5")
	u.press("[", "[")
	at(0, "this is the first file")
	u.press("]", "]", "]", "]")
	at(750, "no file after this one has rows")
	u.press("1")
	u.sees("file", "file 4 of 5")
	u.press("[", "4")
	at(500, "file 3 of 5")
	u.press("up", "2")
	u.sees("file", "file 2 of 5")
	u.press("4")
	at(499, "file 2 of 5")
	u.press("o", "home", "enter")
	at(0, "file 1 of 5")
	u.press("o", "end", "enter")
	u.sees("a broken file", "cannot be opened")
	u.sees("a broken file", "file 5 of 5")
	u.press("4")
	at(0, "file 1 of 5")
	u.press("s", "]")
	at(250, "file 2 of 5")
}

// The command that y copies is about what is seen.
func TestCopiedCommandIsAboutTheView(t *testing.T) {
	for key, want := range map[string]string{"1": "Blocks:false", "2": "Blocks:false", "3": "Blocks:true"} {
		u := newUser(t, fakeOf(1, 10, 100), Options{}, 200, 24)
		u.press(key, "y")
		u.sees(key, want)
	}
}
