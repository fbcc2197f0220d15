package hivetable_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/readers"
)

const (
	textInput = "org.apache.hadoop.mapred.TextInputFormat"
	lazySerDe = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
)

// textTable serves a table of text with one file.
func textTable(t *testing.T, cols, name, content string, serde, parameters map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	m := &metastore.Table{
		Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Parameters: parameters,
		Storage: metastore.Storage{Columns: columns(cols), Location: dir, InputFormat: textInput, SerDe: lazySerDe, SerDeParameters: serde},
	}
	return serve(t, &metastorefake.Server{Tables: map[string]*metastore.Table{"d.t": m}}) + "d.t"
}

// TestText reads lines as LazySimpleSerDe does. TestMetastore has Hive read such lines.
func TestText(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("1\x01a\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	ids := func(id string) map[string]string { return map[string]string{"field.delim": id} }
	for name, c := range map[string]struct {
		columns, file, content string
		serde, parameters      map[string]string
		want                   []string
	}{
		"defaults":          {"id:int s:string", "f", "1\x01a\n\\N\x01\\N\n2\x01\n\x01 \"b\n", nil, nil, []string{`[1,"a"]`, `[null,null]`, `[2,""]`, `[null," \"b"]`}},
		"fewer and more":    {"id:int s:string", "f", "1\n2\x01b\x01c\n\n", nil, nil, []string{`[1,null]`, `[2,"b"]`, `[null,null]`}},
		"ends of lines":     {"s:string", "f", "\ufeffa\r\nb\rc\r\r\n\nd", nil, nil, []string{`["a"]`, `["b"]`, `["c"]`, `[""]`, `[""]`, `["d"]`}},
		"delimiter":         {"a:int b:int", "f", "1,2\n", ids(","), nil, []string{`[1,2]`}},
		"tab":               {"a:int b:int", "f", "1\t2\n", ids("\t"), nil, []string{`[1,2]`}},
		"number":            {"a:int b:int", "f", "1|2\n", ids("124"), nil, []string{`[1,2]`}},
		"format":            {"a:int b:int", "f", "1,2\n", map[string]string{"serialization.format": ","}, nil, []string{`[1,2]`}},
		"null and header":   {"a:int b:string", "f", "a\x01b\n1\x01-\n-\x01\\N\n", map[string]string{"serialization.null.format": "-"}, map[string]string{"skip.header.line.count": "1"}, []string{`[1,null]`, `[null,"\\N"]`}},
		"null of nothing":   {"a:int b:string", "f", "1\x01\n", map[string]string{"serialization.null.format": ""}, nil, []string{`[1,null]`}},
		"compressed":        {"a:int b:string", "f.gz", packed.String(), nil, nil, []string{`[1,"a"]`}},
		"types":             {"a:boolean b:tinyint c:bigint d:float e:double f:date g:decimal(6,2) h:varchar(3)", "f", "TRUE\x01-8\x01+7\x01-Infinity\x011e3\x012024-03-01\x017.5\x01äöü\n", nil, nil, []string{`[true,-8,7,"fff800000","d408f400000000000",19783,"7.50","\u00e4\u00f6\u00fc"]`}},
		"lists":             {"l:array<int> m:map<string,array<int>> r:struct<x:int,y:string>", "f", "1\x022\x01a\x031\x042\x02b\x01\\N\n\x01\x015\x02z\n", nil, nil, []string{`[[1,2],[["a",[1,2]],["b",null]],null]`, `[[],[],[5,"z"]]`}},
		"delimiters":        {"l:array<int> m:map<string,int>", "f", "1;2,a=1;b=2\n", map[string]string{"field.delim": ",", "colelction.delim": ";", "mapkey.delim": "="}, nil, []string{`[[1,2],[["a",1],["b",2]]]`}},
		"escapes":           {"a:string b:string", "f", `x\,y\n,z` + "\n", map[string]string{"field.delim": ",", "escape.delim": "\\"}, nil, []string{`["x,y\u000a","z"]`}},
		"the rest":          {"a:string b:string", "f", "x,y,z\n", map[string]string{"field.delim": ",", "serialization.last.column.takes.rest": "true"}, nil, []string{`["x","y,z"]`}},
		"binary and char":   {"a:binary b:char(3)", "f", "YWI=\x01a\n", nil, nil, []string{`["6162","a  "]`}},
		"ISO":               {"a:timestamp", "f", "2024-01-01T00:00:00\n", nil, nil, []string{`[[1704067200,0]]`}},
		"nothing":           {"a:int", "f", "\ufeff", nil, nil, nil},
		"header and no row": {"a:int", "f", "a", nil, map[string]string{"skip.header.line.count": "3"}, nil},
	} {
		got, _, err := rowsOf(t, textTable(t, c.columns, c.file, c.content, c.serde, c.parameters), readers.Options{}, "")
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q, %v", name, got, c.want, err)
		}
	}
}

