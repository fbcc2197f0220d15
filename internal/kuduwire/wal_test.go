package kuduwire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/pb"
)

func (m msg) fixed64(field protowire.Number, v uint64) msg {
	return protowire.AppendFixed64(protowire.AppendTag(m, field, protowire.Fixed64Type), v)
}

// The beginning of a segment that Kudu 1.17.1 wrote: the header, a NO_OP and its COMMIT, both LZ4; and its footer.
const (
	realSegment = "6b7564756c6f67666a0000002a20366566623066613835363865343437613939376463616266373536393461303830013a40" +
		"0a1408001202696418052001280040004800500068000a13080112016118052000280140004800500068000a1308021201731808" +
		"200028004000480050006800400048031c0000001a0000006746e4a3c66040daf00b0a18080112140a040801100111008047f5d4" +
		"a00b662001ba3e000f0000000e0000009c60496e11d2956ee00a0c08021a080801120408011001"
	realFooter = "08101001180820a7ced8eca0979803636c6f7365646c730f000000"
)

// readSegment reads batches up to the first that is not sound, at the returned offset.
func readSegment(b []byte) (h *SegmentHeader, entries []Entry, off int, err error) {
	n, err := ParseSegmentHead(b)
	if err != nil {
		return nil, nil, 0, err
	}
	if off = SegmentHeadSize + n; off > len(b) {
		return nil, nil, 0, errors.New("header is cut short")
	}
	if h, err = ParseSegmentHeader(b[SegmentHeadSize:off]); err != nil {
		return nil, nil, 0, err
	}
	var d blockcodec.Decoder
	for size := h.EntryHeadSize(); len(b)-off >= size; {
		e, ok := h.ParseEntryHead(b[off:])
		if !ok || h.CheckEntryHead(e, int64(len(b)-off-size), 1<<20) != nil {
			break
		}
		body := b[off+size : off+size+int(e.Stored)]
		raw, err := h.OpenBatch(e, body, nil, &d)
		if err != nil {
			return h, entries, off, err
		}
		if entries, err = ParseEntries(entries, raw); err != nil {
			return h, entries, off, err
		}
		off += size + int(e.Stored)
	}
	return h, entries, off, nil
}

func TestSegment(t *testing.T) {
	b := unhex(t, realSegment)
	h, entries, off, err := readSegment(b)
	if err != nil || off != len(b) {
		t.Fatalf("%v at %d of %d", err, off, len(b))
	}
	if h.TabletID != "6efb0fa8568e447a997dcabf75694a08" || h.Sequence != 1 || h.SchemaVersion != 0 || h.Codec != blockcodec.LZ4 || h.Old {
		t.Errorf("%+v", h)
	}
	s, err := ParseSchema(pb.New(h.Schema), noLimits)
	if err != nil || len(s.Columns) != 3 || s.Columns[2].Name != "s" || s.Columns[2].ID != 2 || s.Columns[2].Type != cfilewire.String {
		t.Errorf("%+v, %v", s, err)
	}
	want := []Entry{
		{Type: EntryReplicate, Op: OpNoOp, ID: OpID{1, 1}, Time: 0x660ba0d4f5478000},
		{Type: EntryCommit, Op: OpNoOp, ID: OpID{1, 1}},
	}
	if !reflect.DeepEqual(entries, want) {
		t.Errorf("%+v", entries)
	}
	f := unhex(t, realFooter)
	n, err := ParseSegmentTail(f[len(f)-SegmentTailSize:], int64(len(f)-SegmentTailSize))
	if err != nil || n != len(f)-SegmentTailSize {
		t.Fatal(n, err)
	}
	footer, err := ParseSegmentFooter(f[:n])
	if err != nil || footer != (SegmentFooter{16, 1, 8, 1795202068391719}) {
		t.Errorf("%+v, %v", footer, err)
	}
}

// Cut or changed anywhere, what is read is the beginning of what there was.
func TestSegmentDamaged(t *testing.T) {
	b := unhex(t, realSegment)
	_, whole, _, _ := readSegment(b)
	header := SegmentHeadSize + int(binary.LittleEndian.Uint32(b[8:]))
	for n := range len(b) {
		_, entries, _, err := readSegment(b[:n])
		if n < header && err == nil || len(entries) > len(whole) || !reflect.DeepEqual(entries, whole[:len(entries)]) && len(entries) > 0 {
			t.Errorf("%d bytes: %+v, %v", n, entries, err)
		}
		for bit := range 8 {
			c := append([]byte{}, b...)
			c[n] ^= 1 << bit
			_, entries, _, err := readSegment(c)
			if n >= header && (len(entries) >= len(whole) || len(entries) > 0 && !reflect.DeepEqual(entries, whole[:len(entries)])) {
				t.Errorf("byte %d, bit %d: %+v, %v", n, bit, entries, err)
			}
		}
	}
}

