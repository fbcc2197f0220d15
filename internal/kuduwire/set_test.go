package kuduwire

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

func sampleSet() *Set {
	return &Set{
		Writer: "test", Table: "metrics",
		Schema: Schema{Columns: []Column{
			{ID: 0, HasID: true, Name: "host", Type: cfilewire.String, Key: true, Encoding: cfilewire.EncodingDict, Compression: cfilewire.LZ4},
			{ID: 3, HasID: true, Name: "at", Type: cfilewire.UnixtimeMicros, Key: true},
			{ID: 7, HasID: true, Name: "größe/π", Type: cfilewire.Decimal64, Precision: 15, Scale: 2, Nullable: true, BlockSize: 4096, Comment: "a \"b\""},
			{ID: 9, HasID: true, Name: "v", Type: cfilewire.Varchar, Length: 10, Nullable: true},
		}},
		RowSets: []SetRowSet{
			{
				Rows: 5, Columns: []SetFile{{"rowset-00000/host.cfile", 100}, {"rowset-00000/at.cfile", 200}, {"rowset-00000/column-002.cfile", 1}, {"rowset-00000/v.cfile", 0}},
				Keys: &SetFile{"rowset-00000/key-index.cfile", 7}, Bloom: &SetFile{"rowset-00000/bloom.cfile", 8}, MinKey: []byte{0, 1}, MaxKey: []byte("z"),
			},
		},
	}
}

// What Text writes, ParseSet reads, and IsSet knows by its beginning.
func TestSetRoundTrip(t *testing.T) {
	for _, s := range []*Set{sampleSet(), {Schema: Schema{Columns: []Column{{HasID: true, Name: "u", Type: cfilewire.UInt64}}}}, {}} {
		b, err := s.Text()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseSet(b, errs.Limits{})
		if err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		if !reflect.DeepEqual(got, s) {
			t.Errorf("got %+v\nwant %+v", got, s)
		}
		if !IsSet(b[:min(len(b), 60)]) {
			t.Errorf("not known by its beginning: %s", b[:60])
		}
	}
	for _, other := range []string{"", "{", "[]", `{"format": "x"}`, `{"version": 1}`, `"kudu-set"`} {
		if IsSet([]byte(other)) {
			t.Errorf("%q is taken for a set", other)
		}
	}
}

// Texts that describe no set, or one that leads elsewhere, are refused.
func TestSetRefused(t *testing.T) {
	b, err := sampleSet().Text()
	if err != nil {
		t.Fatal(err)
	}
	good := string(b)
	for name, x := range map[string]struct {
		old, new string
		kind     error
	}{
		"format":           {"kudu-set", "other", errs.ErrUnsupported},
		"version":          {`"version": 1`, `"version": 2`, errs.ErrUnsupported},
		"text":             {`"rowsets": [`, `"rowsets": [[`, errs.ErrCorrupt},
		"type":             {`"decimal64"`, `"decimal63"`, errs.ErrUnsupported},
		"virtual type":     {`"decimal64"`, `"is_deleted"`, errs.ErrUnsupported},
		"encoding":         {`"dict"`, `"dictionary"`, errs.ErrUnsupported},
		"compression":      {`"lz4"`, `"lzo"`, errs.ErrUnsupported},
		"no name":          {`"host"`, `""`, errs.ErrCorrupt},
		"same name":        {`"name": "at"`, `"name": "host"`, errs.ErrCorrupt},
		"same id":          {`"id": 3`, `"id": 7`, errs.ErrCorrupt},
		"up":               {"rowset-00000/at.cfile", "../at.cfile", errs.ErrCorrupt},
		"inside up":        {"rowset-00000/at.cfile", "rowset-00000/../../at.cfile", errs.ErrCorrupt},
		"absolute":         {"rowset-00000/at.cfile", "/etc/passwd", errs.ErrCorrupt},
		"hidden":           {"rowset-00000/at.cfile", "rowset-00000/.at.cfile", errs.ErrCorrupt},
		"empty file":       {"rowset-00000/at.cfile", "", errs.ErrCorrupt},
		"itself":           {"rowset-00000/at.cfile", "schema.json", errs.ErrCorrupt},
		"twice":            {"rowset-00000/at.cfile", "rowset-00000/host.cfile", errs.ErrCorrupt},
		"negative bytes":   {`"bytes": 200`, `"bytes": -1`, errs.ErrCorrupt},
		"negative rows":    {`"rows": 5`, `"rows": -5`, errs.ErrCorrupt},
		"rows":             {`"rows": 5`, `"rows": 4294967297`, errs.ErrCorrupt},
		"no key index":     {`"key_index"`, `"x"`, errs.ErrCorrupt},
		"no bloom":         {`"bloom"`, `"x"`, errs.ErrCorrupt},
		"key text":         {`"0001"`, `"0g"`, errs.ErrCorrupt},
		"nullable key":     {`"key": true`, `"key": true, "nullable": true`, errs.ErrCorrupt},
		"key behind":       {`"scale": 2`, `"scale": 2, "key": true, "x": 1`, errs.ErrCorrupt},
		"files of columns": {`"columns": [` + "\n        {\n          \"file\": \"rowset-00000/host.cfile\",\n          \"bytes\": 100\n        },", `"columns": [`, errs.ErrCorrupt},
	} {
		text := strings.Replace(good, x.old, x.new, 1)
		if text == good {
			t.Fatalf("%s: nothing replaced in\n%s", name, good)
		}
		if _, err := ParseSet([]byte(text), errs.Limits{}); !errors.Is(err, x.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ParseSet(b, errs.Limits{Columns: 3}); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("too many columns: %v", err)
	}
	if _, err := ParseSet(b, errs.Limits{MetadataBytes: 100}); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("too long: %v", err)
	}
}

func FuzzSet(f *testing.F) {
	b, err := sampleSet().Text()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"format":"kudu-set","version":1,"columns":[],"rowsets":[]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		IsSet(b)
		s, err := ParseSet(b, errs.Limits{})
		if err != nil {
			return
		}
		again, err := s.Text()
		if err != nil {
			t.Fatal(err)
		}
		s2, err := ParseSet(again, errs.Limits{})
		if err != nil {
			t.Fatalf("%v\n%s", err, again)
		}
		if !reflect.DeepEqual(s2, s) {
			t.Errorf("got %+v\nwant %+v", s2, s)
		}
	})
}
