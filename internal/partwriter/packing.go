package partwriter

import (
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Packing is how whole objects of text are compressed. The zero value is not at all.
type Packing struct {
	name  string
	level int
}

// endings of the names of packed objects, by packing.
var endings = map[string]string{"gzip": ".gz", "zstd": ".zst"}

// Endings are those of packed files that are written.
var Endings = []string{".gz", ".zst"}

// ParsePacking reads none, gzip[:1-9] or zstd[:1-22]; "" is none.
func ParsePacking(s string) (Packing, error) {
	name, level, leveled := strings.Cut(s, ":")
	most := map[string]int{"gzip": 9, "zstd": 22}[name]
	if (name == "" || name == "none") && !leveled {
		return Packing{}, nil
	}
	p := Packing{name: name, level: map[string]int{"gzip": 6, "zstd": 3}[name]}
	var err error
	if leveled {
		p.level, err = strconv.Atoi(level)
	}
	if err != nil || p.level < 1 || p.level > most {
		return Packing{}, errs.Errorf(errs.ErrOption, "compression %q: text takes none, gzip, gzip:1 to gzip:9, zstd, zstd:1 to zstd:22", s)
	}
	return p, nil
}

// Ending returns what stands behind the extension of a packed object.
func (p Packing) Ending() string { return endings[p.name] }

// PackingOf returns the word that ParsePacking takes for a file whose name ends in one of Endings; "" for other names.
func PackingOf(file string) string {
	for name, ending := range endings {
		if strings.HasSuffix(strings.ToLower(file), ending) {
			return name
		}
	}
	return ""
}

// writer returns what packs into w; it starts no goroutines.
func (p Packing) writer(w io.Writer) (io.WriteCloser, error) {
	if p.name == "gzip" {
		return gzip.NewWriterLevel(w, p.level)
	}
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(p.level)))
}

// packed is an Encoder whose object is packed.
type packed struct {
	Encoder
	to io.WriteCloser
}

// Close implements Encoder.
func (p *packed) Close() error {
	if err := p.Encoder.Close(); err != nil {
		return err
	}
	return p.to.Close()
}