func TestSegmentHeadRefused(t *testing.T) {
	for what, c := range map[string]struct {
		b    []byte
		kind errs.Kind
		is   error
	}{
		"nothing":   {nil, errs.ErrCorrupt, ErrSegmentShort},
		"short":     {[]byte("kudulogf\x00\x00\x00"), errs.ErrCorrupt, ErrSegmentShort},
		"zeros":     {make([]byte, 20), errs.ErrCorrupt, ErrUninitialized},
		"magic":     {[]byte("kudulogg\x00\x00\x00\x00"), errs.ErrCorrupt, errs.ErrCorrupt},
		"length":    {[]byte("kudulogf\x00\x00\x80\x01"), errs.ErrCorrupt, errs.ErrCorrupt},
		"encrypted": {[]byte("kuduenc1\x00\x00\x00\x00"), errs.ErrUnsupported, errs.ErrUnsupported},
	} {
		if _, err := ParseSegmentHead(c.b); !errors.Is(err, c.kind) || !errors.Is(err, c.is) {
			t.Errorf("%s: %v", what, err)
		}
	}
	good := msg{}.str(5, "t").num(6, 1).str(7, "")
	for what, c := range map[string]struct {
		m    msg
		kind errs.Kind
	}{
		"no tablet":   {msg{}.num(6, 1).str(7, ""), errs.ErrCorrupt},
		"no sequence": {msg{}.str(5, "t").str(7, ""), errs.ErrCorrupt},
		"no schema":   {msg{}.str(5, "t").num(6, 1), errs.ErrCorrupt},
		"feature":     {append(msg{}, good...).num(10, 7), errs.ErrUnsupported},
		"wire type":   {append(msg{}, good...).num(5, 7), errs.ErrCorrupt},
	} {
		if _, err := ParseSegmentHeader(c.m); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A codec that nobody knows reads as none; the old form has none whatever it says.
	for _, m := range []msg{append(msg{}, good...).num(9, 77), append(msg{}, good...).num(9, 3).num(1, 1)} {
		if h, err := ParseSegmentHeader(m); err != nil || h.Codec != blockcodec.None {
			t.Errorf("%+v, %v", h, err)
		}
	}
	tail := func(n uint32) []byte { return binary.LittleEndian.AppendUint32([]byte("closedls"), n) }
	if n, err := ParseSegmentTail([]byte("closedlt1234"), 100); n != 0 || err != nil {
		t.Error(n, err)
	}
	for _, n := range []uint32{0, 101, 8<<20 + 1, math.MaxUint32} {
		if _, err := ParseSegmentTail(tail(n), 100); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%d: %v", n, err)
		}
	}
	if _, err := ParseSegmentFooter(msg{}.num(2, 1)); !errors.Is(err, errs.ErrCorrupt) {
		t.Error(err)
	}
	if _, err := ParseSegmentFooter(msg{}.num(1, -1)); !errors.Is(err, errs.ErrCorrupt) {
		t.Error(err)
	}
}

