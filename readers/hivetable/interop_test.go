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

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/readers"
)

// histories is how many ACID tables the metastore has.
const histories = 12

// TestMetastore reads the tables of Hive's own metastore, which Hive's writers have made: see Metastore.java.
func TestMetastore(t *testing.T) {
	dir := t.TempDir()
	metastoreTables(t, dir, metastorefake.StartHive(t, dir, histories))
}

// TestMetastore4 is TestMetastore with the metastore of Hive 4.
func TestMetastore4(t *testing.T) {
	dir := t.TempDir()
	metastoreTables(t, dir, metastorefake.StartHive4(t, dir, histories))
}

func metastoreTables(t *testing.T, dir string, hive *metastorefake.Hive) {
	url := hive.URL
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
	other := strings.TrimSuffix(url, "d.") + "other.d."
	for where, want := range map[string][]string{"": {`[0,"0"]`, `[1,"1"]`, `[2,"2"]`}, "p > '0'": {`[1,"1"]`, `[2,"2"]`}} {
		if got, _, err := rowsOf(t, other+"events", readers.Options{}, where); err != nil || !slices.Equal(got, want) {
			t.Errorf("in another catalog: %q, %v", got, err)
		}
	}
	for table, want := range map[string]string{other + "acid": "in the catalog other", other + "mixed": "no table other.d.mixed", strings.TrimSuffix(url, "d.") + "none.d.events": "no table none.d.events"} {
		if _, _, err := rowsOf(t, table, readers.Options{}, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", table, err)
		}
	}
	for table, want := range map[string]string{"a_view": "view", "none": "no table"} {
		if _, _, err := rowsOf(t, url+table, readers.Options{}, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", table, err)
		}
	}
	if _, _, err := rowsOf(t, url+"ice", readers.Options{}, ""); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "v1.metadata.json") {
		t.Errorf("a table of Iceberg: %v", err)
	}
	for _, table := range []string{"lazy_plain", "lazy_ends", "lazy_comma", "lazy_number", "lazy_format", "lazy_types", "csv_plain", "csv_other"} {
		var want []string
		for _, row := range hive.Ask(t, "rows "+table) {
			if !strings.Contains(row, `"c1":"y"`) { // a header, which Hive's tasks pass over, and its input format does not
				want = append(want, row)
			}
		}
		if got := shown(t, url+table); len(want) < 2 || !slices.Equal(got, want) {
			t.Errorf("%s: %q, and Hive reads %q", table, got, want)
		}
	}
}

// TestMixed reads a table with partitions in ORC, Parquet, Avro, text and JSON that Hive has written, some before columns were added and types
// widened: see Mixed.java.
func TestMixed(t *testing.T) {
	dir := t.TempDir()
	mixedTable(t, dir, metastorefake.StartHive(t, dir, 0))
}

// TestMixed4 is TestMixed with the metastore of Hive 4.
func TestMixed4(t *testing.T) {
	dir := t.TempDir()
	mixedTable(t, dir, metastorefake.StartHive4(t, dir, 0))
}

func mixedTable(t *testing.T, dir string, hive *metastorefake.Hive) {
	b, err := os.ReadFile(filepath.Join(dir, "mixed.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(all) != 50 {
		t.Fatalf("%d rows", len(all))
	}
	var one []string
	for _, part := range []string{"orc", "parquet", "avro", "text", "json"} {
		for _, old := range []string{"", "_old"} {
			var want []string
			for _, row := range all {
				if strings.HasSuffix(row, ","+strconv.Quote(part+old)+"]") {
					want = append(want, row)
				}
			}
			got, _, err := rowsOf(t, hive.URL+"mixed", readers.Options{}, "part = '"+part+old+"'")
			if err != nil || len(want) != 5 || !slices.Equal(got, want) {
				t.Errorf("%s%s: %q, want %q, %v", part, old, got, want, err)
			}
			one = append(one, want...)
		}
	}
	got, _, err := rowsOf(t, hive.URL+"mixed", readers.Options{}, "")
	slices.Sort(got)
	slices.Sort(one)
	if err != nil || !slices.Equal(got, one) {
		t.Errorf("all: %q, want %q, %v", got, one, err)
	}
}

// TestTexts reads random lines as Hive's SerDes do, with values that do not fit their types: see Texts.java.
func TestTexts(t *testing.T) {
	hive := metastorefake.StartHive(t, t.TempDir(), 0)
	rows := 0
	for i := range 60 {
		name := "text" + strconv.Itoa(i)
		want := hive.Ask(t, "values "+name)
		got, _, err := rowsOf(t, hive.URL+name, readers.Options{Options: map[string]string{"hive-wrong-values": "null"}}, "")
		slices.Sort(want)
		slices.Sort(got)
		if err != nil || len(got) < 30 {
			t.Errorf("%s: %d rows, %v", name, len(got), err)
			continue
		}
		for k := range max(len(want), len(got)) {
			if k >= len(want) || k >= len(got) || want[k] != got[k] {
				t.Errorf("%s, row %d of %d and %d:\n%s, and Hive reads\n%s", name, k, len(got), len(want), at(got, k), at(want, k))
				break
			}
		}
		rows += len(got)
	}
	t.Logf("%d rows", rows)
}

func at(rows []string, k int) string {
	if k < len(rows) {
		return rows[k]
	}
	return "nothing"
}

// shown returns the rows of a table as Hive's JSON, sorted.
func shown(t *testing.T, url string) (out []string) {
	t.Helper()
	d, err := readers.OpenDataset(t.Context(), []string{url}, readers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rr, err := d.Scan(t.Context(), arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	for rr.Next() {
		for i := range int(rr.Record().NumRows()) {
			var row []string
			for k, c := range rr.Record().Columns() {
				text := "null"
				if c.IsValid(i) {
					text = c.ValueStr(i)
					switch c.DataType().ID() {
					case arrow.STRING, arrow.DATE32:
						text = strconv.Quote(text)
					case arrow.TIMESTAMP:
						text = strconv.Quote(strings.TrimRight(strings.TrimSuffix(text, "Z"), "0"))
					}
				}
				row = append(row, strconv.Quote("c"+strconv.Itoa(k))+":"+text)
			}
			out = append(out, "{"+strings.Join(row, ",")+"}")
		}
	}
	if err := rr.Err(); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	slices.Sort(out)
	return out
}
