package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// differing writes two Arrow files without rows: of fields of the types with metadata, and with metadata of the schema.
func differing(t *testing.T, typ arrow.DataType, field, schema [2]map[string]string) (a, b string) {
	t.Helper()
	dir := t.TempDir()
	var paths [2]string
	for i, name := range []string{"a.arrow", "b.arrow"} {
		md := arrow.MetadataFrom(schema[i])
		fields := []arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "c", Type: typ, Nullable: true, Metadata: arrow.MetadataFrom(field[i])}}
		paths[i] = writeIPC(t, filepath.Join(dir, name), arrow.NewSchema(fields, &md))
	}
	return paths[0], paths[1]
}

// What files say in different ways is told where it is lost, once, and not where rows are shown.
func TestWhatFilesSayInDifferentWays(t *testing.T) {
	a, b := differing(t, &arrow.FixedSizeBinaryType{ByteWidth: 16},
		[2]map[string]string{{"ARROW:extension:name": "arrow.uuid", "ARROW:extension:metadata": "", "comment": "x"}, {"comment": "y"}},
		[2]map[string]string{{"owner": "me", "same": "s"}, {"owner": "you", "same": "s"}})
	extension := "column c: it is fixed_size_binary[16] of the extension type arrow.uuid in " + a + " and fixed_size_binary[16] in " + b + ", so the extension type is left out\n"
	comment, owner := "metadata comment differs between the files and is left out of columns: c\n", "metadata that differs between the files is left out: owner\n"
	out := filepath.Join(t.TempDir(), "out.parquet")
	for _, c := range []struct {
		args []string
		told string
	}{
		{[]string{"count", a, b}, ""},
		{[]string{"cat", a, b}, ""},
		{[]string{"head", a, b}, ""},
		{[]string{"schema", a, b}, extension + comment + owner},
		{[]string{"convert", "--dry-run", a, b, out}, extension + comment + owner},
		{[]string{"convert", a, b, out}, extension + comment + owner},
		{[]string{"convert", "--force", "--columns", "id", a, b, out}, owner},
		{[]string{"convert", "--force", "--exclude", "c", "--drop-metadata", "owner", a, b, out}, ""},
		{[]string{"convert", "--force", "--metadata", "owner=all", "--drop-metadata", "comment", a, b, out}, extension},
		{[]string{"convert", "--force", "--drop-metadata", "*", a, b, out}, extension},
	} {
		want := strings.ReplaceAll("\n"+c.told, "\n", "\narrowio: "+a+": warning: ")
		want = strings.TrimPrefix(strings.TrimSuffix(want, "arrowio: "+a+": warning: "), "\n")
		if o := do(t, c.args...); o.code != 0 || o.err != want {
			t.Errorf("%s: exit %d\n%s\nwant\n%s", c.args, o.code, o.err, want)
		}
	}
	o := do(t, "convert", "--force", "--dry-run", "--json", a, b, out)
	conforms(t, "convert", o.out)
	for _, text := range []string{
		`"kind": "extension-type"`, `"kind": "metadata"`, `"key": "owner",` + "\n" + `        "loss": "differs between the files and is left out"`,
		`so the extension type is left out; metadata comment differs between the files and is left out"`,
	} {
		if !strings.Contains(o.out, text) {
			t.Errorf("no %s in %s", text, o.out)
		}
	}
	if o := do(t, "convert", "--force", "--dry-run", a, b, out); !strings.Contains(o.out, "2 things lost") {
		t.Error(o.out)
	}
}

