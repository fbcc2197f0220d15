package workers_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/workers"
)

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		costs []float64
		tasks string
		width int
	}{
		{nil, "[]", 1},
		{[]float64{0, 0}, "[[0 1] []]", 1},
		{[]float64{5}, "[[0]]", 1},
		{[]float64{1, 1, 1}, "[[0] [1] [2]]", 3},
		{[]float64{1, 100, 2}, "[[1] [2] [0]]", 1}, // the most expensive task first
		{[]float64{3, 4, 3}, "[[1] [0] [2]]", 2},
	} {
		g := workers.Divide(c.costs)
		if got := fmt.Sprint(g.Tasks); got != c.tasks || g.Width != c.width {
			t.Errorf("%v: %s, width %d, want %s, %d", c.costs, got, g.Width, c.tasks, c.width)
		}
	}
}

// TestDivideMany: every task is in one group, the groups are few, and none costs more than the least one by more than its
// cheapest task, which was the last to be assigned.
func TestDivideMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		costs := make([]float64, 1+rng.IntN(200))
		for i := range costs {
			costs[i] = 1 + float64(rng.IntN(1000))
		}
		g := workers.Divide(costs)
		var all []int
		sums := make([]float64, len(g.Tasks))
		cheapest := make([]float64, len(g.Tasks))
		for i, tasks := range g.Tasks {
			all = append(all, tasks...)
			cheapest[i] = costs[tasks[0]]
			for _, task := range tasks {
				sums[i] += costs[task]
				cheapest[i] = min(cheapest[i], costs[task])
			}
			if !slices.IsSorted(tasks) {
				t.Fatalf("%v is not in order", tasks)
			}
		}
		slices.Sort(all)
		if len(g.Tasks) > workers.MostGroups || len(all) != len(costs) || all[0] != 0 || all[len(all)-1] != len(costs)-1 {
			t.Fatalf("%d tasks: %v", len(costs), g.Tasks)
		}
		for i, s := range sums {
			if s-cheapest[i] > slices.Min(sums) {
				t.Fatalf("a group costs %v, another %v", s, slices.Min(sums))
			}
		}
		if g.Width < 1 || g.Width > len(g.Tasks) {
			t.Fatalf("width %d of %d groups", g.Width, len(g.Tasks))
		}
	}
}

func TestGroupsRun(t *testing.T) {
	g := workers.Divide([]float64{1, 1, 1})
	failed := errors.New("no")
	run := 0
	if err := g.Run(nil, func(int) error { run++; return failed }); !errors.Is(err, failed) || run != 1 {
		t.Errorf("%d groups, %v", run, err)
	}
	h := workers.NewHelpers(2)
	defer h.Close()
	seen := make([]bool, 3)
	if err := g.Run(h.Run, func(i int) error { seen[i] = true; return nil }); err != nil || slices.Contains(seen, false) {
		t.Errorf("%v, %v", seen, err)
	}
}
