package dataset

// For the tests that need package readers, which imports this one.
var (
	RowsOf = rowsOf
	Put    = put
)
