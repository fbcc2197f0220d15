package campaign

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Outcome is what came of a case.
type Outcome uint8

// Outcomes. Those from Unplaced on are finds: no input may have them.
const (
	Same      Outcome = iota // the rows are those of the sound file
	Refused                  // an error that says where
	Told                     // other rows, and a warning or a fault of Verify
	Untold                   // other rows, and nothing says so: what no checksum covers
	Misled                   // a filter gives other rows with pruning than without, which Verify reports
	MisledYet                // the same, and Verify reports nothing
	Unplaced                 // an error without format or place
	Invalid                  // batches that Arrow does not allow
	Slow                     // more than Limits.Time
	Large                    // more than Limits.Bytes
	Unkept                   // what a writer wrote is not what comes back, or it fails for another reason than the table
	Leak                     // memory of batches is not given back
	Panic
	outcomes
)

var outcomeNames = [outcomes]string{
	"same", "refused", "told", "untold", "misled, told", "misled", "no place", "invalid", "slow", "large", "not kept", "leak", "panic",
}

// String returns the outcome's column in the summary.
func (o Outcome) String() string { return outcomeNames[o] }

// Find reports whether no input may have the outcome.
func (o Outcome) Find() bool { return o >= Unplaced }

// Summary counts outcomes by format.
type Summary struct {
	counts map[string]*[outcomes]int
}

// Add counts a case.
func (s *Summary) Add(format string, o Outcome) {
	if s.counts == nil {
		s.counts = map[string]*[outcomes]int{}
	}
	if s.counts[format] == nil {
		s.counts[format] = new([outcomes]int)
	}
	s.counts[format][o]++
}

// Finds returns how many cases were finds.
func (s *Summary) Finds() (n int) {
	for _, c := range s.counts {
		for o, k := range c {
			if Outcome(o).Find() {
				n += k
			}
		}
	}
	return n
}

// Print writes a table: a line a format, a column an outcome, and the sums.
func (s *Summary) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "format\tcases\t%s\t\n", strings.Join(outcomeNames[:], "\t"))
	var sum [outcomes]int
	line := func(name string, c *[outcomes]int) {
		all := 0
		for _, n := range c {
			all += n
		}
		fmt.Fprintf(t, "%s\t%d", name, all)
		for _, n := range c {
			fmt.Fprintf(t, "\t%d", n)
		}
		fmt.Fprint(t, "\t\n")
	}
	for _, name := range slices.SortedFunc(maps.Keys(s.counts), cmp.Compare[string]) {
		line(name, s.counts[name])
		for o, n := range s.counts[name] {
			sum[o] += n
		}
	}
	line("all", &sum)
	return t.Flush()
}
