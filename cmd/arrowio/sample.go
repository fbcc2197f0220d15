package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
)

func (a *app) sampleCommand() *cobra.Command {
	f := &catFlags{}
	seed := numberValue{min: math.MinInt64}
	cmd := &cobra.Command{
		Use:   "sample [flags] INPUT...",
		Short: "Print random rows",
		Long: `Sample prints rows chosen at random: 10, or as many as --limit says. Every row is as likely as any other, and none is printed
twice. They are printed in the order of the INPUTs. If there are not so many rows, all are printed.

Sample first counts the rows, or with --where those for which it is true. Then it reads only the parts of the files that hold
chosen rows. The same --seed chooses the same rows of the same INPUTs.`,
		Example: `  arrowio sample events.orc
  arrowio sample -n 1000 --seed 1 --format csv --where "country = 'CH'" events/ > sample.csv`,
		Args: inputs,
	}
	f.selectFlags = addColumnFlags(cmd)
	a.addCatFlags(cmd, f)
	addShortLimit(cmd, &f.limit)
	cmd.Flags().Var(&seed, "seed", "choose the same rows as any other run with this `NUMBER` (default: others every time)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("seed") {
			seed.n = rand.Int64()
		}
		return a.printing(cmd.Context(), f, args, func(ctx context.Context, ds *inputSet, out rowPrinter) error {
			return a.sample(ctx, f, uint64(seed.n), ds, out)
		})
	}
	return cmd
}

func (a *app) sample(ctx context.Context, f *catFlags, seed uint64, ds *inputSet, out rowPrinter) error {
	o := scanOptions(f.readFlags, f.selectFlags)
	bar := a.startProgress(f.progress.word, "count", ds.work(f.selectFlags))
	defer bar.stop()
	rr, err := ds.Scan(ctx, countOptions(o))
	if err != nil {
		return err
	}
	of, err := pieces(rr, bar)
	bar.stop()
	if err != nil {
		return err
	}
	var total int64
	for _, p := range of {
		total += p.matches
	}
	chosen := choose(rand.New(rand.NewPCG(seed, 0)), f.limit.n, total)
	var first int64 // the number of the first row of a piece among all
	for len(of) > 0 {
		n := slices.IndexFunc(of, func(p piece) bool { return p.fragment != of[0].fragment })
		if n < 0 {
			n = len(of)
		}
		if chosen, err = takeFile(ctx, ds.Dataset, of[:n], first, chosen, o, out); err != nil {
			return err
		}
		for _, p := range of[:n] {
			first += p.matches
		}
		of = of[n:]
	}
	return nil
}

// choose returns n different random numbers below total, in ascending order; all numbers if there are no more than n.
func choose(r *rand.Rand, n, total int64) []int64 {
	n = min(n, total)
	taken := make(map[int64]bool, n)
	out := make([]int64, 0, n)
	for i := total - n; i < total; i++ { // Floyd's algorithm
		k := r.Int64N(i + 1)
		if taken[k] {
			k = i
		}
		taken[k] = true
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// takeFile sends the chosen rows of the pieces of one file to out, and returns the numbers that are left. first is the number
// of the first row of the first piece.
func takeFile(ctx context.Context, ds *dataset.Dataset, of []piece, first int64, chosen []int64, o arrowio.ScanOptions, out rowPrinter) ([]int64, error) {
	end := first
	for _, p := range of {
		end += p.matches
	}
	if len(chosen) == 0 || chosen[0] >= end {
		return chosen, nil
	}
	err := withFragment(ctx, ds, of[0].fragment, func(f arrowio.File) error {
		if streamed(f) { // it is read from the start in any case
			of = []piece{{rows: arrowio.RowRange{}, matches: end - first}}
		}
		for _, p := range of {
			n, _ := slices.BinarySearch(chosen, first+p.matches)
			if n > 0 {
				if err := take(ctx, f, p, first, chosen[:n], o, out); err != nil {
					return err
				}
			}
			first += p.matches
			chosen = chosen[n:]
		}
		return nil
	})
	return chosen, err
}

// take sends the chosen rows of a piece to out; first is the number of its first row.
func take(ctx context.Context, f arrowio.File, p piece, first int64, chosen []int64, o arrowio.ScanOptions, out rowPrinter) error {
	o.Rows = p.rows
	if o.Filter == nil && p.rows.Len() > 0 { // no further than the chosen rows
		o.Rows = arrowio.RowRange{Start: p.rows.Start + chosen[0] - first, End: p.rows.Start + chosen[len(chosen)-1] - first + 1}
		first = chosen[0]
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rr, err := arrowio.Scan(ctx, f, o)
	if err != nil {
		return err
	}
	return eachRow(rr, func(rec arrow.Record, at int64) error {
		at += first
		for len(chosen) > 0 && chosen[0] < at+rec.NumRows() {
			n := 1 // rows that are chosen one behind the other
			for n < len(chosen) && chosen[n] == chosen[0]+int64(n) && chosen[n] < at+rec.NumRows() {
				n++
			}
			if err := writeRows(out, rec, chosen[0]-at, int64(n)); err != nil {
				return err
			}
			chosen = chosen[n:]
		}
		return nil
	})
}