// What files say and the schema asked for does not is told, too.
func TestWhatTheSchemaDoesNotSay(t *testing.T) {
	a, b := differing(t, arrow.StructOf(arrow.Field{Name: "u", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: arrow.NewMetadata([]string{"ARROW:extension:name", "unit"}, []string{"arrow.json", "m"})}),
		[2]map[string]string{{"comment": "x"}, {"comment": "x"}},
		[2]map[string]string{{"owner": "me", "same": "s"}, {"owner": "you", "ARROW:schema": "that of one file"}})
	extension := "column c.u: the extension type arrow.json is not in the schema asked for and is left out\n"
	const left = " is not in the schema asked for and is left out of columns: "
	comment, unit := "metadata comment"+left+"c\n", "metadata unit"+left+"c.u\n"
	keys := "metadata that is not in the schema asked for is left out: owner, same\n"
	out := filepath.Join(t.TempDir(), "out.parquet")
	for _, c := range []struct {
		schema string
		args   []string
		told   string
	}{
		{"struct<id:bigint,c:struct<u:string>>", []string{a, b}, extension + comment + unit + keys},
		{"struct<id:bigint,c:struct<u:string>>", []string{a}, extension + comment + unit + keys},
		{"struct<id:bigint,c:struct<u:string>>", []string{"--columns", "id", a, b}, keys},
		{"struct<id:bigint,c:struct<u:string>>", []string{"--drop-metadata", "*", a, b}, extension},
		{"struct<id:bigint,x:int>", []string{"--columns", "id", a, b}, keys},
		{`{"fields":[{"name":"id","type":"int64"}],"metadata":{"same":"s"}}`, []string{a, b}, "columns that are not in the schema asked for are left out: c\n" + strings.TrimSuffix(keys, ", same\n") + "\n"},
	} {
		want := strings.ReplaceAll("\n"+c.told, "\n", "\narrowio: "+a+": warning: ")
		want = strings.TrimPrefix(strings.TrimSuffix(want, "arrowio: "+a+": warning: "), "\n")
		if o := do(t, append([]string{"convert", "--dry-run", "--cast", "java", "--schema", c.schema}, append(c.args, out)...)...); o.code != 0 || o.err != want {
			t.Errorf("%s %s: exit %d\n%s\nwant\n%s", c.schema, c.args, o.code, o.err, want)
		}
	}
}

// Geometries of two reference systems are no column, and the others are read.
func TestGeometriesOfTwoSystems(t *testing.T) {
	md := func(crs string) map[string]string {
		return map[string]string{"ARROW:extension:name": "geoarrow.wkb", "ARROW:extension:metadata": `{"crs":"` + crs + `"}`}
	}
	a, b := differing(t, arrow.BinaryTypes.Binary, [2]map[string]string{md("EPSG:25832"), md("OGC:CRS84")}, [2]map[string]string{})
	for _, format := range []string{".arrow", ".orc", ".parquet"} {
		if format != ".arrow" {
			ok(t, "convert", a, a+format)
			ok(t, "convert", b, b+format)
			a, b := a+format, b+format
			fails(t, do(t, "cat", a, b), 1, b+": column c: its coordinate reference system is OGC:CRS84 here and EPSG:25832 in "+a, "--exclude")
			ok(t, "count", a, b)
			ok(t, "cat", "--exclude", "c", a, b)
			continue
		}
		fails(t, do(t, "convert", "--dry-run", a, b, filepath.Join(t.TempDir(), "x.orc")), 1, "its coordinate reference system is OGC:CRS84 here")
	}
}

// GeoParquet's metadata go with the columns that they describe.
func TestGeoParquetGoesWithItsColumns(t *testing.T) {
	const geo = `{"version":"1.1.0","primary_column":"c","columns":{"c":{"encoding":"WKB","geometry_types":[],"bbox":[0,0,1,1]}}}`
	boxes := [2]map[string]string{{"geo": geo}, {"geo": strings.Replace(geo, "1,1]", "2,3]", 1)}}
	a, b := differing(t, arrow.BinaryTypes.Binary, [2]map[string]string{}, boxes)
	out := filepath.Join(t.TempDir(), "out.parquet")
	if o := do(t, "convert", "--columns", "id", a, b, out); o.err != "arrowio: "+out+": note: not all can be read back: metadata geo: describes only columns that are left out (--dry-run lists it)\n" {
		t.Error(o.err)
	}
	if o := do(t, "convert", "--force", "--exclude", "c", "--drop-metadata", "geo", a, b, out); o.code != 0 || o.err != "" {
		t.Error(o.err)
	}
	if o := do(t, "convert", "--force", a, b, out); o.code != 0 || o.err != "" {
		t.Error(o.err)
	}
	if text := ok(t, "schema", out); !strings.Contains(text, `"bbox":[0,0,2,3]`) {
		t.Error(text)
	}

	// The columns clash, and are left out.
	boxes[1]["geo"] = strings.Replace(geo, `"encoding"`, `"crs":{"id":{"authority":"EPSG","code":25832}},"encoding"`, 1)
	a, b = differing(t, arrow.BinaryTypes.Binary, [2]map[string]string{}, boxes)
	if o := do(t, "convert", "--force", "--exclude", "c", a, b, out); o.err != "arrowio: "+out+": note: not all can be read back: metadata geo: describes only columns that are left out (--dry-run lists it)\n" {
		t.Error(o.err)
	}
	if o := do(t, "convert", "--force", "--exclude", "c", "--drop-metadata", "geo", a, b, out); o.code != 0 || o.err != "" {
		t.Error(o.err)
	}
}
