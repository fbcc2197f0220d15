package cfilewire_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// firstBlock opens the first block of a file.
func firstBlock(tb testing.TB, hex string) (cfilewire.Frame, []byte, []byte) {
	tb.Helper()
	f, b := mustOpen(tb, hex)
	x := openIndex(tb, f, b, *f.Pos)
	_, p := x.Entry(0)
	frame := f.Frame(errs.Limits{})
	raw, _, err := frame.Open(b[p.Off:p.End()], nil, &blockcodec.Decoder{})
	if err != nil {
		tb.Fatal(err)
	}
	return frame, b[p.Off:p.End()], raw
}

func openIndex(tb testing.TB, f *cfilewire.Footer, b []byte, p cfilewire.BlockPointer) cfilewire.IndexBlock {
	tb.Helper()
	frame := f.Frame(errs.Limits{})
	raw, _, err := frame.Open(b[p.Off:p.End()], nil, &blockcodec.Decoder{})
	if err != nil {
		tb.Fatal(err)
	}
	x, err := cfilewire.ParseIndex(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		hex  string
		unit []byte // that the values are repetitions of
	}{
		{fileZlib, []byte{0, 0, 0, 0}},
		{fileLZ4, []byte{42, 0, 0, 0}},
		{fileSnappy, []byte{127}},
	} {
		frame, stored, raw := firstBlock(t, c.hex)
		want := append(le32(nil, 120, 0), bytes.Repeat(c.unit, 120)...)
		if !bytes.Equal(raw, want) {
			t.Errorf("%s: got %x", frame.Codec, raw)
		}
		if cap(raw) < len(raw)+bitpack.SrcSlack {
			t.Errorf("%s: no slack", frame.Codec)
		}
		var d blockcodec.Decoder
		_, buf, _ := frame.Open(stored, nil, &d)
		if n := testing.AllocsPerRun(20, func() { _, buf, _ = frame.Open(stored, buf, &d) }); n > 0 && frame.Codec != blockcodec.Zlib {
			t.Errorf("%s: %v allocations", frame.Codec, n)
		}
		for i := range stored {
			if _, _, err := frame.Open(stored[:i], nil, &d); err == nil {
				t.Errorf("%s: no error for %d bytes", frame.Codec, i)
			}
			bad := bytes.Clone(stored)
			bad[i] ^= 0x10
			_, _, err := frame.Open(bad, nil, &d)
			wantKind(t, "changed byte", err, errs.ErrCorrupt)
		}
		frame.Limit = int64(len(raw)) - 1
		_, _, err := frame.Open(stored, nil, &d)
		wantKind(t, "block over the limit", err, errs.ErrLimit)
	}
}

// What is not compressed is a part of what is stored, and lends its slack.
func TestOpenPlain(t *testing.T) {
	frame, stored, raw := firstBlock(t, fileInts)
	if frame.Codec != blockcodec.None || &raw[0] != &stored[0] || len(raw) != len(stored)-4 || cap(raw) != cap(stored) {
		t.Errorf("%d bytes of %d", len(raw), len(stored))
	}
	f, b := mustOpen(t, fileZlib) // its index is too small to gain by it
	frame = f.Frame(errs.Limits{})
	raw, _, err := frame.Open(b[f.Pos.Off:f.Pos.End()], nil, nil)
	if err != nil || &raw[0] != &b[f.Pos.Off+4] {
		t.Errorf("%x %v", raw, err)
	}
	frame.Limit = int64(len(raw)) - 1
	_, _, err = frame.Open(b[f.Pos.Off:f.Pos.End()], nil, nil)
	wantKind(t, "stored block over the limit", err, errs.ErrLimit)
}

// sizes writes a block of a version without a checksum.
func sizes(version int, payload []byte, packed, raw uint32) []byte {
	b := le32(nil, raw)
	if version == 1 {
		b = le32(nil, packed, raw)
	}
	return append(b, payload...)
}

func TestOpenSizes(t *testing.T) {
	_, stored, raw := firstBlock(t, fileLZ4)
	payload := stored[4 : len(stored)-4]
	n, size := uint32(len(payload)), uint32(len(raw))
	for version := 1; version <= 2; version++ {
		frame := cfilewire.Frame{Version: version, Codec: blockcodec.LZ4, Limit: 1 << 20}
		got, _, err := frame.Open(sizes(version, payload, n, size), nil, &blockcodec.Decoder{})
		if err != nil || !bytes.Equal(got, raw) {
			t.Errorf("version %d: %x %v", version, got, err)
		}
		for _, raw := range []uint32{0, 1, n - 1, size - 1, size + 1, 255 * n, 255*n + 1, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
			_, _, err := frame.Open(sizes(version, payload, n, raw), nil, &blockcodec.Decoder{})
			wantKind(t, "size of the block", err, errs.ErrCorrupt)
		}
		for i := range 4 * (3 - version) {
			if _, _, err := frame.Open(make([]byte, i), nil, &blockcodec.Decoder{}); err == nil {
				t.Errorf("version %d: no error for %d bytes", version, i)
			}
		}
	}
	frame := cfilewire.Frame{Version: 1, Codec: blockcodec.LZ4, Limit: 1 << 20}
	for _, packed := range []uint32{0, n - 1, n + 1, 1<<32 - 1} {
		_, _, err := frame.Open(sizes(1, payload, packed, size), nil, &blockcodec.Decoder{})
		wantKind(t, "size of the payload", err, errs.ErrCorrupt)
	}
	frame.Version = 2
	got, _, err := frame.Open(sizes(2, payload, n, n), nil, nil)
	if err != nil || !bytes.Equal(got, payload) {
		t.Errorf("a block as it is: %x %v", got, err)
	}
	if binary.LittleEndian.Uint32(stored) != size {
		t.Error("the file's own size")
	}
}