// entryHead makes the head of a batch.
func entryHead(old bool, stored, unpacked, sum uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, stored)
	if !old {
		b = binary.LittleEndian.AppendUint32(b, unpacked)
	}
	b = binary.LittleEndian.AppendUint32(b, sum)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func TestEntryHead(t *testing.T) {
	for _, old := range []bool{false, true} {
		h := &SegmentHeader{Old: old}
		b := entryHead(old, 7, 7, 9)
		if e, ok := h.ParseEntryHead(b); !ok || e.Stored != 7 || e.Unpacked != 7 || len(b) != h.EntryHeadSize() {
			t.Errorf("%+v, %v", e, ok)
		}
		for i := range b {
			b[i] ^= 4
			if _, ok := h.ParseEntryHead(b); ok {
				t.Errorf("byte %d", i)
			}
			b[i] ^= 4
		}
		// Found anywhere among zeros and other bytes, and not where there is none.
		for _, before := range []int{0, 1, 3, 15, 16, 17, 100, 5000} {
			for _, fill := range []byte{0, 0x55} {
				c := make([]byte, before, before+len(b)+50)
				for i := range c {
					c[i] = fill
				}
				c = append(append(c, b...), make([]byte, 40)...)
				if at := h.FindEntryHead(c); at != before {
					t.Errorf("old %v, %d bytes of %d before: found at %d", old, before, fill, at)
				}
				if at := h.FindEntryHead(c[:before+len(b)-1]); at != -1 {
					t.Errorf("found at %d in what is cut", at)
				}
			}
		}
		zero := entryHead(old, 0, 0, 0) // starts with zeros itself
		if at := h.FindEntryHead(append(make([]byte, 77), zero...)); at != 77 {
			t.Error(at)
		}
	}
	h := &SegmentHeader{Codec: blockcodec.LZ4}
	for what, c := range map[string]struct {
		e    EntryHead
		kind error
	}{
		"sound":     {EntryHead{Stored: 100, Unpacked: 1000}, nil},
		"empty":     {EntryHead{Stored: 100}, errs.ErrCorrupt},
		"the end":   {EntryHead{Stored: 101, Unpacked: 1000}, errs.ErrCorrupt},
		"1 GiB":     {EntryHead{Stored: 64, Unpacked: 1 << 30}, errs.ErrCorrupt},
		"the limit": {EntryHead{Stored: 100, Unpacked: 5001}, errs.ErrLimit},
	} {
		if err := h.CheckEntryHead(c.e, 100, 5000); !errors.Is(err, c.kind) || (err == nil) != (c.kind == nil) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestOpenBatch(t *testing.T) {
	var enc blockcodec.Encoder
	var d blockcodec.Decoder
	raw := []byte("a batch, a batch, a batch, a batch, a batch")
	for _, c := range []blockcodec.Codec{blockcodec.None, blockcodec.LZ4, blockcodec.Snappy, blockcodec.Zlib} {
		body, err := enc.Encode(c, blockcodec.DefaultLevel, nil, raw)
		if err != nil {
			t.Fatal(err)
		}
		h := &SegmentHeader{Codec: c}
		e := EntryHead{uint32(len(body)), uint32(len(raw)), crc32.Checksum(body, castagnoli)}
		got, err := h.OpenBatch(e, body, nil, &d)
		if err != nil || string(got) != string(raw) || &got[0] == &body[0] {
			t.Errorf("%s: %q, %v", c, got, err)
		}
		for what, change := range map[string]func(e *EntryHead){
			"sum":      func(e *EntryHead) { e.sum++ },
			"stored":   func(e *EntryHead) { e.Stored-- },
			"too few":  func(e *EntryHead) { e.Unpacked-- },
			"too many": func(e *EntryHead) { e.Unpacked++ },
		} {
			e := e
			change(&e)
			if _, err := h.OpenBatch(e, body, nil, &d); !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%s, %s: %v", c, what, err)
			}
		}
	}
}

func opID(term, index int64) msg { return msg{}.num(1, term).num(2, index) }

func TestEntries(t *testing.T) {
	replicate := func(op int64) msg { return msg{}.sub(1, opID(3, 44)).fixed64(2, 99).num(4, op) }
	commit := msg{}.num(1, 3).sub(2, opID(3, 44))
	batch := msg{}.sub(1, msg{}.num(1, 1).sub(2, replicate(3).sub(5, msg("write")).sub(6, msg("alter")).num(8, 1))).
		sub(1, msg{}.num(1, 2).sub(3, append(msg{}, commit...).sub(3, msg("result")))).
		sub(1, msg{}.num(1, 1).sub(2, replicate(4).sub(6, msg("alter")))).
		sub(1, msg{}.num(1, 1).sub(2, replicate(77))).num(5, 5)
	es, err := ParseEntries(nil, batch)
	want := []Entry{
		{EntryReplicate, OpWrite, OpID{3, 44}, 99, []byte("write")},
		{EntryCommit, OpWrite, OpID{3, 44}, 0, []byte("result")},
		{EntryReplicate, OpAlterSchema, OpID{3, 44}, 99, []byte("alter")},
		{EntryReplicate, OpType(77), OpID{3, 44}, 99, nil},
	}
	if err != nil || !reflect.DeepEqual(es, want) {
		t.Errorf("%+v, %v", es, err)
	}
	if s := want[0].ID.String() + " " + OpWrite.String() + " " + OpType(77).String() + " " + OpType(math.MaxUint32).String(); s != "3.44 WRITE_OP operation type 77 operation type 4294967295" {
		t.Error(s)
	}
	for what, m := range map[string]msg{
		"type 7":            msg{}.num(1, 7),
		"no type":           msg{}.sub(2, replicate(3)),
		"no replicate":      msg{}.num(1, 1).sub(3, commit),
		"no commit":         msg{}.num(1, 2).sub(2, replicate(3)),
		"no id":             msg{}.num(1, 1).sub(2, msg{}.fixed64(2, 9).num(4, 1)),
		"no time":           msg{}.num(1, 1).sub(2, msg{}.sub(1, opID(1, 1)).num(4, 1)),
		"no operation type": msg{}.num(1, 1).sub(2, msg{}.sub(1, opID(1, 1)).fixed64(2, 9)),
		"negative index":    msg{}.num(1, 2).sub(3, msg{}.num(1, 1).sub(2, opID(1, -1))),
		"half an id":        msg{}.num(1, 2).sub(3, msg{}.num(1, 1).sub(2, msg{}.num(1, 1))),
		"time as a varint":  msg{}.num(1, 1).sub(2, msg{}.sub(1, opID(1, 1)).num(2, 9).num(4, 1)),
		"cut short":         msg{}.num(1, 1).sub(2, replicate(3))[:9],
	} {
		if es, err := ParseEntries(nil, msg{}.sub(1, m)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %+v, %v", what, es, err)
		}
	}
}

func TestMessages(t *testing.T) {
	b := msg{}.str(1, "tablet").str(2, "schema").sub(3, msg{}.str(2, "rows").str(3, "indirect")).str(6, "token").num(7, 9).sub(8, msg{}.num(1, -5))
	w, err := ParseWriteRequest(b)
	if want := (WriteRequest{[]byte("tablet"), []byte("schema"), []byte("rows"), []byte("indirect"), true, true, -5}); err != nil || !reflect.DeepEqual(w, want) {
		t.Errorf("%+v, %v", w, err)
	}
	for _, m := range []msg{msg{}.num(3, 1), msg{}.sub(3, msg{}.num(2, 1)), msg{}.sub(8, msg{}.str(1, "")), b[:len(b)-1]} {
		if _, err := ParseWriteRequest(m); !errors.Is(err, errs.ErrCorrupt) {
			t.Error(err)
		}
	}
	a, err := ParseAlterRequest(msg{}.str(1, "tablet").str(2, "schema").num(3, 7).str(4, "name"))
	if err != nil || string(a.Schema) != "schema" || a.Version != 7 {
		t.Errorf("%+v, %v", a, err)
	}
	for _, m := range []msg{msg{}.str(2, "schema"), msg{}.num(3, 7), msg{}.str(2, "").num(3, 1<<32)} {
		if _, err := ParseAlterRequest(m); !errors.Is(err, errs.ErrCorrupt) {
			t.Error(err)
		}
	}

	mrs := msg{}.num(1, 6)
	results := ParseResults(msg{}.sub(1, msg{}.sub(3, mrs).sub(3, msg{}.num(2, 4).num(3, 0).num(4, 1))).num(9, 9).
		sub(1, msg{}).sub(1, msg{}.sub(2, msg{}.num(1, 8))).sub(1, msg{}.num(1, 1)))
	want := []Result{{Stores: []Store{{-1, 6, false}, {4, 0, true}}}, {}, {Failed: true}, {Skip: true}}
	var r Result
	for i, w := range want {
		if !results.Next(&r) || r.Skip != w.Skip || r.Failed != w.Failed || len(r.Stores) != len(w.Stores) || len(w.Stores) > 0 && !reflect.DeepEqual(r.Stores, w.Stores) {
			t.Errorf("%d: %+v, %v", i, r, results.Err())
		}
	}
	if results.Next(&r) || results.Err() != nil {
		t.Error(results.Err())
	}
	for _, m := range []msg{{}, msg{}.num(1, -1), msg{}.num(1, 1).num(2, 1).num(3, 1), msg{}.num(2, 1), msg{}.num(3, 1), msg{}.str(1, "")} {
		results := ParseResults(msg{}.sub(1, msg{}.sub(3, m)))
		if results.Next(&r) || !errors.Is(results.Err(), errs.ErrCorrupt) {
			t.Errorf("%+v, %v", r, results.Err())
		}
	}
}
