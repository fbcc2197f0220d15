package writers_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/writers"
)

// What differs after writing and reading back stands in the plan, and nothing else does, for random schemas.
func TestPlansOfRandomSchemas(t *testing.T) {
	for _, f := range writers.All() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			var count [3]int
			for seed := range lossSchemas {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				r := newLossRandom(int64(seed), mem)
				s := r.schema((f.Name == "cfile" || f.Name == "kudu") && seed%10 > 0)
				rec := r.rows(s, []int{0, 1, 7, 40}[seed%4])
				c := lossCheck{t: t, mem: mem, format: f, name: fmt.Sprintf("seed %d", seed), o: lossOptions(f.Name)}
				count[c.run(s, []arrow.Record{rec})]++
				rec.Release()
				mem.AssertSize(t, 0)
				if t.Failed() && testing.Short() {
					break
				}
			}
			t.Logf("%d refused, %d with values that do not fit, %d compared", count[refused], count[unfit], count[compared])
			if count[compared] < lossSchemas/4 {
				t.Errorf("only %d of %d schemas came to be compared", count[compared], lossSchemas)
			}
		})
	}
}

func lossOptions(format string) (o arrowio.WriteOptions) {
	if format == "kudu" {
		o.Options = map[string]string{"kudu-key": "key"}
	}
	return o
}
