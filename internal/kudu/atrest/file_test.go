package atrest

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// encrypted is a file as the package comment describes it, made block by block. Content from written on was never written.
func encrypted(t *testing.T, serverKey []byte, width int, content []byte, written int) []byte {
	t.Helper()
	fileKey := bytes.Repeat([]byte{0xa5}, maxWidth)
	server, err := aes.NewCipher(serverKey)
	if err != nil {
		t.Fatal(err)
	}
	b := append([]byte(magic), byte(slices.Index(widths[:], width)))
	n := (width + 15) &^ 15
	b = append(b, make([]byte, HeaderSize-len(b))...)
	for i := 0; i < n; i += aes.BlockSize {
		server.Encrypt(b[8+i:], fileKey[i:i+aes.BlockSize])
	}
	file, err := aes.NewCipher(fileKey[:width])
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range content {
		var counter, stream [aes.BlockSize]byte
		binary.BigEndian.PutUint64(counter[8:], uint64(HeaderSize+i)/aes.BlockSize)
		file.Encrypt(stream[:], counter[:])
		if i >= written {
			b = append(b, 0)
			continue
		}
		b = append(b, c^stream[(HeaderSize+i)%aes.BlockSize])
	}
	return b
}

// open returns the content of a file and how the key fits it.
func open(t *testing.T, b, serverKey []byte) (*File, Fit) {
	t.Helper()
	k, err := newKey(serverKey)
	if err != nil {
		t.Fatal(err)
	}
	src := local.NewBytesSource(b)
	header, err := Header(src, src.Size())
	if err != nil || header == nil {
		t.Fatal(header, err)
	}
	f, fit, err := Open(src, nil, header, k, HeaderSize, HeaderSize)
	if err != nil {
		t.Fatal(err)
	}
	return f, fit
}

func TestRead(t *testing.T) {
	content := []byte("kuducntr")
	for i := range 504 {
		content = append(content, byte(i*7+1))
	}
	written := 410 // in the middle of a block
	want := slices.Concat(content[:written], make([]byte, len(content)-written))
	for _, serverWidth := range widths {
		for _, width := range widths {
			key := bytes.Repeat([]byte{3}, serverWidth)
			f, fit := open(t, encrypted(t, key, width, content, written), key)
			if fit != Proven || f.Size() != int64(len(content)) {
				t.Fatalf("%d bits: %d, %d bytes", 8*width, fit, f.Size())
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for range 300 {
				off := rng.IntN(len(content))
				p := make([]byte, rng.IntN(len(content)+20-off))
				n, err := f.ReadAt(p, int64(off))
				if wantN := min(len(p), len(content)-off); n != wantN || n < len(p) && err != io.EOF || n == len(p) && err != nil {
					t.Fatalf("%d bytes at %d: %d, %v", len(p), off, n, err)
				}
				for i, c := range p[:n] {
					at := off + i
					if at >= written && at < (written+HeaderSize+15)/16*16-HeaderSize {
						continue // the rest of a block that was written to
					}
					if c != want[at] {
						t.Fatalf("%d bytes at %d: byte %d is %#x, want %#x", len(p), off, at, c, want[at])
					}
				}
			}
			s, err := f.Section(arrowio.ByteRange{Off: 100, Len: 50})
			if err != nil {
				t.Fatal(err)
			}
			p := make([]byte, 60)
			if n, err := s.ReadAt(p, 3); n != 47 || err != io.EOF || !bytes.Equal(p[:n], want[103:150]) {
				t.Errorf("section: %d, %v", n, err)
			}
			if _, err := f.Section(arrowio.ByteRange{Off: 500, Len: 50}); !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%v", err)
			}
			for _, x := range []struct {
				off  int64
				want bool
			}{{int64(written), true}, {int64(written) - 1, false}} {
				if is, err := f.Unwritten(x.off, f.Size()); err != nil || is != x.want {
					t.Errorf("unwritten from %d: %v, %v", x.off, is, err)
				}
			}
		}
	}
}

func TestFit(t *testing.T) {
	key, other := bytes.Repeat([]byte{3}, 16), bytes.Repeat([]byte{4}, 16)
	for _, x := range []struct {
		name    string
		content string
		written int
		key     []byte
		want    Fit
	}{
		{"right", "kudulogf and more", 17, key, Proven},
		{"wrong", "kudulogf and more", 17, other, Misfit},
		{"of another program", "else, and more", 14, key, Misfit},
		{"never written", "kudulogf and more", 0, other, Unknown},
		{"empty", "", 0, other, Unknown},
	} {
		if _, fit := open(t, encrypted(t, key, 16, []byte(x.content), x.written), x.key); fit != x.want {
			t.Errorf("%s: %d, want %d", x.name, fit, x.want)
		}
	}
}

func TestHeader(t *testing.T) {
	for name, b := range map[string][]byte{"empty": nil, "short": []byte("kudu"), "plain": []byte("kuducntr and so on")} {
		if h, err := Header(bytes.NewReader(b), int64(len(b))); h != nil || err != nil {
			t.Errorf("%s: %v, %v", name, h, err)
		}
	}
	cut := []byte("kuduenc\x00 and so on")
	if _, err := Header(bytes.NewReader(cut), int64(len(cut))); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("%v", err)
	}
	if _, err := Header(bytes.NewReader(nil), 100); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
	k, err := newKey(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	bad := append([]byte(magic), make([]byte, HeaderSize-len(magic))...)
	bad[len(magic)] = 3
	if _, _, err := Open(bytes.NewReader(bad), nil, bad, k, HeaderSize, HeaderSize); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}

// The default key provider flips 42 in each byte.
func TestUnwrapped(t *testing.T) {
	keys := Unwrapped(&kuduwire.Instance{Keys: []string{"no hex", "00", "2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a"}})
	want, err := newKey(make([]byte, 16))
	if err != nil || len(keys) != 1 {
		t.Fatal(len(keys), err)
	}
	var a, b [aes.BlockSize]byte
	keys[0].block.Encrypt(a[:], a[:])
	want.block.Encrypt(b[:], b[:])
	if a != b {
		t.Error("another key")
	}
}

func BenchmarkRead(b *testing.B) {
	t := &testing.T{}
	key := make([]byte, 16)
	src := local.NewBytesSource(append(encrypted(t, key, 16, nil, 0), bytes.Repeat([]byte{1}, 1<<20)...))
	k, err := newKey(key)
	if err != nil {
		b.Fatal(err)
	}
	header, err := Header(src, src.Size())
	if err != nil {
		b.Fatal(err)
	}
	f, _, err := Open(src, nil, header, k, HeaderSize, HeaderSize)
	if err != nil {
		b.Fatal(err)
	}
	for _, x := range []struct {
		name string
		size int
	}{{"4KiB", 4 << 10}, {"256KiB", 256 << 10}} {
		b.Run(x.name, func(b *testing.B) {
			p := make([]byte, x.size)
			b.SetBytes(int64(x.size))
			for b.Loop() {
				if _, err := f.ReadAt(p, 4099); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
