package kudu

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/fixtures"
	kw "github.com/arrowio/arrowio/internal/kuduwire"
)

// openAlone opens a file by itself, as all commands do.
func openAlone(t testing.TB, path, format string) (*dataset.File, error) {
	t.Helper()
	return dataset.Open(t.Context(), path, dataset.Options{Formats: []arrowio.Format{cfile.Format(), Format()}, Format: format})
}

// leads tests that an error says that the file is a container, and how to read what is in it.
func leads(t testing.TB, what string, err error) {
	t.Helper()
	if err == nil || !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("%s: %v", what, err)
		return
	}
	for _, w := range []string{"container of blocks", "--from=kudu", "--kudu-block"} {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q does not say %q", what, err, w)
		}
	}
}

// The data of the log block manager is not taken for one CFile, whatever its first and last blocks are.
func TestContainerIsNoCFile(t *testing.T) {
	s := readOnlyServer(t, "log")
	paths, err := filepath.Glob(s.path("data", "data", "*.data"))
	if err != nil || len(paths) < 5 {
		t.Fatalf("%q, %v", paths, err)
	}
	holes, cfiles := 0, 0
	for _, path := range paths {
		records, _, err := kw.ParseBlockRecords(fixtures.Read(t, strings.TrimSuffix(path, ".data")+".metadata"), nil)
		if err != nil {
			t.Fatal(err)
		}
		live := kw.LiveBlocks(records, &kw.BlockDamage{})
		b := fixtures.Read(t, path)
		name := filepath.Base(path)
		if bytes.HasPrefix(b, []byte("kuducfl2")) {
			cfiles++
		} else {
			holes++
		}
		f, err := openAlone(t, path, "")
		if err != nil || f.Format() != Name {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{})
		if err == nil {
			for r.Next() {
			}
			err = r.Err()
			r.Release()
		}
		leads(t, name+", scan", err)
		v, _ := arrowio.As[arrowio.Verifier](f)
		if err := v.Verify(t.Context(), func(err error) { t.Errorf("%s: a fault: %v", name, err) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		info, err := f.Info(t.Context(), arrowio.InfoOptions{})
		if err != nil || info.Rows != arrowio.UnknownRows || !strings.Contains(fmt.Sprint(info.Notes), "--kudu-block") {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
		var text bytes.Buffer
		d, _ := arrowio.As[arrowio.Dumper](f)
		if err := d.Dump(t.Context(), &text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, x := range live {
			if x.Length > 0 && !strings.Contains(text.String(), fmt.Sprintf("%d-%d: ", x.Off, x.Off+x.Length)) || !strings.Contains(text.String(), kw.BlockName(x.ID)) {
				t.Errorf("%s: block %s is not in\n%s", name, kw.BlockName(x.ID), &text)
			}
		}
		_ = f.Close()
	}
	if holes == 0 || cfiles == 0 {
		t.Errorf("%d containers begin with a hole, %d with a CFile", holes, cfiles)
	}
}

// Without the records beside it, the CFiles in it tell, at whatever place.
func TestContainerAlone(t *testing.T) {
	block := func(name string) []byte { return fixtures.Read(t, "../../testdata/cfile/kudu-1.17.1/"+name) }
	one, two := block("int32-bitshuffle-none.cfile"), block("binary-dict-lz4-nulls.cfile")
	aligned := func(parts ...[]byte) (b []byte) {
		for _, p := range parts {
			b = append(append(b, make([]byte, (made-len(b)%made)%made)...), p...)
		}
		return b
	}
	dir := t.TempDir()
	for name, c := range map[string]struct {
		b    []byte
		lone bool
	}{
		"two":               {aligned(one, two), false},
		"three":             {aligned(one, two, one), false},
		"a hole, then one":  {aligned(make([]byte, made), one), false},
		"two, then zeros":   {append(aligned(one, two), make([]byte, 3*made)...), false},
		"one":               {one, true},
		"another":           {two, true},
		"one and a half":    {aligned(one, two[:len(two)/2]), false},
		"damaged, then one": {aligned(append(bytes.Repeat([]byte{7}, 20), one[20:]...), two), false},
	} {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".data")
		if err := os.WriteFile(path, c.b, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"", "cfile"} {
			f, err := openAlone(t, path, format)
			if c.lone {
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				_ = f.Close()
				continue
			}
			leads(t, name, err)
		}
	}
}

// A container of one block that is all of it is that CFile, with its records beside it or without; a file with another one of
// that name beside it is what its bytes are.
func TestContainerOfOne(t *testing.T) {
	one := fixtures.Read(t, "../../testdata/cfile/kudu-1.17.1/int32-bitshuffle-none.cfile")
	dir := t.TempDir()
	put := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	records := protoContainer("kudu.BlockRecordPB", createBlock(7, 0, int64(len(one))))
	put("one.metadata", records)
	if f, err := openAlone(t, put("one.data", one), ""); err != nil || f.Format() != cfile.Name {
		t.Errorf("one block: %v", err)
	}
	put("padded.metadata", records)
	f, err := openAlone(t, put("padded.data", append(bytes.Clone(one), make([]byte, made)...)), "")
	if err != nil || f.Format() != Name {
		t.Fatalf("with room behind it: %v", err)
	}
	put("iris.metadata", []byte("a table of flowers"))
	if _, err := openAlone(t, put("iris.data", []byte("5.1,3.5\n")), ""); err == nil || strings.Contains(err.Error(), "container") {
		t.Errorf("other files of these names: %v", err)
	}
	// Named, it is opened as one even where its records are damaged, and says what is wrong.
	damaged := bytes.Clone(records)
	damaged[len(damaged)-8] ^= 1
	put("bad.metadata", damaged)
	f, err = openAlone(t, put("bad.data", append(bytes.Clone(one), 0)), Name)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if d, _ := arrowio.As[arrowio.Dumper](f); d.Dump(t.Context(), &text) != nil || !strings.Contains(text.String(), "! ") {
		t.Errorf("%s", &text)
	}
	if _, err := openAlone(t, put("lonely.data", make([]byte, 10)), Name); err == nil {
		t.Error("neither records nor anything else")
	}
}
