package golden

import "testing"

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct {
		got, want string
		line      int
		same      bool
	}{
		{"", "", 1, true},
		{"a\nb\n", "a\nb\n", 3, true},
		{"a\nb\n", "a\nc\n", 2, false},
		{"a\n", "a\nb\n", 2, false},
		{"a", "a\n", 1, false},
		{"b", "", 1, false},
	} {
		if line, _, _, same := firstDifference([]byte(c.got), []byte(c.want)); line != c.line || same != c.same {
			t.Errorf("%q and %q: line %d, same %t", c.got, c.want, line, same)
		}
	}
}
