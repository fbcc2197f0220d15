//go:build !interop

package writers_test

// lossSchemas is how many random schemas each format gets.
const lossSchemas = 100

// lossRoots are where files are looked for, those of some bytes at most, of which every so many-th is taken.
var lossRoots = []string{"../testdata/trevni", "../testdata/orc", "../testdata/cfile", "../testdata/ipc", "../testdata/parquet", "../testdata/csv", "../testdata/jsonl"}

const (
	lossFileBytes = 6 << 10
	lossFileStep  = 7
)
