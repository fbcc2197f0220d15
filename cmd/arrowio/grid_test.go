package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestGrid(t *testing.T) {
	var buf bytes.Buffer
	first := [][]string{{"1", "ab"}, {"100", "世界"}}
	g, err := newGrid(&buf, []gridColumn{{"id", true, true}, {name: "name"}}, first, gridMaximum, 11)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range append(first, []string{"7", "too long"}, []string{"12345", "世界世"}, []string{"8", "x"}) {
		if err := g.row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.flush(); err != nil {
		t.Fatal(err)
	}
	want := ` id │ name
────┼─────
  1 │ ab
100 │ 世界
  7 │ too…
12345 │ 世…
    8 │ x
`
	if buf.String() != want {
		t.Errorf("got\n%swant\n%s", buf.String(), want)
	}
}

func TestGridFitsTheTerminal(t *testing.T) {
	var buf bytes.Buffer
	row := []string{strings.Repeat("a", 200), "short", strings.Repeat("b", 60)}
	g, err := newGrid(&buf, []gridColumn{{name: "x"}, {name: "y"}, {name: "z"}}, [][]string{row}, gridMaximum, 80)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.row(row); err != nil {
		t.Fatal(err)
	}
	if err := g.flush(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(buf.String()) {
		if n := displayWidth(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(buf.String(), "short") {
		t.Error("a short value was clipped while long ones are there")
	}
}

func TestGridWithoutTerminal(t *testing.T) {
	var buf bytes.Buffer
	g, err := newGrid(&buf, []gridColumn{{"n", true, true}, {name: "t"}}, [][]string{{"1", "a"}}, gridMaximum, 0)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 500)
	for _, row := range [][]string{{"1", "abc"}, {"1", "a"}, {"1", long}} {
		if err := g.row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.flush(); err != nil {
		t.Fatal(err)
	}
	want := "n │ t\n──┼──\n1 │ abc\n1 │ a\n1 │ " + long[:gridMaximum-1] + "…\n"
	if buf.String() != want {
		t.Errorf("got\n%swant\n%s", buf.String(), want)
	}
}

func TestSqueeze(t *testing.T) {
	for _, c := range []struct {
		widths, floors []int
		total          int
		want           []int
	}{
		{[]int{3, 4}, []int{6, 6}, 10, []int{3, 4}},
		{[]int{100, 5}, []int{6, 6}, 50, []int{45, 5}},
		{[]int{100, 50}, []int{6, 6}, 40, []int{20, 20}},
		{[]int{100, 100}, []int{6, 6}, 41, []int{21, 20}},
		{[]int{9, 9, 9}, []int{6, 6, 6}, 3, []int{6, 6, 6}},
		{[]int{2, 30}, []int{6, 6}, 5, []int{2, 6}},
		{[]int{20, 30}, []int{20, 6}, 30, []int{20, 10}},
		{[]int{20, 30, 40}, []int{20, 6, 6}, 40, []int{20, 10, 10}},
		{nil, nil, 10, nil},
	} {
		got := slices.Clone(c.widths)
		squeeze(got, c.floors, c.total)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v into %d: %v, want %v", c.widths, c.total, got, c.want)
		}
	}
}
