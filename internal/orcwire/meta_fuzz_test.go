package orcwire

import (
	"errors"
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

var fuzzMetaLimits = errs.Limits{MetadataBytes: 1 << 20, Columns: 1000, Depth: 30, Splits: 1000}.WithDefaults()

// refused fails the test unless err has a kind; it reports whether there is one.
func refused(t *testing.T, err error) bool {
	var e *errs.Error
	if err != nil && (!errors.As(err, &e) || e.Kind == 0 || e.Kind == errs.ErrInternal) {
		t.Fatalf("no kind: %v", err)
	}
	return err != nil
}

// readAll parses each element of a list.
func (l StatsList) readAll(t *testing.T) {
	for i := range l.Len() {
		b, ok := l.Bytes(i)
		if !ok {
			t.Fatalf("element %d of %d is not there", i, l.Len())
		}
		s, err := ParseColumnStats(b)
		if again, err2 := l.At(i); (err == nil) != (err2 == nil) || err == nil && !reflect.DeepEqual(s, again) && s.Double == nil && s.Geo == nil {
			t.Fatalf("%+v, %v; again %+v, %v", s, err, again, err2)
		}
		refused(t, err)
	}
}

// FuzzFooter: what a footer tells is whole: the type tree, stripes that can be added up, a schema as long as the root.
func FuzzFooter(f *testing.F) {
	f.Add([]byte(realFooter))
	f.Add([]byte(treeOf()))
	f.Add([]byte(encryptedFooter()))
	f.Add([]byte(footerOf(typeMsg(List, 0))))
	f.Fuzz(func(t *testing.T, b []byte) {
		foot, err := ParseFooter(b, fuzzMetaLimits)
		if refused(t, err) {
			return
		}
		seen := 0
		var walk func(typ *Type, depth int)
		walk = func(typ *Type, depth int) {
			if typ != foot.Types[typ.ID] || typ.ID != seen || depth > fuzzMetaLimits.Depth {
				t.Fatalf("type %d is the %dth, at depth %d", typ.ID, seen, depth)
			}
			seen++
			if least, most := typ.Kind.arity(); len(typ.Children) < least || len(typ.Children) > most || typ.Kind == Struct && len(typ.Names) != len(typ.Children) {
				t.Fatalf("%s with %d children, %d names", typ.Kind, len(typ.Children), len(typ.Names))
			}
			for i, k := range typ.Children {
				if k.Parent != typ || k.index() != i {
					t.Fatalf("child %d of %d", k.ID, typ.ID)
				}
				walk(k, depth+1)
			}
			if typ.Last != seen-1 {
				t.Fatalf("the last below %d is %d, not %d", typ.ID, typ.Last, seen-1)
			}
		}
		walk(foot.Types[0], 0)
		if seen != len(foot.Types) {
			t.Fatalf("%d types of %d in the tree", seen, len(foot.Types))
		}
		rows := int64(0)
		for i := range foot.Stripes {
			s := &foot.Stripes[i]
			rows += s.Rows
			if s.Offset < 0 || s.IndexLength < 0 || s.DataLength < 0 || s.FooterLength < 0 || s.End() < s.Offset || s.Rows < 0 || rows < 0 {
				t.Fatalf("%+v", s)
			}
			if n := len(s.EncryptedLocalKeys); n > 0 && n != len(foot.Encryption.Variants) {
				t.Fatalf("%d keys", n)
			}
		}
		if foot.Stats.Len() > len(foot.Types) {
			t.Fatal(foot.Stats.Len())
		}
		foot.Stats.readAll(t)
		NewQuirks(&PostScript{}, foot).Hybrid(foot)
		_ = foot.Types[0].String()
		s, err := Schema(foot, nanos)
		if refused(t, err) {
			return
		}
		if foot.Types[0].Kind == Struct && s.NumFields() != len(foot.Types[0].Children) {
			t.Fatal(s)
		}
		_ = s.String()
	})
}

// FuzzStripeFooter: streams follow each other within the stripe and name types that exist.
func FuzzStripeFooter(f *testing.F) {
	f.Add([]byte(encodings(3).Bytes(1, streamMsg(6, 0, 10)).Bytes(1, streamMsg(1, 2, 100)).Text(3, "UTC")))
	f.Add([]byte(encodings(3).Bytes(4, append(encodings(1), pbtest.Message(nil).Bytes(1, streamMsg(6, 1, 5))...))))
	f.Fuzz(func(t *testing.T, b []byte) {
		const types, size = 3, 1000
		var plain, byTable StripeFooter
		if plain.parsePlain(b, types) {
			if err := byTable.parse(b, types); err != nil || !reflect.DeepEqual(plain, byTable) {
				t.Fatalf("%+v at once, %+v by the table, %v", plain, byTable, err)
			}
		}
		s, err := ParseStripeFooter(b, types, size)
		if refused(t, err) {
			return
		}
		check := func(streams []Stream) {
			end := int64(0)
			for _, x := range streams {
				if x.Offset != end || x.Length < 0 || x.Column < 0 || x.Column >= types {
					t.Fatalf("%+v", streams)
				}
				end += x.Length
				_ = x.Kind.String()
			}
			if end > size {
				t.Fatalf("%+v", streams)
			}
		}
		check(s.Streams)
		if len(s.Encodings) != types {
			t.Fatal(len(s.Encodings))
		}
		for _, v := range s.Encryption {
			check(v.Streams)
			if len(v.Encodings) > types {
				t.Fatal(len(v.Encodings))
			}
		}
	})
}

// FuzzIndex: row indexes, bloom filters, stripe statistics and postscripts are read or refused.
func FuzzIndex(f *testing.F) {
	f.Add([]byte(pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Packed(1, 0, 300).Bytes(2, count(9, 0)))))
	f.Add([]byte(pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Uint(1, 3).Fixed64(2, 7).Bytes(3, make([]byte, 8)))))
	f.Add([]byte(realPostScript))
	for _, c := range statsMsgs {
		f.Add([]byte(pbtest.Message(nil).Bytes(1, c.b)))
		f.Add([]byte(pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Bytes(1, c.b))))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const most = 5
		r, err := ParseRowIndex(b, most)
		if !refused(t, err) {
			for i := range r {
				_, err := r[i].ColumnStats()
				refused(t, err)
			}
		}
		x, err := ParseBloomIndex(b, most)
		if refused(t, err); len(r) > most || len(x) > most {
			t.Fatal(len(r), len(x))
		}
		for _, f := range x {
			if f.Hashes == 0 || len(f.Bits) == 0 {
				t.Fatalf("%+v", f)
			}
		}
		m, err := ParseMetadata(b, fuzzMetaLimits)
		if !refused(t, err) {
			for _, l := range m {
				l.readAll(t)
			}
		}
		l, err := ParseFileStats(b, fuzzMetaLimits)
		if !refused(t, err) {
			l.readAll(t)
		}
		p, err := ParsePostScript(b)
		if !refused(t, err) && p.FooterLength+p.MetadataLength+p.StripeStatsLength >= 3*maxTailPart {
			t.Fatalf("%+v", p)
		}
	})
}
