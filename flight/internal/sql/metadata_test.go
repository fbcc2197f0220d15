package sql

import "testing"

func TestLike(t *testing.T) {
	for _, q := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"%", "", true},
		{"%", "abc", true},
		{"_", "", false},
		{"a%c", "abbc", true},
		{"a%c", "abbd", false},
		{"%b%b%", "abcb", true},
		{"%b%b%", "acb", false},
		{"_é_", "aéb", true},
		{`\%`, "%", true},
		{`\%`, "a", false},
		{`a\_%`, "a_c", true},
		{`a\_%`, "abc", false},
		{`\`, `\`, true},
		{`%\_x`, "a_x", true},
		{"abc%%", "abc", true},
		{"%%%_", "", false},
	} {
		if got := likeName(&q.pattern, q.name); got != q.want {
			t.Errorf("%s like %s: %v", q.name, q.pattern, got)
		}
	}
}
