//go:build interop

package icebergtable_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/judge"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/writertest"
	"github.com/arrowio/arrowio/readers"
)

// withoutID is the lineage of a row without an id: Iceberg's library says that it was never changed.
var withoutID = regexp.MustCompile(`null,(null|\d+)\]$`)

// sparkTable is a table that Spark and this package change in turn.
type sparkTable struct {
	changed
	name    string // in Spark
	version int
	names   int
	ints    []string // columns of type int that Spark has added
	texts   []string // and those of type string
	parts   []string // partition fields that Spark has added
}

// startSpark starts Spark with a warehouse.
func startSpark(t *testing.T, warehouse string) *program {
	t.Helper()
	jar := os.Getenv("ARROWIO_SPARK_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_SPARK_JUDGE_JAR is not set: make interop does")
	}
	return start(t, "Spark", judge.Java(t.Context(), "2g", jar, warehouse), lines)
}

// TestSpark has Spark with Iceberg's runtime and this package change the same tables in turn, at random: both make some, add rows, delete them by
// files of position deletes, vectors and new files, replace and compact them; Spark changes columns, partitions and format versions, too. After
// each change both read the same rows, and in format version 3 the same row lineage; at the end so they do of an older snapshot.
// ARROWIO_SPARK_TABLES is how many tables there are, if it is set.
func TestSpark(t *testing.T) {
	tables := 4
	if n, err := strconv.Atoi(os.Getenv("ARROWIO_SPARK_TABLES")); err == nil {
		tables = n
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "db"), 0o755); err != nil {
		t.Fatal(err)
	}
	spark := startSpark(t, dir)
	changes, rows, lineage := 0, 0, 0
	for seed := range tables {
		at := filepath.Join(dir, "db", fmt.Sprintf("t%d", seed))
		r := newRandom(int64(9000 + seed))
		flat := r.Flat
		r.Flat = func() arrow.DataType {
			for {
				if typ := flat(); typ.ID() != arrow.TIME64 { // Spark has no type for it
					return typ
				}
			}
		}
		c := &sparkTable{name: fmt.Sprintf("h.db.t%d", seed), version: 1 + seed%3}
		if seed%2 == 0 {
			c.ours(t, r, at)
		} else {
			c.theirs(t, r, spark, at)
		}
		older := int64(0)
		for range 8 {
			if t.Failed() {
				return
			}
			if c.compare(t, spark, ""); r.OneOf(2) {
				c.sql(t, r, spark)
				c.read(t, spark)
			} else {
				c.change(t, r)
			}
			changes++
			if r.OneOf(4) {
				older = c.read(t, spark)
			}
		}
		c.compare(t, spark, "")
		if c.version == 3 && !hasORC(t, at) { // Spark gives all rows of an ORC file the id of the first
			c.compare(t, spark, "lineage")
			lineage++
		}
		if older != 0 {
			c.compare(t, spark, strconv.FormatInt(older, 10))
		}
		for _, f := range faults(t, at) {
			t.Errorf("%s: %s", at, f)
		}
		rows += len(c.want)
	}
	if t.Logf("%d tables, %d changes, %d rows, lineage of %d tables", tables, changes, rows, lineage); rows == 0 {
		t.Error("no table has rows")
	}
}

