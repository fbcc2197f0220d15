package browse

import (
	"slices"
	"strings"
	"testing"
)

// The key s sorts by one column after the other, numbers from the largest, and after the last one not at all.
func TestListSort(t *testing.T) {
	l := newList([]tableColumn{{name: "name"}, {name: "bytes", right: true}}, [][]string{{"b", "9"}, {"c", "1,000"}, {"a", ""}})
	for i, want := range [][]int{{2, 0, 1}, {1, 0, 2}, {0, 1, 2}, {2, 0, 1}} {
		l.sortNext()
		if !slices.Equal(l.order, want) {
			t.Errorf("%d times: %d, want %d", i+1, l.order, want)
		}
	}
	if got := sortMark("measure", 5, true); got != "mea…▼" {
		t.Errorf("a name that is cut: %s", got)
	}
	l.flip()
	if want := []int{1, 0, 2}; !slices.Equal(l.order, want) {
		t.Errorf("turned around: %d, want %d", l.order, want)
	}
}

// The head of a list marks that columns lie to the right, until they are seen.
func TestListMarksColumnsToTheRight(t *testing.T) {
	u := newUser(t, fakeOf(1, 10, 100), Options{}, 80, 24)
	u.press("2")
	u.sees("more to the right", "›")
	u = newUser(t, fakeOf(1, 10, 100), Options{}, 400, 24)
	u.press("2")
	if strings.Contains(u.screen(), "›") {
		t.Errorf("all columns are seen: %s", u.screen())
	}
}
