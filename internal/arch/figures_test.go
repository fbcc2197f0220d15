package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The figures of docs/beside-others.md are those of the pages that it names.
func TestFiguresBesideOthers(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	page := read("beside-others.md")
	number, link := regexp.MustCompile(`\d+(?:\.\d+)?`), regexp.MustCompile(`\((bench/[a-z-]+\.md)\) \|$`)
	rows := 0
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		cells, to := strings.Split(line, " | "), link.FindStringSubmatch(line)
		if to == nil || len(cells) != 4 {
			continue
		}
		rows++
		there := number.FindAllString(read(to[1]), -1)
		for _, n := range number.FindAllString(cells[1]+" "+cells[2], -1) {
			found := false
			for _, x := range there {
				found = found || x == n
			}
			if !found {
				t.Errorf("%s is not in %s: %s", n, to[1], line)
			}
		}
	}
	if rows < 10 {
		t.Errorf("only %d rows of figures were found", rows)
	}

	// Files that are read as they should be: Java, C++, Rust, arrowio.
	var sums [4]int
	files := 0
	for _, m := range regexp.MustCompile(`(?m)^\| [A-Za-z -]+ \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$`).FindAllStringSubmatch(read("formats/orc-readers.md"), -1) {
		n, _ := strconv.Atoi(m[1])
		files += n
		for i := range sums {
			n, _ = strconv.Atoi(m[i+2])
			sums[i] += n
		}
	}
	want := regexp.MustCompile(`\*\*Of (\d+) ORC .*\*\* Java reads (\d+), arrowio (\d+), pyarrow (\d+) and orc-rust (\d+) `).FindStringSubmatch(page)
	if want == nil {
		t.Fatal("the page does not say how many files each reads")
	}
	for i, n := range []int{files, sums[0], sums[3], sums[1], sums[2]} {
		if strconv.Itoa(n) != want[i+1] {
			t.Errorf("%s is %d in orc-readers.md: %s", want[i+1], n, want[0])
		}
	}
}