// TestCSV reads lines as OpenCSVSerde does. TestMetastore has Hive read such lines.
func TestCSV(t *testing.T) {
	table := func(cols, content string, serde map[string]string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		m := &metastore.Table{
			Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Parameters: map[string]string{"skip.header.line.count": "1"},
			Storage: metastore.Storage{Columns: columns(cols), Location: dir, InputFormat: textInput, SerDe: "org.apache.hadoop.hive.serde2.OpenCSVSerde", SerDeParameters: serde},
		}
		return serve(t, &metastorefake.Server{Tables: map[string]*metastore.Table{"d.t": m}}) + "d.t"
	}
	got, _, err := rowsOf(t, table("a:string b:string", "x,y\na,\"b, c\"\n\"\"\"\",\n\n1\n1,2,3\n", nil), readers.Options{}, "")
	if want := []string{`["a","b, c"]`, `["\"",""]`, `[null,null]`, `["1",null]`, `["1","2"]`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
	got, _, err = rowsOf(t, table("a:string b:string", "x\n'a|b'|\\\n", map[string]string{"separatorChar": "|", "quoteChar": "'", "escapeChar": "#"}), readers.Options{}, "")
	if want := []string{`["a|b","\\"]`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
	// Hive's parser has rules of its own for quotes and escapes inside of values: TestTexts has it read random lines.
	got, _, err = rowsOf(t, table("a:int b:string", "x\na\\,b\na\"b\",c\n\"a\\\"b\"\n\"a\n\"a\"b\na, \"b\"\na,\"b\n", nil), readers.Options{}, "")
	if want := []string{`["a","b"]`, `["ab","c"]`, `["a\"b",null]`, `[null,null]`, `["ab",null]`, `["a","b"]`, `["a",null]`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
	for _, c := range []struct {
		columns string
		serde   map[string]string
		want    string
	}{
		{"a:string", map[string]string{"separatorChar": "||"}, "separatorChar"},
		{"a:string", map[string]string{"quoteChar": "ä"}, "quoteChar"},
		{"a:string", map[string]string{"quoteChar": ","}, "one character is two"},
	} {
		if _, _, err := rowsOf(t, table(c.columns, "x", c.serde), readers.Options{}, ""); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, not %q", c, err, c.want)
		}
	}
}

// TestJSON reads lines as JsonSerDe does.
func TestJSON(t *testing.T) {
	table := func(serde, content string, parameters map[string]string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		m := &metastore.Table{
			Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Parameters: parameters,
			Storage: metastore.Storage{Columns: columns("id:int s:string r:struct<a:double,l:array<int>> m:map<int,date>"), Location: dir, InputFormat: textInput, SerDe: serde},
		}
		return serve(t, &metastorefake.Server{Tables: map[string]*metastore.Table{"d.t": m}}) + "d.t"
	}
	const own, hcatalog = "org.apache.hadoop.hive.serde2.JsonSerDe", "org.apache.hive.hcatalog.data.JsonSerDe"
	for _, serde := range []string{own, hcatalog} {
		got, _, err := rowsOf(t, table(serde, `{"S":"x","ID":1,"no":[1,{}],"r":{"L":[1,null],"A":"NaN"},"m":{"1":"2024-01-01"}}`+"\n"+`{"_col1":12.50}`+"\n", nil), readers.Options{}, "")
		if want := []string{`[1,"x",["d7ff8000000000000",[1,null]],[[1,19723]]]`, `[null,"12.50",null,null]`}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, want %q, %v", got, want, err)
		}
	}
	got, _, err := rowsOf(t, table(own, "\n", map[string]string{"text.null.empty.line": "true"}), readers.Options{}, "")
	if want := []string{`[null,null,null,null]`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
	for content, want := range map[string]string{
		"\n": "text.null.empty.line", `{"id":1.5}`: "column id", `{"id":99999999999}`: "not int", `{"id":[1]}`: "an array", `{"id":1,"ID":2}`: "comes twice",
		`{"r":{"l":[1,"x"]}}`: "column r", `{"m":{"x":null}}`: "not int", `{"id":1`: "line 1", `{"id":1}{}`: "the end of the line", `{"m":{"1":null,"1":null}}`: "comes twice",
	} {
		if _, _, err := rowsOf(t, table(own, content, nil), readers.Options{}, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", content, err, want)
		}
	}
}

// TestTextRefused does not show what Hive shows otherwise.
func TestTextRefused(t *testing.T) {
	for name, c := range map[string]struct {
		columns, file, content string
		serde, parameters      map[string]string
		want                   string
	}{
		"several bytes": {"a:string", "f", "a\n", map[string]string{"field.delim": "||"}, nil, "first byte alone"},
		"not ASCII":     {"a:string", "f", "a\n", map[string]string{"field.delim": "ä"}, nil, "first byte alone"},
		"footer":        {"a:string", "f", "a\n", nil, map[string]string{"skip.footer.line.count": "1"}, "skip.footer"},
		"header":        {"a:string", "f", "a\n", nil, map[string]string{"skip.header.line.count": "x"}, "skip.header"},
		"encoding":      {"a:string", "f", "a\n", map[string]string{"serialization.encoding": "latin1"}, nil, "UTF-8"},
		"formats":       {"a:timestamp", "f", "a\n", map[string]string{"timestamp.formats": "yyyy"}, nil, "timestamp.formats"},
		"booleans":      {"a:boolean", "f", "a\n", nil, map[string]string{"hive.lazysimple.extended_boolean_literal": "true"}, "extended_boolean"},
		"compressed":    {"a:int", "f.snappy", "1\n", nil, nil, ".snappy"},
		"no number":     {"b:string a:int", "f", "x\x011\nx\x011.5\n", nil, nil, "line 2"},
		"no boolean":    {"a:boolean", "f", "1\n", nil, nil, "Hive shows"},
		"no double":     {"a:double", "f", "inf\n", nil, nil, "Hive shows"},
		"zone":          {"a:timestamp", "f", "2024-01-01 00:00:00Z\n", nil, nil, "Hive shows"},
		"too long":      {"a:varchar(2)", "f", "äöü\n", nil, nil, "is not varchar(2)"},
		"digits":        {"a:decimal(3,1)", "f", "1.25\n", nil, nil, "Hive shows"},
		"not UTF-8":     {"a:string", "f", "\xff\n", nil, nil, "UTF-8"},
	} {
		_, _, err := rowsOf(t, textTable(t, c.columns, c.file, c.content, c.serde, c.parameters), readers.Options{}, "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, not %q", name, err, c.want)
		}
	}
}

// TestTextPartitions shows a partition of text that has other columns than the table by their places, as Hive does.
func TestTextPartitions(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("1\x01x\x013\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(names string) metastore.Storage {
		return metastore.Storage{Columns: columns(names), Location: dir, InputFormat: textInput, SerDe: lazySerDe}
	}
	s := &metastorefake.Server{
		Tables:     map[string]*metastore.Table{"d.t": {Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Keys: columns("p:int"), Storage: at("a:bigint s:string c:int")}},
		Partitions: map[string][]metastore.Partition{"d.t": {{Values: []string{"1"}, Storage: at("old:int s:string")}, {Values: []string{"2"}, Storage: at("a:bigint s:string c:int")}}},
	}
	got, _, err := rowsOf(t, serve(t, s)+"d.t", readers.Options{}, "")
	if want := []string{`[1,"x",null,1]`, `[1,"x",3,2]`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
}
