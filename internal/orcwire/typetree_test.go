package orcwire

import (
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

func attribute(k, v string) pbtest.Message { return pbtest.Message(nil).Text(1, k).Text(2, v) }

// treeOf is a footer of a type of each shape.
func treeOf() pbtest.Message {
	return footerOf(
		names(typeMsg(Struct, 1, 2, 4, 7, 10, 13), "a", "l.", "m", "u", "", "s"),
		typeMsg(Decimal).Uint(5, 38).Uint(6, 38).Bytes(7, attribute("iceberg.id", "1")).Bytes(7, attribute("iceberg.required", "true")),
		typeMsg(List, 3),
		typeMsg(Varchar).Uint(4, 1<<32-1),
		typeMsg(Map).Uint(2, 5).Uint(2, 6), // not packed
		typeMsg(String),
		typeMsg(TimestampInstant),
		typeMsg(Union, 8, 9),
		typeMsg(Char).Uint(4, 3),
		typeMsg(Decimal),
		names(typeMsg(Struct, 11, 12), "x", "x"),
		typeMsg(Byte),
		typeMsg(Geometry).Text(8, "srid:5070"),
		typeMsg(Struct),
	)
}

func TestTypeTree(t *testing.T) {
	f := mustFooter(t, treeOf())
	root := f.Types[0]
	want := "struct<a:decimal(38,38),`l.`:array<varchar(4294967295)>,m:map<string,timestamp with local time zone>," +
		"u:uniontype<char(3),decimal>,``:struct<x:tinyint,x:geometry(srid:5070)>,s:struct<>>"
	if root.String() != want {
		t.Errorf("%s, want %s", root, want)
	}
	for i, c := range []struct {
		path string
		last int
	}{
		{"", 13},
		{"a", 1},
		{`"l."`, 3},
		{`"l.".item`, 3},
		{"m", 6},
		{"m.key", 5},
		{"m.value", 6},
		{"u", 9},
		{"u._0", 8},
		{"u._1", 9},
		{`""`, 12},
		{`"".x`, 11},
		{`"".x`, 12},
		{"s", 13},
	} {
		typ := f.Types[i]
		if typ.ID != i || typ.Path() != c.path || typ.Last != c.last {
			t.Errorf("type %d: id %d, path %s, last %d; want path %s, last %d", i, typ.ID, typ.Path(), typ.Last, c.path, c.last)
		}
		for _, k := range typ.Children {
			if k.Parent != typ {
				t.Errorf("type %d is not the parent of %d", i, k.ID)
			}
		}
	}
	if v, ok := f.Types[1].Attribute("iceberg.required"); !ok || v != "true" {
		t.Error(v, ok)
	}
	if _, ok := f.Types[1].Attribute("iceberg"); ok {
		t.Error("an attribute that is not there")
	}
	// As ORC Java prints a file of Hive 0.11: 12345678.6547456000.
	if p, s := f.Types[9].DecimalType(); p != 38 || s != 10 {
		t.Errorf("decimal of Hive 0.11 is (%d,%d)", p, s)
	}
	if p, s := f.Types[1].DecimalType(); p != 38 || s != 38 {
		t.Errorf("decimal is (%d,%d)", p, s)
	}
	if f := mustFooter(t, footerOf(typeMsg(List, 1), typeMsg(Date))); f.Types[0].Path() != "_root" || f.Types[1].Path() != "_root.item" {
		t.Error(f.Types[0].Path(), f.Types[1].Path())
	}
	corruptEverywhere(t, treeOf(), func(b []byte) error {
		_, err := ParseFooter(b, errs.Limits{Columns: 100, Splits: 100, MetadataBytes: 1 << 16})
		return err
	})
}

func TestBadTypeTrees(t *testing.T) {
	leaf := typeMsg(Int)
	for _, c := range []struct {
		name string
		b    pbtest.Message
		kind errs.Kind
		text string
	}{
		{"no types", nil, errs.ErrCorrupt, "no types"},
		{"cycle", footerOf(typeMsg(List, 0), leaf), errs.ErrCorrupt, "type 0 has type 0 for a child"},
		{"back edge", footerOf(names(typeMsg(Struct, 1), "a"), typeMsg(List, 1)), errs.ErrCorrupt, "2 types have 2 children"},
		{"child twice", footerOf(names(typeMsg(Struct, 1, 1), "a", "b"), leaf, leaf), errs.ErrCorrupt, "type 0 has type 1 for a child, not 2"},
		{"out of range", footerOf(names(typeMsg(Struct, 1, 99), "a", "b"), leaf, leaf), errs.ErrCorrupt, "type 99"},
		{"beyond the end", footerOf(names(typeMsg(Struct, 1, 2), "a", "b"), typeMsg(Struct), typeMsg(List, 3)), errs.ErrCorrupt, "3 types have 3 children"},
		{"child missing", footerOf(typeMsg(List, 1)), errs.ErrCorrupt, "1 types have 1 children"},
		{"order", footerOf(names(typeMsg(Struct, 2, 1), "a", "b"), leaf, leaf), errs.ErrCorrupt, "pre-order"},
		{"not in pre-order", footerOf(names(typeMsg(Struct, 1, 2), "a", "b"), typeMsg(List, 3), leaf, leaf), errs.ErrCorrupt, "type 1 has type 3 for a child, not 2"},
		{"orphan", footerOf(leaf, leaf), errs.ErrCorrupt, "no type's child"},
		{"id over 32 bits", footerOf(typeMsg(List, 1<<32+1), leaf), errs.ErrCorrupt, "pre-order"},
		{"list without child", footerOf(typeMsg(List)), errs.ErrCorrupt, "array with 0 children"},
		{"list of two", footerOf(typeMsg(List, 1, 2), leaf, leaf), errs.ErrCorrupt, "array with 2 children"},
		{"map of one", footerOf(typeMsg(Map, 1), leaf), errs.ErrCorrupt, "map with 1 children"},
		{"empty union", footerOf(typeMsg(Union)), errs.ErrCorrupt, "uniontype with 0 children"},
		{"int with a child", footerOf(typeMsg(Int, 1), leaf), errs.ErrCorrupt, "int with 1 children"},
		{"no names", footerOf(typeMsg(Struct, 1), leaf), errs.ErrCorrupt, "0 names for 1 children"},
		{"a name too many", footerOf(names(typeMsg(Struct, 1), "a", "b"), leaf), errs.ErrCorrupt, "2 names for 1 children"},
		{"kind 21", footerOf(typeMsg(21)), errs.ErrUnsupported, "kind 21"},
		{"kind over 64 bits", footerOf(typeMsg(0).Uint(1, 1<<63)), errs.ErrUnsupported, "is not known"},
		{"no kind", footerOf(pbtest.Message(nil).Uint(5, 3)), errs.ErrCorrupt, "type 0: no kind"},
		{"precision 39", footerOf(typeMsg(Decimal).Uint(5, 39)), errs.ErrCorrupt, "decimal(39,0)"},
		{"scale over precision", footerOf(typeMsg(Decimal).Uint(5, 3).Uint(6, 4)), errs.ErrCorrupt, "decimal(3,4)"},
		{"scale without precision", footerOf(typeMsg(Decimal).Uint(6, 39)), errs.ErrCorrupt, "decimal(0,39)"},
		{"edge algorithm", footerOf(typeMsg(Geography).Uint(9, 5)), errs.ErrUnsupported, "edge algorithm 5"},
		{"names as numbers", footerOf(typeMsg(Struct, 1).Uint(3, 1), leaf), errs.ErrCorrupt, "wire type"},
		{"type as number", footerOf(leaf).Uint(4, 1), errs.ErrCorrupt, "wire type"},
	} {
		_, err := ParseFooter(c.b, errs.Limits{})
		wantKind(t, c.name, err, c.kind)
		if err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", c.name, err, c.text)
		}
	}
}

