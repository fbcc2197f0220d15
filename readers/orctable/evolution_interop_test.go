//go:build interop

package orctable

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/judge"
	"github.com/arrowio/arrowio/readers/orc"
)

// Hive renames columns between transactions, and reads the tables by name and by position (orc.force.positional.evolution) under the
// columns that they had at each time, and under names that no file has. Under the same schemas the rows are the same here, and
// without one they are those of the newest columns.
func TestHiveEvolution(t *testing.T) {
	jar := os.Getenv("ARROWIO_HIVE_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_HIVE_JUDGE_JAR is not set: run make interop")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if out, err := judge.Java(ctx, "1g", jar, "evolution", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	inner := func(second string) arrow.DataType { return arrow.StructOf(field("a", i32), field(second, text)) }
	schemas := [][]arrow.Field{
		{field("id", i64), field("s", text), field("n", inner("b"))},
		{field("id", i64), field("renamed", text), field("n", inner("c")), field("v", text)},
		{field("id", i64), field("v", text), field("n", inner("c")), field("s", text)},
		{field("w", i64), field("x", text), field("y", inner("c")), field("z", text)},
	}
	const newest = 2
	for _, table := range []string{"originals", "base"} {
		for i, schema := range schemas {
			for by, match := range map[string]view.Match{"name": view.ByName, "position": view.ByPosition} {
				b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.jsonl", table, i+1, by)))
				if err != nil {
					t.Fatal(err)
				}
				want := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
				slices.Sort(want)
				check := func(how string, f arrowio.File) {
					t.Helper()
					columns := []string{RowIDColumn}
					for _, c := range schema {
						columns = append(columns, c.Name)
					}
					got := scanned(t, f, columns, 2)
					if slices.Sort(got); !slices.Equal(got, want) {
						t.Errorf("%s, %s, by %s%s: %s", table, columns, by, how, differences(got, want))
					}
				}
				f, err := Open(t.Context(), local.DirTree(filepath.Join(dir, table)), arrowio.Limits{}, Options{RowIDs: true, ByPosition: by == "position"}, orc.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if i == newest {
					check(", without a schema", f)
				}
				shown, err := view.Show(f, arrow.NewSchema(append(slices.Clone(schema), field(RowIDColumn, rowIDType)), nil), view.Options{Match: match})
				if err != nil {
					t.Fatal(err)
				}
				check("", shown)
				if err := shown.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
