//go:build interop

package hivetable_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/readers"
)

// histories is how many ACID tables the metastore has.
const histories = 12

// TestMetastore reads the tables of Hive's own metastore, which Hive's writers have made: see Metastore.java.
func TestMetastore(t *testing.T) {
	dir := t.TempDir()
	url := metastorefake.StartHive(t, dir, histories).URL
	check := func(table, where string, want ...string) {
		t.Helper()
		got, _, err := rowsOf(t, url+table, readers.Options{}, where)
		slices.Sort(got)
		want = slices.Sorted(slices.Values(want))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s, %s: %q, want %q, %v", table, where, got, want, err)
		}
	}
	for i := range histories {
		name := "acid" + strconv.Itoa(i)
		b, err := os.ReadFile(filepath.Join(dir, name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		check(name, "", strings.Fields(string(b))...)
	}
	check("inserts", "", "[0]", "[1]")
	check("empty", "")
	var events []string
	for i, rest := range []string{`null,19783,"eu/west"]`, `"1.50",19784,null]`, `"2.50",19785,"us"]`} {
		for r := range 3 {
			events = append(events, `[`+strconv.Itoa(10*i+r)+`,"s`+strconv.Itoa(r)+`",`+rest)
		}
	}
	check("events", "", events...)
	check("events", "region is null", events[3:6]...)
	check("events", "region = 'eu/west' or day > DATE '2024-03-02'", slices.Concat(events[:3], events[6:])...)
	for table, want := range map[string]string{"a_view": "view", "texts": "text", "none": "no table"} {
		if _, _, err := rowsOf(t, url+table, readers.Options{}, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", table, err)
		}
	}
	if _, _, err := rowsOf(t, url+"ice", readers.Options{}, ""); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "v1.metadata.json") {
		t.Errorf("a table of Iceberg: %v", err)
	}
}