func TestTypeLimits(t *testing.T) {
	deep := func(n int) pbtest.Message { // n lists and an int
		var w pbtest.Message
		for i := range n {
			w = w.Bytes(4, typeMsg(List, uint64(i+1)))
		}
		return w.Bytes(4, typeMsg(Int))
	}
	if _, err := ParseFooter(deep(128), errs.Limits{}); err != nil {
		t.Error(err)
	}
	_, err := ParseFooter(deep(129), errs.Limits{})
	wantKind(t, "depth", err, errs.ErrLimit)
	_, err = ParseFooter(deep(60000), errs.Limits{})
	wantKind(t, "great depth", err, errs.ErrLimit)
	b := footerOf(names(typeMsg(Struct, 1, 2), "a", "b"), typeMsg(Int), typeMsg(Int))
	if _, err := ParseFooter(b, errs.Limits{Columns: 2}); err != nil {
		t.Error(err)
	}
	_, err = ParseFooter(b, errs.Limits{Columns: 1})
	wantKind(t, "columns", err, errs.ErrLimit)
}

func TestKinds(t *testing.T) {
	for k, want := range []string{
		"boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary", "timestamp", "array", "map", "struct",
		"uniontype", "decimal", "date", "varchar", "char", "timestamp with local time zone", "geometry", "geography", "kind 21",
	} {
		if got := Kind(k).String(); got != want {
			t.Errorf("%d: %s, want %s", k, got, want)
		}
		if compound := k >= 10 && k <= 13; Kind(k).Compound() != compound {
			t.Errorf("%s: compound %t", want, !compound)
		}
	}
}