// ours makes a table here.
func (c *sparkTable) ours(t *testing.T, r *writertest.Random, at string) {
	t.Helper()
	s := arrow.NewSchema(append([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, fields(r, r.Intn(5), r.Intn(3))...), nil)
	var parts []string
	for _, f := range s.Fields() {
		if p := transformOf(r, f); p != "" && r.OneOf(3) && !alone(f, p) {
			parts = append(parts, p)
		}
	}
	o := mode("create", "iceberg-format-version", fmt.Sprint(c.version), "iceberg-data-format", writertest.Pick(r, "orc", "parquet"),
		"iceberg-partition", strings.Join(parts, ", "), "iceberg-property", c.modes(r, "\n", ""))
	c.judged = judged{dir: at, schema: s}
	r.Gen.Nulls = writertest.Pick(r, 0, 0.05, 0.5)
	rec := r.Record(s, r.Intn(40))
	defer rec.Release()
	small(rec)
	if err := write(t.Context(), at, o, s, rec); err != nil {
		t.Fatalf("%s: %s: %v", at, s, err)
	}
	c.add(rec)
}

// alone reports whether a partition is the value of the only field of a struct. Iceberg's Java readers take the value from the manifest and read no
// column of the struct, so that they show a struct with a null where the struct is null, whatever the file says (its definition levels, and
// pyarrow, say that it is null).
func alone(f arrow.Field, partition string) bool {
	s, ok := f.Type.(*arrow.StructType)
	if !ok {
		return false
	}
	for _, child := range s.Fields() {
		child.Name = f.Name + "." + child.Name
		if child.Name == partition {
			return s.NumFields() == 1
		}
		if strings.HasPrefix(partition, child.Name+".") {
			return alone(child, partition)
		}
	}
	return false
}

// theirs has Spark make a table.
func (c *sparkTable) theirs(t *testing.T, r *writertest.Random, spark *program, at string) {
	t.Helper()
	c.judged = judged{dir: at}
	by := writertest.Pick(r, "", " PARTITIONED BY (bucket(3, id))", " PARTITIONED BY (days(at), truncate(2, word))", " PARTITIONED BY (day, bucket(2, amount))", " PARTITIONED BY (years(zoned), raw)")
	c.run(t, spark, "CREATE TABLE "+c.name+` (id bigint, word string, amount decimal(12, 3), at timestamp_ntz, zoned timestamp, day date, raw binary, rough float, fine double, flag boolean,
		list array<int>, map map<string, double>, nested struct<a: int, b: array<struct<c: string, d: bigint>>>) USING iceberg`+by+
		" TBLPROPERTIES ('write.format.default'='"+writertest.Pick(r, "orc", "parquet")+"', "+fmt.Sprintf("'format-version'='%d', ", c.version)+c.modes(r, ", ", "'")+")")
	c.run(t, spark, "INSERT INTO "+c.name+` SELECT if(id % 7 = 3, null, id), if(id % 5 = 0, null, concat('wört ', id % 4)), id * 1234.567, timestamp_ntz'2024-02-28 23:59:59.123456' + make_dt_interval(id % 5, 0, 1),
		timestamp'1969-12-31 20:00:00.5' + make_dt_interval(0, id), date'2024-02-28' + cast(id % 3 as int), cast(concat('r', id % 2) as binary), if(id = 4, float('nan'), id / 8), -id / 3, id % 2 = 0,
		if(id % 4 = 0, null, array(1, null, int(id))), map('k', id, 'l', null), if(id % 6 = 0, null, named_struct('a', int(id), 'b', array(named_struct('c', 'x', 'd', id))))
		FROM range(`+strconv.Itoa(r.Intn(40))+")")
	c.read(t, spark)
}

// modes are properties that say how rows are deleted and changed.
func (c *sparkTable) modes(r *writertest.Random, between, quote string) string {
	var all []string
	set := func(k, v string) { all = append(all, quote+k+quote+"="+quote+v+quote) }
	for _, what := range []string{"delete", "update", "merge"} {
		mode := "copy-on-write"
		if c.version > 1 && !r.OneOf(3) { // Spark fails otherwise
			mode = "merge-on-read"
		}
		set("write."+what+".mode", mode)
	}
	set("write.delete.format.default", writertest.Pick(r, "orc", "parquet"))
	set("write.delete.granularity", writertest.Pick(r, "file", "partition"))
	set("write.metadata.metrics.default", writertest.Pick(r, "counts", "truncate(16)", "full"))
	return strings.Join(all, between)
}

func (c *sparkTable) run(t *testing.T, spark *program, statement string) {
	t.Helper()
	if err := spark.ask(t, map[string]any{"sql": statement}, nil); err != nil {
		t.Errorf("%s: %.2000v", statement, err)
	}
}

// sql has Spark do one random thing.
func (c *sparkTable) sql(t *testing.T, r *writertest.Random, spark *program) {
	t.Helper()
	x := conditionOf(r, c.ids).text
	c.names++
	name := fmt.Sprintf("n%d", c.names)
	table := "ALTER TABLE " + c.name + " "
	taken := func(of *[]string) string {
		i := r.Intn(len(*of))
		was := (*of)[i]
		*of = slices.Delete(*of, i, i+1)
		return was
	}
	var text string
	for text == "" {
		switch r.Intn(17) {
		case 0, 1:
			text = "DELETE FROM " + c.name + " WHERE " + x
		case 2:
			text = "UPDATE " + c.name + " SET id = id + 1 WHERE " + x
		case 3, 4:
			text = "MERGE INTO " + c.name + " t USING (SELECT DISTINCT id FROM " + c.name + " WHERE " + x + ") s ON t.id <=> s.id " +
				"WHEN MATCHED AND t.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET id = coalesce(t.id, 0) + 50"
		case 5:
			text = "INSERT INTO " + c.name + " SELECT * FROM " + c.name + " WHERE " + x
		case 6:
			text = "INSERT OVERWRITE " + c.name + " SELECT * FROM " + c.name + " WHERE " + x
		case 7:
			text, c.ints = table+"ADD COLUMN "+name+" int", append(c.ints, name)
		case 8:
			text, c.texts = table+"ADD COLUMN "+name+" string", append(c.texts, name)
		case 9:
			text = table + "ADD COLUMN " + name + writertest.Pick(r, " decimal(9, 2)", " struct<a: int, b: array<string>>", " map<string, date>", " timestamp_ntz")
		case 10:
			if len(c.ints) > 0 {
				text = table + "ALTER COLUMN " + taken(&c.ints) + " TYPE bigint"
			}
		case 11:
			if len(c.texts) > 0 {
				text = table + "DROP COLUMN " + taken(&c.texts)
			}
		case 12:
			if len(c.texts) > 0 {
				text = table + "RENAME COLUMN " + taken(&c.texts) + " TO " + name
				c.texts = append(c.texts, name)
			}
		case 13:
			if len(c.parts) > 0 && r.OneOf(2) {
				text = table + "DROP PARTITION FIELD " + taken(&c.parts)
			} else {
				text = table + "ADD PARTITION FIELD " + fmt.Sprintf(writertest.Pick(r, "bucket(%d, id)", "truncate(%d, id)"), 10+c.names) + " AS p" + name
				c.parts = append(c.parts, "p"+name)
			}
		case 14:
			text = "CALL h.system." + writertest.Pick(r, "rewrite_data_files(options => map('rewrite-all', 'true'), table => '%s')", "rewrite_manifests('%s')",
				"rewrite_position_delete_files(options => map('rewrite-all', 'true'), table => '%s')")
			text = fmt.Sprintf(text, strings.TrimPrefix(c.name, "h."))
		case 15:
			if c.version < 3 {
				c.version++
				text = table + fmt.Sprintf("SET TBLPROPERTIES ('format-version'='%d', %s)", c.version, c.modes(r, ", ", "'"))
			}
		case 16:
			if n := len(c.texts); n > 0 {
				text = "UPDATE " + c.name + " SET " + c.texts[r.Intn(n)] + " = concat('é', id) WHERE " + x
			} else {
				text = table + "WRITE ORDERED BY id DESC NULLS LAST"
			}
		}
	}
	c.run(t, spark, text)
}

// lines are the rows in a file of text.
func lines(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// spark returns the rows that Spark reads, and the current snapshot. what is "", "lineage" or the id of a snapshot.
func (c *sparkTable) spark(t *testing.T, spark *program, what string) ([]string, int64) {
	t.Helper()
	file := c.dir + ".rows"
	q := map[string]any{"table": strings.TrimPrefix(c.name, "h."), "out": file}
	if id, err := strconv.ParseInt(what, 10, 64); err == nil {
		q["snapshot"] = id
	} else if what != "" {
		q["lineage"] = true
	}
	var said struct{ Snapshot int64 }
	if err := spark.ask(t, q, &said); err != nil {
		t.Fatalf("%s %s: %.2000v", c.name, what, err)
	}
	return spark.rows(t, file), said.Snapshot
}

// read takes the rows that Spark reads for what the table has.
func (c *sparkTable) read(t *testing.T, spark *program) int64 {
	t.Helper()
	var snapshot int64
	c.want, snapshot = c.spark(t, spark, "")
	c.ids = nil
	for _, row := range c.want {
		text, _, _ := strings.Cut(strings.Trim(row, "[]"), ",")
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			c.ids = append(c.ids, &id)
		} else if c.ids = append(c.ids, nil); text != "null" {
			t.Errorf("%s: the first column is %s", c.name, text)
		}
	}
	d, err := readers.OpenDataset(t.Context(), []string{c.dir}, readers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c.schema = arrow.NewSchema(required(d.Schema.Fields()), nil)
	return snapshot
}

// required returns fields without nulls where the table requires values. The reader shows such fields as nullable inside of optional ones.
func required(fields []arrow.Field) []arrow.Field {
	fields = slices.Clone(fields)
	for i := range fields {
		f := &fields[i]
		if v, ok := f.Metadata.GetValue(iceberg.MetaORC + iceberg.AttrRequired); ok && v == "true" {
			f.Nullable = false
		}
		switch t := f.Type.(type) {
		case *arrow.MapType:
			of := required([]arrow.Field{t.KeyField(), t.ItemField()})
			m := arrow.MapOfWithMetadata(of[0].Type, of[0].Metadata, of[1].Type, of[1].Metadata)
			m.SetItemNullable(of[1].Nullable)
			f.Type = m
		case *arrow.ListType:
			f.Type = arrow.ListOfField(required(t.Fields())[0])
		case *arrow.StructType:
			f.Type = arrow.StructOf(required(t.Fields())...)
		}
	}
	return fields
}

// compare compares what Spark reads with what is read here, and of the current state with what the rows should be.
func (c *sparkTable) compare(t *testing.T, spark *program, what string) {
	t.Helper()
	theirs, _ := c.spark(t, spark, what)
	o := readers.Options{Options: map[string]string{}}
	if what == "lineage" {
		o.Options["iceberg-row-lineage"] = "true"
	} else if what != "" {
		o.Options["iceberg-snapshot"] = what
	}
	d, err := readers.OpenDataset(t.Context(), []string{c.dir}, o)
	if err != nil {
		t.Fatalf("%s %s: %v", c.dir, what, err)
	}
	defer d.Close()
	rr, err := d.Scan(t.Context(), arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	var got []string
	for rr.Next() {
		got = append(got, orctext.Rows(rr.Record())...)
	}
	if err := rr.Err(); err != nil {
		t.Errorf("%s %s: %v", c.dir, what, err)
		return
	}
	if what == "lineage" {
		for _, all := range [][]string{got, theirs} {
			for i := range all {
				all[i] = withoutID.ReplaceAllString(all[i], "null,null]")
			}
		}
	}
	sameRows(t, c.dir+" "+what+" here and by Spark", got, slices.Clone(theirs), d.Schema)
	if what == "" {
		sameRows(t, c.dir+" by Spark", theirs, slices.Clone(c.want), d.Schema)
	}
}
