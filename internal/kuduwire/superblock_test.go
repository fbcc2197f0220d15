package kuduwire

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/pb"
)

const superBlockType = "kudu.tablet.TabletSuperBlockPB"

// What the kudu tool of the same version says of the real superblock.
func TestSuperBlock(t *testing.T) {
	s, err := ParseSuperBlock(realContainer(t, superBlockType, realSuperBlock), noLimits)
	if err != nil {
		t.Fatal(err)
	}
	if s.TableID != "62dff585112f4960aa8cd2ef072ee130" || s.TabletID != "ce40d686ef15486c9100d1d1cea89ec7" || s.TableName != "d_metrics" ||
		s.LastDurableMRS != 4 || s.SchemaVersion != 1 || s.State != TabletReady || s.State.String() != "ready" || len(s.Orphaned) != 0 ||
		len(s.PartitionStart) != 0 || len(s.PartitionEnd) != 0 || !s.CountsLiveRows || s.TxnMetadata || s.TxnStatus ||
		!slices.Equal(s.DataDirs, []string{"a36d2125b2da4f09b2f6b889745a345c"}) {
		t.Errorf("%+v", s)
	}
	columns := func(first uint64, ids ...int32) (c []ColumnBlock) {
		for i, id := range ids {
			c = append(c, ColumnBlock{first + uint64(i), id})
		}
		return c
	}
	rowsets := []RowSet{
		{ID: 0, LastDurableDMS: 3, Columns: columns(44, 0, 1, 2, 3, 4, 5, 6, 7, 8), Redo: []uint64{57, 58, 59, 102}, Undo: []uint64{55}, Bloom: 53, AdHoc: 54, LiveRows: 1176},
		{ID: 1, LastDurableDMS: 0, Columns: columns(60, 0, 1, 2, 3, 4, 5, 6, 7, 8), Redo: []uint64{73}, Undo: []uint64{71}, Bloom: 69, AdHoc: 70, LiveRows: 300},
		{ID: 2, LastDurableDMS: -1, Columns: columns(74, 0, 1, 2, 3, 4, 5, 6, 7, 8), Undo: []uint64{85}, Bloom: 83, AdHoc: 84, LiveRows: 12},
		{ID: 3, LastDurableDMS: -1, Columns: columns(87, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11), Undo: []uint64{100}, Bloom: 98, AdHoc: 99, LiveRows: 150},
	}
	for i := range rowsets {
		rowsets[i].HasBloom, rowsets[i].HasAdHoc = true, true
	}
	for i := range rowsets {
		if i >= len(s.RowSets) || !reflect.DeepEqual(s.RowSets[i], rowsets[i]) {
			t.Errorf("rowset %d: %+v", i, s.RowSets[i])
		}
	}
	want := []Column{
		{ID: 0, Name: "host", Type: cfilewire.String, Key: true},
		{ID: 1, Name: "ts", Type: cfilewire.UnixtimeMicros, Key: true},
		{ID: 2, Name: "val", Type: cfilewire.Double},
		{ID: 3, Name: "counter", Type: cfilewire.Int32, Nullable: true},
		{ID: 4, Name: "note", Type: cfilewire.String, Nullable: true},
		{ID: 5, Name: "flag", Type: cfilewire.Bool},
		{ID: 6, Name: "amt", Type: cfilewire.Decimal128, Nullable: true, Precision: 20, Scale: 4},
		{ID: 8, Name: "bin", Type: cfilewire.Binary, Nullable: true},
		{ID: 9, Name: "added_null", Type: cfilewire.Int64, Nullable: true},
		{ID: 10, Name: "added_dflt", Type: cfilewire.String},
		{ID: 11, Name: "added_null_dflt", Type: cfilewire.Int32, Nullable: true},
	}
	if len(s.Schema.Columns) != len(want) || s.Schema.Keys() != 2 || s.Schema.Index(8) != 7 || s.Schema.Index(7) != -1 {
		t.Fatalf("%+v", s.Schema)
	}
	for i, c := range s.Schema.Columns {
		w := want[i]
		if c.ID != w.ID || !c.HasID || c.Name != w.Name || c.Type != w.Type || c.Key != w.Key || c.Nullable != w.Nullable ||
			c.Precision != w.Precision || c.Scale != w.Scale || c.Immutable || c.AutoIncrement || c.Array {
			t.Errorf("column %d: %+v", i, c)
		}
	}
	if c := s.Schema.Columns[3]; c.Encoding != cfilewire.EncodingRLE {
		t.Errorf("counter: %s", c.Encoding)
	}
	if c := s.Schema.Columns[4]; c.Compression != cfilewire.LZ4 {
		t.Errorf("note: %s", c.Compression)
	}
	if c := s.Schema.Columns[9]; string(c.ReadDefault) != "dflt" || string(c.WriteDefault) != "dflt" {
		t.Errorf("defaults %q, %q", c.ReadDefault, c.WriteDefault)
	}
	if c := s.Schema.Columns[10]; !bytes.Equal(c.ReadDefault, []byte{77, 0, 0, 0}) {
		t.Errorf("default %v", c.ReadDefault)
	}
	uses := s.Blocks()
	if len(uses) != 9+4+1+2+9+1+1+2+9+1+2+11+1+2 || uses[0].String() != "column 0 of rowset 0" || uses[9].String() != "a redo delta file of rowset 0" {
		t.Errorf("%d blocks: %v", len(uses), uses)
	}
}

