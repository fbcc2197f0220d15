package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/browse"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// shellWords divides a command line as a POSIX shell does one of words and words in single quotes.
func shellWords(line string) (words []string) {
	word, quoted, any := "", false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			quoted, any = !quoted, true
		case c == '\\' && !quoted:
			i++
			word, any = word+line[i:i+1], true
		case c == ' ' && !quoted:
			if any {
				words = append(words, word)
			}
			word, any = "", false
		default:
			word, any = word+string(c), true
		}
	}
	if any {
		words = append(words, word)
	}
	return words
}

// What y copies prints, when it is run, the rows that are on the screen, in their order.
func TestCopiedCommandPrintsWhatIsSeen(t *testing.T) {
	const pruning, nested, typed = "../../testdata/orc/java-2.3.1/pruning.orc", "../../testdata/trevni/java-1.12.1/avro-nested.trv", "'people of mine.csv"
	dir := t.TempDir()
	people := filepath.Join(dir, typed)
	if err := os.WriteFile(people, []byte("name,n,t\nb,2,it's\na,3,$x\nc,1,\nd,,\"a, b\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string // of browse
		where string
		seen  browse.Seen // but for its rows
		but   string
	}{
		{[]string{pruning}, "", browse.Seen{First: 4321, Last: 4341}, ""},
		{[]string{pruning}, "id__mono >= 300 AND group__days = 0", browse.Seen{First: 7, Last: 26, Columns: []int{4, 0}}, ""},
		{[]string{pruning}, "city__dict__r10 = 'k7' OR name__seq = 'it''s'", browse.Seen{First: 3, Last: 4}, ""},
		{[]string{"--columns=name__seq,id__mono", pruning}, "id__mono < 90", browse.Seen{First: 0, Last: 20}, ""},
		{[]string{"--exclude=place__saw__r10.x,tags__dict__r99", pruning}, "", browse.Seen{First: 0, Last: 5}, ""},
		{[]string{"--where=id__mono > 30", pruning}, "(id__mono > 30) AND (amount__small > 0)", browse.Seen{First: 10, Last: 30}, ""},
		{[]string{pruning}, "", browse.Seen{First: 0, Last: 1000, Sorted: true, By: 4, Most: 30}, ""},
		{[]string{pruning}, "group__days = 0", browse.Seen{First: 0, Last: 100, Sorted: true, By: 3, Desc: true, Most: 100, Columns: []int{3, 0}}, ""},
		{[]string{pruning}, "", browse.Seen{First: 0, Last: 20, Sorted: true, By: 9, Most: 20}, "cannot sort by this column"},
		{[]string{nested, pruning}, "", browse.Seen{First: 70, Last: 90}, ""},
		{[]string{nested, pruning}, "id__mono = 900 OR id__mono = 903 OR id__mono = 906", browse.Seen{First: 1, Last: 3}, ""},
		{[]string{people}, "n > 1", browse.Seen{First: 1, Last: 2}, ""},
		{[]string{people}, "", browse.Seen{First: 0, Last: 4, Sorted: true, By: 1, Most: 4}, ""},
		{[]string{people, pruning}, "id__mono = 3", browse.Seen{First: 0, Last: 1}, "all rows that match"},
	} {
		b := browsedWith(t, c.args...)
		rows, err := b.Select(c.where)
		if err != nil {
			t.Fatal(err)
		}
		if err := rows.Extend(t.Context(), 1<<40); err != nil {
			t.Fatal(err)
		}
		c.seen.Rows, c.seen.Where = rows, c.where
		command, but, err := b.Command(t.Context(), c.seen)
		if err != nil || !strings.Contains(but, c.but) || c.but == "" && but != "" {
			t.Errorf("%s: %s, %v", command, but, err)
			continue
		}
		want := seenRows(t, b, c.seen)
		got := printedRows(t, b, c.seen, command)
		if !slices.EqualFunc(got, want, slices.Equal[[]string]) && c.but != "all rows that match" {
			t.Errorf("%s prints\n%q\nand these are seen\n%q", command, got, want)
		}
	}
}

// seenRows returns the cells that are on the screen.
func seenRows(t *testing.T, b *browsed, s browse.Seen) [][]string {
	t.Helper()
	columns := s.Columns
	if columns == nil {
		for k := range b.Fields() {
			columns = append(columns, k)
		}
	}
	cells, err := s.Rows.Page(t.Context(), columns, s.First, int(s.Last-s.First))
	if err != nil {
		t.Fatal(err)
	}
	if s.Sorted && b.Fields()[s.By].Type != "struct<x: int8, y: int16>" && !strings.HasPrefix(b.Fields()[s.By].Type, "list") {
		keys, err := s.Rows.Page(t.Context(), []int{s.By}, s.First, int(s.Last-s.First))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, k := range keys {
			texts = append(texts, k[0])
		}
		var ordered [][]string
		for _, i := range browse.Order(texts, b.Fields()[s.By].Number, s.Desc) {
			ordered = append(ordered, cells[i])
		}
		cells = ordered[:s.Most]
	}
	return cells
}

// printedRows runs a command, and returns what it prints as cells of the screen, by having its rows browsed.
func printedRows(t *testing.T, b *browsed, s browse.Seen, command string) [][]string {
	t.Helper()
	words := shellWords(command)
	if words[0] != "arrowio" {
		t.Fatal(command)
	}
	args := words[1:]
	out := filepath.Join(t.TempDir(), "out.arrow")
	if args[0] == "cat" { // the same rows in a file with their types
		args = append(append([]string{"convert"}, args[1:]...), out)
		ok(t, words[1:]...) // it can be run as it is, too
	} else {
		ok(t, args...)
		args[slices.Index(args, "jsonl")], args[len(args)-1] = "ipc", out
	}
	if o := do(t, args...); o.code != 0 {
		t.Fatalf("%s: %s", command, o.err)
	}
	printed := browsedOf(t, out)
	rows, err := printed.Select("")
	if err != nil {
		t.Fatal(err)
	}
	var columns []int
	for k := range printed.Fields() {
		columns = append(columns, k)
	}
	cells, err := rows.Page(context.Background(), columns, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

// browsedWith opens inputs as arrowio browse does with flags.
func browsedWith(t *testing.T, args ...string) *browsed {
	t.Helper()
	var b *browsed
	a := newApp(t.Context(), strings.NewReader(""), os.Stdout, os.Stderr)
	f := &browseFlags{selectFlags: &selectFlags{}}
	cmd := a.browseCommandOf(f)
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	b, err := a.openBrowsed(t.Context(), f, cmd.Flags().Args())
	if err != nil {
		t.Fatal(err)
	}
	b.command = commandFlags(cmd.Flags(), cmd.Flags().Args())
	t.Cleanup(func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
		if err := a.leavePlaces(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// In the views about a file y copies an inspect of it.
func TestCopiedCommandInspects(t *testing.T) {
	const one, two = "../../testdata/orc/java-2.3.1/pruning.orc", "../../testdata/trevni/java-1.12.1/avro-nested.trv"
	for _, c := range []struct {
		args []string
		seen browse.Seen
		want string
	}{
		{[]string{"--columns=id__mono", "--exclude=name__seq", one}, browse.Seen{}, "arrowio inspect " + one},
		{[]string{"--timestamp-unit=us", one}, browse.Seen{Blocks: true}, "arrowio inspect --timestamp-unit=us --blocks " + one},
		{[]string{one, two}, browse.Seen{File: 1}, "arrowio inspect " + two},
	} {
		b := browsedWith(t, c.args...)
		got, but, err := b.Command(t.Context(), c.seen)
		if err != nil || but != "" || got != c.want {
			t.Errorf("%s, %s, %v; want %s", got, but, err, c.want)
		}
		file, err := b.File(t.Context(), c.seen.File, true)
		if err != nil {
			t.Fatal(err)
		}
		printed := ok(t, shellWords(got)[1:]...)
		for _, column := range file.Columns {
			if !strings.Contains(printed, column.Name) {
				t.Errorf("%s does not tell of %s:\n%s", got, column.Name, printed)
			}
		}
	}
}

// A file of a directory that cannot be opened is listed with its error, and the others are shown.
func TestBrowseBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	whole := fixtures.Read(t, "../../testdata/orc/java-2.3.1/pruning.orc")
	for name, b := range map[string][]byte{"a.orc": whole[:len(whole)/2], "b.orc": whole, "c.orc": whole[:100], "d.orc": whole} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b := browsedOf(t, dir)
	var sound, broken []string
	for i, name := range b.Files() {
		_, err := b.File(t.Context(), i, true)
		if (err == nil) != (b.Broken(i) == nil) || err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, err, b.Broken(i))
		}
		if _, err := b.Bytes(t.Context(), i, 0, 3); (err == nil) != (b.Broken(i) == nil) {
			t.Errorf("%s: %v", name, err)
		}
		if b.Broken(i) == nil {
			sound = append(sound, filepath.Base(name))
		} else {
			broken = append(broken, filepath.Base(name))
		}
	}
	if got, want := strings.Join(append(sound, broken...), " "), "b.orc d.orc a.orc c.orc"; got != want {
		t.Errorf("the files are %s, want %s", got, want)
	}
	rows, err := b.Select("")
	if err != nil {
		t.Fatal(err)
	}
	if page, err := rows.Page(t.Context(), []int{0}, 6000, 1<<20); err != nil || len(page) != 6000 {
		t.Errorf("%d rows, %v", len(page), err)
	}
	file, err := b.File(t.Context(), 0, false)
	if err != nil {
		t.Fatal(err)
	}
	told, _ := json.Marshal(file.Facts)
	if text := string(told); strings.Count(text, "left out") != 2 || !strings.Contains(text, `{"Name":"files","Value":"4"}`) {
		t.Errorf("%s", told)
	}
	// All of them: that is an error, as for other commands.
	for _, name := range []string{"b.orc", "d.orc"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	a := newApp(t.Context(), strings.NewReader(""), os.Stdout, os.Stderr)
	f := &browseFlags{selectFlags: &selectFlags{}}
	a.browseCommandOf(f)
	if _, err := a.openBrowsed(t.Context(), f, []string{dir}); err == nil || !strings.Contains(err.Error(), "a.orc") {
		t.Errorf("no sound file: %v", err)
	}
}

// Of several INPUTs one that is not there, and a broken file, are listed with their errors.
func TestBrowseMissingInputs(t *testing.T) {
	dir := t.TempDir()
	const sound = "../../testdata/orc/java-2.3.1/pruning.orc"
	missing, broken := filepath.Join(dir, "missing.orc"), filepath.Join(dir, "broken.orc")
	if err := os.WriteFile(broken, fixtures.Read(t, sound)[:2000], 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, broken []string }{
		{[]string{sound, missing}, []string{missing}},
		{[]string{missing, sound}, []string{missing}},
		{[]string{broken, sound}, []string{broken}},
		{[]string{missing, broken, sound, sound}, []string{broken, missing}},
		{[]string{filepath.Join(dir, "none*.orc"), sound}, []string{filepath.Join(dir, "none*.orc")}},
	} {
		b := browsedOf(t, c.args...)
		var got []string
		for i, name := range b.Files() {
			if err := b.Broken(i); err != nil {
				if strings.Count(err.Error(), name) != 1 {
					t.Errorf("%s: %v", name, err)
				}
				got = append(got, name)
			}
		}
		if !slices.Equal(got, c.broken) || len(b.Files()) != len(c.args) {
			t.Errorf("%q: broken are %q of %d files", c.args, got, len(b.Files()))
		}
	}
	a := newApp(t.Context(), strings.NewReader(""), os.Stdout, os.Stderr)
	for _, args := range [][]string{{missing}, {missing, missing + "x"}, {missing, broken}} {
		f := &browseFlags{selectFlags: &selectFlags{}}
		a.browseCommandOf(f)
		if _, err := a.openBrowsed(t.Context(), f, args); err == nil {
			t.Errorf("%q were opened", args)
		}
	}
}

// The range of rows that other commands take has an error that says how to go to a row.
func TestBrowseRowsIsNoRange(t *testing.T) {
	const sound = "../../testdata/orc/java-2.3.1/pruning.orc"
	for _, args := range [][]string{{"--rows", "10:20", sound}, {"--rows=10:20", sound}, {sound, "--rows", "5:"}} {
		o := do(t, append([]string{"browse"}, args...)...)
		if o.code != exitUsage || !strings.Contains(o.err, "the key : goes to one; arrowio cat --rows prints a range") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	if o := do(t, "browse", "--rows=true", sound); !strings.Contains(o.err, "needs a terminal") {
		t.Errorf("%+v", o)
	}
}

// Of each group of rows a column has its statistics, where the file keeps them.
func TestBrowseStatisticsOfGroups(t *testing.T) {
	for _, name := range []string{"orc/java-2.3.1/pruning.orc", "parquet/pyarrow-26.0.1/groups.parquet"} {
		b := browsedOf(t, "../../testdata/"+name)
		file, err := b.File(t.Context(), 0, true)
		if err != nil {
			t.Fatal(err)
		}
		values := int64(0)
		c := file.Columns[slices.IndexFunc(file.Columns, func(c browse.Column) bool { return c.Min != "" })] // not the root
		for _, g := range c.Groups {
			if values += g.Values; g.Min == "" || g.Max == "" || g.Nulls < 0 {
				t.Errorf("%s: %+v", name, g)
			}
		}
		if len(c.Groups) != len(file.Groups) || len(c.Groups) < 2 || values != c.Values || c.Groups[0].Min != c.Min || c.Groups[len(c.Groups)-1].Max != c.Max {
			t.Errorf("%s: %d groups of %d, with %d values of %d: %+v", name, len(c.Groups), len(file.Groups), values, c.Values, c.Groups)
		}
	}
}

// In the rows of several files the first row of each is found, with a filter, too.
func TestBrowseFirstRowsOfFiles(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i, rows := range []int{3, 0, 2, 5} {
		name := filepath.Join(dir, string(rune('a'+i))+".csv")
		text := "n\n"
		for k := range rows {
			text += string(rune('0'+k)) + "\n"
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	b := browsedOf(t, append(names, "../../testdata/orc/java-2.3.1/pruning.orc", filepath.Join(dir, "none.csv"))...)
	for where, want := range map[string][]int64{"": {0, 3, 3, 5, 10, -1}, "n > 1": {0, 1, 1, 1, -1, -1}, "n = 4": {0, 0, 0, 0, -1, -1}, "n = 9": {-1, -1, -1, -1, -1, -1}} {
		for file, want := range want {
			rows, err := b.Select(where)
			if err != nil {
				t.Fatal(err)
			}
			row, found, err := rows.FirstOf(t.Context(), file)
			if !found {
				row = -1
			}
			if err != nil || row != want {
				t.Errorf("%s: file %d begins at row %d, want %d, %v", where, file, row, want, err)
			}
			if at := rows.FileOf(row); found && at < file || !found && at >= 0 {
				t.Errorf("%s: row %d is of file %d", where, row, at)
			}
		}
	}
}
