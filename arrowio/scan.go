package arrowio

import (
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// ScanOptions says what a scan returns and what it may use. The zero value is everything, with the defaults.
type ScanOptions struct {
	Columns      []string         // dotted paths; nil = all; "a.b" keeps only child b of struct a
	Filter       expr.Expr        // exact: every returned row satisfies it; nil = all rows
	Rows         RowRange         // zero = all; counted over the whole file or dataset, before the filter
	BatchRows    int              // default 65 536
	BatchBytes   int64            // soft, default 64 MiB
	Parallelism  int              // default GOMAXPROCS
	MemoryBudget int64            // default 1 GiB: splits are admitted while their estimates fit
	Allocator    memory.Allocator // of the records; default a pooled allocator of this module
}