func column(id int64, name string, typ cfilewire.DataType, key bool) msg {
	m := msg{}.num(1, id).str(2, name).num(3, int64(typ))
	if key {
		m = m.num(4, 1)
	}
	return m
}

func schemaOf(columns ...msg) msg {
	m := msg{}
	for _, c := range columns {
		m = m.sub(1, c)
	}
	return m
}

const someTablet = "ce40d686ef15486c9100d1d1cea89ec7"

func superBlockOf(rowsets ...msg) msg {
	m := msg{}.str(1, "t").str(2, someTablet).num(3, 1).str(7, "table").sub(8, schemaOf(column(0, "k", cfilewire.Int32, true))).num(9, 0)
	for _, r := range rowsets {
		m = m.sub(6, r)
	}
	return m
}

func TestSuperBlockFields(t *testing.T) {
	m := superBlockOf(
		msg{}.num(1, 7).num(2, -1).sub(3, msg{}.block(2, 1)).sub(3, msg{}.block(2, 2).num(4, 5)),
		msg{}.num(1, math.MaxInt64).num(2, 0).str(8, "a").str(9, "b").num(10, 3),
	).num(10, 3).block(11, 77).block(11, 78).str(20, "").num(19, 1).str(18, "label").
		sub(13, msg{}.str(1, "\x01\x02").str(2, "start").str(3, "end"))
	for version := 1; version <= 2; version++ {
		s, err := ParseSuperBlock(containerOf(version, superBlockType, m), noLimits)
		if err != nil {
			t.Fatal(err)
		}
		if s.State != TabletTombstoned || !slices.Equal(s.Orphaned, []uint64{77, 78}) || !s.TxnMetadata || !s.TxnStatus || s.DimensionLabel != "label" ||
			!slices.Equal(s.HashBuckets, []int32{1, 2}) || string(s.PartitionStart) != "start" || string(s.PartitionEnd) != "end" {
			t.Errorf("%+v", s)
		}
		r := s.RowSets[0]
		if r.ID != 7 || r.LastDurableDMS != -1 || r.LiveRows != -1 || r.HasBloom || r.HasAdHoc || !slices.Equal(r.Columns, []ColumnBlock{{1, 0}, {2, 5}}) {
			t.Errorf("%+v", r)
		}
		if r = s.RowSets[1]; r.ID != math.MaxInt64 || r.LastDurableDMS != 0 || r.LiveRows != 3 || string(r.MinKey) != "a" || string(r.MaxKey) != "b" {
			t.Errorf("%+v", r)
		}
	}
	s, err := ParseSuperBlock(containerOf(2, superBlockType, superBlockOf().num(10, 999)), noLimits)
	if err != nil || s.State != TabletUnknown || TabletState(200).String() != "tombstoned" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSuperBlockRefused(t *testing.T) {
	rowset := func(id int64) msg { return msg{}.num(1, id).num(2, 0) }
	for name, c := range map[string]struct {
		m    msg
		want string
	}{
		"nothing":             {nil, "no tablet id"},
		"no schema":           {msg{}.str(2, someTablet), "no schema"},
		"no key":              {msg{}.str(2, someTablet).sub(8, schemaOf(column(1, "a", cfilewire.Int8, false))), "key"},
		"no ids":              {msg{}.str(2, someTablet).sub(8, schemaOf(column(0, "a", cfilewire.Int8, true), msg{}.str(2, "b").num(3, 1))), "no ids"},
		"two rowsets":         {superBlockOf(rowset(3), rowset(3)), "two rowsets"},
		"rowset without id":   {superBlockOf(msg{}.num(2, 0)), "no id"},
		"negative rowset":     {superBlockOf(rowset(-1)), ""},
		"negative dms":        {superBlockOf(rowset(1).num(2, -2)), "-2"},
		"column twice":        {superBlockOf(rowset(1).sub(3, msg{}.block(2, 1)).sub(3, msg{}.block(2, 2))), "two blocks"},
		"column without":      {superBlockOf(rowset(1).sub(3, msg{}.num(4, 1))), "no block"},
		"redo without":        {superBlockOf(rowset(1).sub(4, nil)), "no block"},
		"block 0":             {superBlockOf(rowset(1).block(6, 0)), "without an id"},
		"block id varint":     {superBlockOf(rowset(1).sub(6, msg{}.num(1, 4))), "wire type"},
		"block twice":         {superBlockOf(rowset(1).block(6, 9), rowset(2).sub(5, msg{}.block(2, 9))), "bloom filter of rowset 1 and an undo delta file of rowset 2"},
		"half a rowset":       {superBlockOf(msg{0x08}), ""},
		"rowsets as a number": {superBlockOf().num(6, 1), "wire type"},
	} {
		_, err := ParseSuperBlock(containerOf(2, superBlockType, c.m), noLimits)
		if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	real := realContainer(t, superBlockType, realSuperBlock)
	for n := range real {
		if _, err := ParseSuperBlock(real[:n], noLimits); !errors.Is(err, errs.ErrCorrupt) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	if _, err := ParseSuperBlock(real, errs.Limits{Columns: 10}); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("columns: %v", err)
	}
}

func TestSchema(t *testing.T) {
	full := column(3, "a", cfilewire.Decimal64, false).num(5, 1).str(6, "").num(8, 99).num(9, 99).num(10, 512).
		sub(11, msg{}.num(1, 18).num(2, 18).num(3, 7)).str(12, "why").num(13, 1).num(14, 1)
	_, err := ParseSchema(pb.New(schemaOf(full)), noLimits)
	if !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("an empty default for a decimal: %v", err)
	}
	full = append(full, msg{}.str(6, "12345678").str(7, "87654321")...)
	s, err := ParseSchema(pb.New(schemaOf(full)), noLimits)
	if err != nil {
		t.Fatal(err)
	}
	want := Column{
		ID: 3, HasID: true, Name: "a", Type: cfilewire.Decimal64, Nullable: true, Immutable: true, AutoIncrement: true,
		ReadDefault: []byte("12345678"), WriteDefault: []byte("87654321"), BlockSize: 512, Precision: 18, Scale: 18, Length: 7, Comment: "why",
	}
	if !reflect.DeepEqual(s.Columns[0], want) {
		t.Errorf("%+v", s.Columns[0])
	}
	// A client's schema, in which an empty string is a default and no default is none.
	s, err = ParseSchema(pb.New(schemaOf(msg{}.str(2, "k").num(3, 8).num(4, 1), msg{}.str(2, "v").num(3, 8).str(7, ""))), noLimits)
	if err != nil || s.Columns[0].HasID || s.Columns[0].WriteDefault != nil || s.Columns[1].WriteDefault == nil || s.Columns[1].ReadDefault != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if s.CheckIDs() == nil {
		t.Error("a client's schema taken for a table's")
	}
	// An array of int16, as later versions have them.
	s, err = ParseSchema(pb.New(schemaOf(column(1, "l", cfilewire.Nested, false).sub(15, msg{}.sub(1, msg{}.num(1, int64(cfilewire.Int16)))))), noLimits)
	if err != nil || !s.Columns[0].Array || s.Columns[0].Type != cfilewire.Int16 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSchemaRefused(t *testing.T) {
	key, other := column(0, "k", cfilewire.Int32, true), column(1, "v", cfilewire.Int32, false)
	for name, c := range map[string]struct {
		m    msg
		kind errs.Kind
	}{
		"same id":          {schemaOf(key, column(0, "w", cfilewire.Int8, false)), errs.ErrCorrupt},
		"same name":        {schemaOf(key, column(2, "k", cfilewire.Int8, false)), errs.ErrCorrupt},
		"key behind":       {schemaOf(other, key), errs.ErrCorrupt},
		"nullable key":     {schemaOf(append(key, msg{}.num(5, 1)...)), errs.ErrCorrupt},
		"no name":          {schemaOf(msg{}.num(3, 1)), errs.ErrCorrupt},
		"empty name":       {schemaOf(msg{}.str(2, "").num(3, 1)), errs.ErrCorrupt},
		"no type":          {schemaOf(msg{}.str(2, "a")), errs.ErrUnsupported},
		"unknown type":     {schemaOf(msg{}.str(2, "a").num(3, 22)), errs.ErrUnsupported},
		"negative type":    {schemaOf(msg{}.str(2, "a").num(3, -1)), errs.ErrUnsupported},
		"is deleted":       {schemaOf(column(1, "a", cfilewire.IsDeleted, false)), errs.ErrUnsupported},
		"nested, of what":  {schemaOf(column(1, "a", cfilewire.Nested, false)), errs.ErrUnsupported},
		"nested in nested": {schemaOf(column(1, "a", cfilewire.Nested, false).sub(15, msg{}.sub(1, msg{}.num(1, 21)))), errs.ErrUnsupported},
		"digits":           {schemaOf(column(1, "a", cfilewire.Decimal32, false).sub(11, msg{}.num(1, 10))), errs.ErrCorrupt},
		"scale":            {schemaOf(column(1, "a", cfilewire.Decimal32, false).sub(11, msg{}.num(1, 5).num(2, 6))), errs.ErrCorrupt},
		"negative scale":   {schemaOf(column(1, "a", cfilewire.Decimal32, false).sub(11, msg{}.num(1, 5).num(2, -1))), errs.ErrCorrupt},
		"negative length":  {schemaOf(column(1, "a", cfilewire.Varchar, false).sub(11, msg{}.num(3, -1))), errs.ErrCorrupt},
		"short default":    {schemaOf(column(1, "a", cfilewire.Int64, false).str(7, "1234567")), errs.ErrCorrupt},
		"wide id":          {schemaOf(msg{}.num(1, 1<<40).str(2, "a").num(3, 1)), errs.ErrCorrupt},
		"broken":           {msg{0x0a, 3, 1}, errs.ErrCorrupt},
	} {
		if _, err := ParseSchema(pb.New(c.m), noLimits); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzSuperBlock: the message of a superblock, in a container with the right checksums.
func FuzzSuperBlock(f *testing.F) {
	real := unhex(f, realSuperBlock)
	f.Add(real[8 : len(real)-4])
	f.Add([]byte(superBlockOf(msg{}.num(1, 7).num(2, -1).sub(3, msg{}.block(2, 1)).sub(4, msg{}.block(2, 4)))))
	f.Add([]byte(superBlockOf().num(10, 3).block(11, 77).sub(13, msg{}.str(1, "\x01\x02"))))
	f.Fuzz(func(t *testing.T, m []byte) {
		s, err := ParseSuperBlock(containerOf(2, superBlockType, m), errs.Limits{Columns: 100})
		if err != nil {
			var e *errs.Error
			if !errors.As(err, &e) || e.Format != "kudu" || s != nil {
				t.Fatalf("%v", err)
			}
			return
		}
		seen := map[uint64]bool{}
		for _, u := range s.Blocks() {
			if u.Block == 0 || seen[u.Block] || u.String() == "" {
				t.Fatalf("%+v", u)
			}
			seen[u.Block] = true
		}
		if k := s.Schema.Keys(); k == 0 || k > len(s.Schema.Columns) || len(s.Schema.Columns) > 100 {
			t.Fatalf("%d keys of %d", k, len(s.Schema.Columns))
		}
	})
}

// Names that are not UTF-8 are others in Arrow, and faults.
func TestSchemaNotUTF8(t *testing.T) {
	s, err := ParseSchema(pb.New(schemaOf(msg{}.str(2, "k\xff").num(3, 8).num(4, 1))), noLimits)
	if err != nil {
		t.Fatal(err)
	}
	faults := s.BadNames.Errors(errs.At{})
	var e *errs.Error
	if s.Columns[0].Name != `k\xff` || len(faults) != 1 || !errors.As(faults[0], &e) || e.Column != `k\xff` {
		t.Errorf("%q, %v", s.Columns[0].Name, faults)
	}
}
