package cfilewire_test

import (
	"bytes"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

var realFiles = []string{fileInts, fileZlib, fileLZ4, fileSnappy, fileDict, fileUndo, fileRedo}

// A file, however odd, is opened or refused; what its footer points to lies in it and is opened or refused.
func FuzzFooter(f *testing.F) {
	for _, hex := range realFiles {
		f.Add(fromHex(f, hex))
	}
	f.Add(fileMaker{footer: appendNumber(footerMessage(), 10, 0), magic: cfilewire.MagicV1}.bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		footer, err := open(b)
		if err != nil {
			return
		}
		lim := errs.Limits{BlockBytes: 1 << 16}
		frame := footer.Frame(lim)
		var d blockcodec.Decoder
		var buf []byte
		for _, p := range []*cfilewire.BlockPointer{footer.Pos, footer.Val, footer.Dict} {
			if p == nil {
				continue
			}
			if p.Off < footer.HeaderSize || p.End() > footer.FooterOff || footer.FooterOff > int64(len(b)) {
				t.Fatalf("%v of %+v", p, footer)
			}
			var raw []byte
			raw, buf, err = frame.Open(b[p.Off:p.End()], buf, &d)
			if err == nil && int64(len(raw)) > lim.BlockBytes {
				t.Fatalf("%d bytes", len(raw))
			}
		}
		_ = cfilewire.CheckEncoding(footer)
		_, _ = cfilewire.Schema(footer, cfilewire.ArrowOptions{})
	})
}

func FuzzIndex(f *testing.F) {
	f.Add(fromHex(f, rootPos))
	f.Add(index(true))
	f.Add(index(true, entry("a", 16, 20), entry("b", 36, 20)))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := cfilewire.ParseIndex(b)
		if err != nil {
			return
		}
		if x.Len() > len(b) {
			t.Fatalf("%d entries in %d bytes", x.Len(), len(b))
		}
		for i := range x.Len() {
			if _, p := x.Entry(i); p.Off < 0 || p.Size < 0 {
				t.Fatal(p)
			}
		}
	})
}

func FuzzDelta(f *testing.F) {
	for _, hex := range []string{"00ff660b939dec624000010109a1d2af036c8c5568", "07ff660b93a82dc670000301094fbfcf5dbbf48db802037639", "00000103008101028080"} {
		f.Add(fromHex(f, hex))
	}
	f.Add(fromHex(f, "089503190040053e9c930b662100904506aa930b662a04080210052a050801108d013005"))
	f.Add(realBloom(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = cfilewire.ParseDeltaStats(b)
		if bloom, err := cfilewire.ParseBloom(b); err == nil {
			bloom.MayContain(cfilewire.HashKey(b))
		}
		k, rest, err := cfilewire.ParseDeltaKey(b)
		if err != nil {
			return
		}
		again, after, err := cfilewire.ParseDeltaKey(append(cfilewire.AppendDeltaKey(nil, k), rest...))
		if err != nil || again != k || !bytes.Equal(after, rest) {
			t.Fatal(k, again, err)
		}
		_, c, err := cfilewire.ParseChange(rest)
		cells := 0
		for err == nil && c.Next() {
			if cells++; c.Column < 0 || c.Null != (c.Value == nil) {
				t.Fatalf("%+v", c)
			}
		}
		if cells > len(rest) {
			t.Fatal(cells)
		}
	})
}

// What is read from a key is written as that key, whole; a part of a key reads as no more than the key.
func FuzzKey(f *testing.F) {
	for _, c := range compositeKeys {
		f.Add(fromHex(f, c.key), uint8(cfilewire.String), false)
	}
	f.Add([]byte{0x80, 0, 0, 7}, uint8(cfilewire.Int32), true)
	f.Fuzz(func(t *testing.T, key []byte, typ uint8, last bool) {
		dt := cfilewire.DataType(typ % 24)
		cell, rest, err := cfilewire.DecodeKeyPart(key, dt, last)
		if err != nil {
			_, _, _, _ = cfilewire.DecodeKeyPrefix(key, dt, last)
			return
		}
		whole := key[:len(key)-len(rest)]
		if again, err := cfilewire.AppendKey(nil, dt, cell, last); err != nil || !bytes.Equal(again, whole) {
			t.Fatalf("%x is read as %x, written as %x, %v", whole, cell, again, err)
		}
		for n := range min(len(whole), 64) {
			least, _, _, err := cfilewire.DecodeKeyPrefix(whole[:n], dt, last)
			if err != nil {
				t.Fatal(err)
			}
			if k, err := cfilewire.AppendKey(nil, dt, least, last); err != nil || bytes.Compare(k, whole) > 0 {
				t.Fatalf("%x of %x is read as %x", whole[:n], whole, least)
			}
		}
	})
}
