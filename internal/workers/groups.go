package workers

import (
	"cmp"
	"slices"
)

// MostGroups bounds how many groups Divide makes: readers give each group a decompressor and its buffers.
const MostGroups = 16

// Groups are tasks, say columns to decode, in groups that cost about the same. Different goroutines may run different
// groups at the same time; the tasks of a group run in one.
type Groups struct {
	Tasks [][]int // of each group, in rising order
	Width int     // how many goroutines the groups keep about equally busy; at least 1
}

// Divide assigns tasks to groups, the most expensive task first, each to the group that costs least so far. Costs may be
// in any unit, and must not be negative.
func Divide(costs []float64) Groups {
	g := Groups{Tasks: make([][]int, min(MostGroups, len(costs))), Width: 1}
	order := make([]int, len(costs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(costs[b], costs[a]) })
	sums := make([]float64, len(g.Tasks))
	total, most := 0.0, 0.0
	for _, task := range order {
		least := 0
		for i, s := range sums {
			if s < sums[least] {
				least = i
			}
		}
		g.Tasks[least] = append(g.Tasks[least], task)
		sums[least] += costs[task]
		total += costs[task]
		most = max(most, sums[least])
	}
	for _, tasks := range g.Tasks {
		slices.Sort(tasks)
	}
	if most > 0 {
		g.Width = max(1, int(total/most+0.25))
	}
	return g
}

// Run calls f with the number of each group: by share, which runs n tasks as Helpers.Run does, or, where share is nil,
// one after another until one fails.
func (g Groups) Run(share func(n int, task func(i int) error) error, f func(group int) error) error {
	if share != nil && len(g.Tasks) > 1 {
		return share(len(g.Tasks), f)
	}
	for i := range g.Tasks {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}
