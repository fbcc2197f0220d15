package expr

import (
	"github.com/apache/arrow/go/v15/arrow"
)

// Expr is a predicate. String prints the form that Parse reads.
type Expr interface{ String() string }

// Bound is a predicate resolved against a schema; see Bind.
type Bound struct{}

// Resolve finds the field that a dotted path names.
func Resolve(s *arrow.Schema, path string) ([]int, error) { return nil, nil }
