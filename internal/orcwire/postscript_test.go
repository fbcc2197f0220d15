package orcwire

import (
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

// Tails as ORC Java 2.3.1 wrote them, of a file of 150 rows of struct<id__mono:int,g__mix__r10:geometry(OGC:CRS84),
// h__mix__r10:geography(OGC:CRS84,SPHERICAL)>; the footer decompressed.
const (
	realPostScript = "\x08\xb4\x01\x10\x01\x18\x80\x80\x10\"\x02\x00\x0c(S0\t\x82\xf4\x03\x03ORC"
	realFooter     = "\x08\x03\x10\xb6\r\x1a\x0c\x08\x03\x10k\x18\xfe\x0b J(\x96\x01\"+\x08\x0c\x12\x03\x01\x02\x03\x1a\x08id__mono\x1a\x0bg__mix__r10" +
		"\x1a\x0bh__mix__r10\"\x02\x08\x03\"\r\x08\x13B\tOGC:CRS84\"\x0f\x08\x14B\tOGC:CRS84H\x000\x96\x01:\x05\x08\x96\x01P\x00:\x12\x08\x96\x01\x12\t\x08\x00" +
		"\x10\xfe\x06\x18\xea\x8b\x04P\x00X\x07:2\x08\x8a\x01P\x01X\x90\x06j(\n$\t\x00\x00\x00\x00\x00 f\xc0\x11\x00\x00\x00\x00\x00`f@\x19\x00\x00\x00\x00\x00\x80V" +
		"\xc0!\x00\x00\x00\x00\x00@V@\x10\x01:\n\x08\x81\x01P\x01X\xe7\x05j\x00@\xe8\x07H\x00X\x01b\x052.3.1"
)

func TestPostScript(t *testing.T) {
	for _, c := range []struct {
		name string
		b    []byte
		want PostScript
	}{
		{"real", []byte(realPostScript), PostScript{
			FooterLength: 180, Compression: CompressionZlib, BlockSize: 256 << 10, Version: []uint32{0, 12},
			MetadataLength: 83, WriterVersion: 9, Magic: "ORC",
		}},
		{"empty", nil, PostScript{BlockSize: DefaultBlockSize}},
		{"version not packed, strange fields", pbtest.Message(nil).Strange().Uint(4, 1).Uint(4, 9999).Uint(7, 77), PostScript{
			BlockSize: DefaultBlockSize, Version: []uint32{1, 9999}, StripeStatsLength: 77,
		}},
		{"block size 0 without codec", pbtest.Message(nil).Uint(3, 0), PostScript{}},
	} {
		p, err := ParsePostScript(c.b)
		if err != nil || !reflect.DeepEqual(*p, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", c.name, p, err, c.want)
		}
	}
	for _, c := range []struct {
		name string
		b    []byte
		kind errs.Kind
	}{
		{"codec 7", pbtest.Message(nil).Uint(2, 7), errs.ErrUnsupported},
		{"codec 256", pbtest.Message(nil).Uint(2, 256), errs.ErrUnsupported},
		{"codec as text", pbtest.Message(nil).Text(2, "zlib"), errs.ErrCorrupt},
		{"block size 0", pbtest.Message(nil).Uint(2, 1).Uint(3, 0), errs.ErrCorrupt},
		{"footer length", pbtest.Message(nil).Uint(1, 1<<60), errs.ErrCorrupt},
		{"metadata length", pbtest.Message(nil).Uint(5, 1<<64-1), errs.ErrCorrupt},
		{"statistics length", pbtest.Message(nil).Uint(7, 1<<63), errs.ErrCorrupt},
		{"writer version", pbtest.Message(nil).Uint(6, 1<<32), errs.ErrCorrupt},
		{"cut", []byte(realPostScript)[:len(realPostScript)-1], errs.ErrCorrupt},
	} {
		_, err := ParsePostScript(c.b)
		wantKind(t, c.name, err, c.kind)
	}
	corruptEverywhere(t, []byte(realPostScript), func(b []byte) error {
		_, err := ParsePostScript(b)
		return err
	})
}

func TestFileVersion(t *testing.T) {
	for _, c := range []struct {
		version      []uint32
		major, minor uint32
	}{
		{nil, 0, 11},
		{[]uint32{1}, 1, 0},
		{[]uint32{0, 12}, 0, 12},
		{[]uint32{19, 99, 5}, 19, 99},
	} {
		if major, minor := (&PostScript{Version: c.version}).FileVersion(); major != c.major || minor != c.minor {
			t.Errorf("%v: %d, %d", c.version, major, minor)
		}
	}
}

func TestCompressionKind(t *testing.T) {
	for k, want := range []blockcodec.Codec{
		blockcodec.None, blockcodec.Deflate, blockcodec.Snappy, blockcodec.LZO, blockcodec.LZ4, blockcodec.Zstd, blockcodec.Brotli,
	} {
		if c, err := CompressionKind(k).Codec(); err != nil || c != want {
			t.Errorf("%d: %s, %v", k, c, err)
		}
	}
	_, err := CompressionKind(7).Codec()
	wantKind(t, "codec 7", err, errs.ErrUnsupported)
	if CompressionZstd.String() != "zstd" || CompressionKind(9).String() != "compression 9" {
		t.Error(CompressionZstd, CompressionKind(9))
	}
}
