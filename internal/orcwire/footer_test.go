package orcwire

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

func mustFooter(t testing.TB, b []byte) *Footer {
	t.Helper()
	f, err := ParseFooter(b, errs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// typeMsg is a Type message with these children.
func typeMsg(k Kind, children ...uint64) pbtest.Message {
	w := pbtest.Message(nil).Uint(1, uint64(k))
	if len(children) > 0 {
		w = w.Packed(2, children...)
	}
	return w
}

func names(w pbtest.Message, names ...string) pbtest.Message {
	for _, n := range names {
		w = w.Text(3, n)
	}
	return w
}

// footerOf is a Footer message with these types.
func footerOf(types ...pbtest.Message) pbtest.Message {
	var w pbtest.Message
	for _, t := range types {
		w = w.Bytes(4, t)
	}
	return w
}

func TestRealFooter(t *testing.T) {
	f := mustFooter(t, []byte(realFooter))
	if want := "struct<id__mono:int,g__mix__r10:geometry(OGC:CRS84),h__mix__r10:geography(OGC:CRS84,SPHERICAL)>"; f.Types[0].String() != want {
		t.Error(f.Types[0])
	}
	want := []StripeInfo{{Offset: 3, IndexLength: 107, DataLength: 1534, FooterLength: 74, Rows: 150, EncryptStripeID: 1}}
	if !reflect.DeepEqual(f.Stripes, want) || f.Stripes[0].End() != 3+107+1534+74 {
		t.Errorf("%+v", f.Stripes)
	}
	if f.HeaderLength != 3 || f.ContentLength != 1718 || f.Rows != 150 || !f.HasRows || f.RowIndexStride != 1000 || f.Writer != WriterJava ||
		f.Calendar != CalendarHybrid || f.SoftwareVersion != "2.3.1" || f.Metadata != nil || f.Encryption != nil {
		t.Errorf("%+v", f)
	}
	if f.Stats.Len() != 4 {
		t.Fatal(f.Stats.Len())
	}
	id, err := f.Stats.At(1)
	if err != nil || !id.HasValues || id.Values != 150 || id.HasNull != No || id.BytesOnDisk != 7 || *id.Int.Min != 0 || *id.Int.Max != 447 || *id.Int.Sum != 33525 {
		t.Errorf("%+v, %v", id, err)
	}
	g, err := f.Stats.At(2)
	box := BoundingBox{XMin: -177, XMax: 179, YMin: -90, YMax: 89}
	if err != nil || g.Values != 138 || g.HasNull != Yes || !reflect.DeepEqual(*g.Geo.Box, box) || !reflect.DeepEqual(g.Geo.Types, []int32{1}) {
		t.Errorf("%+v %+v, %v", g, g.Geo, err)
	}
	corruptEverywhere(t, []byte(realFooter), func(b []byte) error {
		f, err := ParseFooter(b, errs.Limits{Columns: 100, Splits: 100, MetadataBytes: 1 << 16})
		if err != nil {
			return err
		}
		for i := range f.Stats.Len() {
			if _, err := f.Stats.At(i); err != nil {
				return err
			}
		}
		_, err = Schema(f, ArrowOptions{})
		return err
	})
}

func TestFooterFields(t *testing.T) {
	root := typeMsg(Struct)
	b := footerOf(root).Strange().Uint(6, 1<<63-1).Uint(8, math.MaxUint32).Uint(9, 4).Uint(11, 2).
		Bytes(5, pbtest.Message(nil).Text(1, "naïve ☃").Bytes(2, []byte{0xff, 0})).
		Bytes(5, nil).
		Bytes(5, pbtest.Message(nil).Text(2, strings.Repeat("x", 30000)))
	f := mustFooter(t, b)
	if f.Rows != math.MaxInt64 || f.RowIndexStride != math.MaxUint32 || f.Writer != WriterTrino || f.Calendar != CalendarProleptic {
		t.Errorf("%+v", f)
	}
	m := f.Metadata
	if len(m) != 3 || m[0].Key != "naïve ☃" || string(m[0].Value) != "\xff\x00" || m[1].Key != "" || m[1].Value != nil || len(m[2].Value) != 30000 {
		t.Errorf("%+v", m)
	}
	if f.Types[0].String() != "struct<>" || f.Types[0].Last != 0 {
		t.Error(f.Types[0])
	}
}

func TestStripes(t *testing.T) {
	stripe := func(fields ...uint64) pbtest.Message {
		var w pbtest.Message
		for i, v := range fields {
			w = w.Uint(protowire.Number(i+1), v)
		}
		return w
	}
	root := typeMsg(Int)
	f := mustFooter(t, footerOf(root).Bytes(3, stripe(3, 10, 20, 30, 40)).Bytes(3, nil).Bytes(3, stripe(0, 0, 0, 0, 0, 7)).Bytes(3, stripe(math.MaxInt64)))
	first := StripeInfo{Offset: 3, IndexLength: 10, DataLength: 20, FooterLength: 30, Rows: 40, EncryptStripeID: 1}
	if len(f.Stripes) != 4 || !reflect.DeepEqual(f.Stripes[0], first) {
		t.Errorf("%+v", f.Stripes)
	}
	for i, want := range []int64{1, 2, 7, 8} {
		if f.Stripes[i].EncryptStripeID != want {
			t.Errorf("stripe %d has encryption id %d", i, f.Stripes[i].EncryptStripeID)
		}
	}
	const most = math.MaxInt64
	for _, c := range []struct {
		name string
		b    pbtest.Message
		kind errs.Kind
	}{
		{"offset", footerOf(root).Bytes(3, stripe(most+1)), errs.ErrCorrupt},
		{"offset wraps", footerOf(root).Bytes(3, stripe(most, 1)), errs.ErrCorrupt},
		{"lengths wrap", footerOf(root).Bytes(3, stripe(0, most/2+1, most/2+1)), errs.ErrCorrupt},
		{"footer wraps", footerOf(root).Bytes(3, stripe(1, 1, 1, most)), errs.ErrCorrupt},
		{"rows wrap", footerOf(root).Bytes(3, stripe(0, 0, 0, 0, most)).Bytes(3, stripe(0, 0, 0, 0, 1)), errs.ErrCorrupt},
		{"encryption ids wrap", footerOf(root).Bytes(3, stripe(0, 0, 0, 0, 0, most)).Bytes(3, nil), errs.ErrCorrupt},
		{"keys of no variant", footerOf(root).Bytes(3, pbtest.Message(nil).Text(7, "key")), errs.ErrCorrupt},
		{"file rows", footerOf(root).Uint(6, most+1), errs.ErrCorrupt},
		{"cut", footerOf(root).Bytes(3, []byte{0x08}), errs.ErrCorrupt},
	} {
		_, err := ParseFooter(c.b, errs.Limits{})
		wantKind(t, c.name, err, c.kind)
	}
	_, err := ParseFooter(footerOf(root).Bytes(3, nil).Bytes(3, nil), errs.Limits{Splits: 1})
	wantKind(t, "splits", err, errs.ErrLimit)
}

func TestMemoryOfMetadataIsBounded(t *testing.T) {
	// Entries of two bytes that take 40 or more each.
	b := footerOf(typeMsg(Int))
	for range 3000 {
		b = b.Bytes(5, nil)
	}
	if _, err := ParseFooter(b, errs.Limits{}); err != nil {
		t.Error(err)
	}
	_, err := ParseFooter(b, errs.Limits{MetadataBytes: int64(len(b))})
	wantKind(t, "metadata items", err, errs.ErrLimit)
	names := typeMsg(Int)
	for range 3000 {
		names = names.Text(7, "")
	}
	b = footerOf(names)
	_, err = ParseFooter(b, errs.Limits{MetadataBytes: int64(len(b))})
	wantKind(t, "attributes", err, errs.ErrLimit)
}
