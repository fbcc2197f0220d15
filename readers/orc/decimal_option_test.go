package orc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// withoutPrecision is a file whose footer does not tell precision and scale of decimals of these, as Hive 0.11 wrote it.
func withoutPrecision(t *testing.T, b []byte, of Digits) []byte {
	t.Helper()
	f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, x := range f.footer.Types {
		if x.Kind == orcwire.Decimal && x.Precision == uint32(of.Precision) && x.Scale == uint32(of.Scale) {
			x.Precision, x.Scale = 0, 0
		}
	}
	footer := orcwire.AppendFooter(nil, f.footer)
	if f.packing.Chunked {
		footer = orcwire.AppendChunks(nil, footer, 1<<18, func(dst, _ []byte) []byte { return dst })
	}
	metadata := b[f.tail.metadata.Off:f.tail.footer.Off]
	out, err := orcwire.AppendTail(slices.Clone(b[:f.tail.metadata.Off]), nil, metadata, footer, f.ps)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDecimalOption: decimals whose precision a file does not tell are read with the one that is given. The rows are those
// that Java sees where the precision is told.
func TestDecimalOption(t *testing.T) {
	for _, name := range []string{"decimals-v11", "decimals-64-v11"} {
		b := fixtures.Read(t, testdata+"orc/java-2.3.1/"+name+".orc")
		want := lines(t, testdata+"orc/java-2.3.1/"+name+".jsonl.gz")
		f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		var all []Digits
		for _, x := range f.footer.Types[1:] {
			if d := (Digits{int32(x.Precision), int32(x.Scale)}); !slices.Contains(all, d) {
				all = append(all, d)
			}
		}
		for _, d := range all {
			text := fmt.Sprintf("%d,%d", d.Precision, d.Scale)
			o, err := ParseOptions(map[string]string{"orc-decimal": text})
			if err != nil {
				t.Fatal(err)
			}
			cut := withoutPrecision(t, b, d)
			t.Run(name+" "+text, func(t *testing.T) {
				checkText(t, cut, o, want, 100)
				verifyWhole(t, cut, o)
				usual := Digits{38, 10} // that Java takes
				err := readWhole(cut, Options{})
				switch {
				case d.Scale > usual.Scale || d.Precision-d.Scale > usual.Precision-usual.Scale:
					if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "give them with --orc-decimal") {
						t.Errorf("without the option: %v", err)
					}
				case err != nil:
					t.Errorf("without the option: %v", err)
				}
			})
		}
	}
}

// TestDecimalOptionKeepsTypes: the option says nothing of decimals whose precision the file tells.
func TestDecimalOptionKeepsTypes(t *testing.T) {
	name := testdata + "orc/java-2.3.1/decimals-v11"
	checkText(t, fixtures.Read(t, name+".orc"), Options{Decimal: Digits{5, 1}}, lines(t, name+".jsonl.gz"), 100)
}

func TestDecimalOptionRefuses(t *testing.T) {
	for _, text := range []string{"0", "39", "5,6", "5,-1", "x", "5", "5,", "5,2,1"} {
		if _, err := ParseOptions(map[string]string{"orc-decimal": text}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func readWhole(b []byte, o Options) error {
	f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, o)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{})
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
		orctext.Rows(r.Record())
	}
	return r.Err()
}

func verifyWhole(t *testing.T, b []byte, o Options) {
	t.Helper()
	f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Verify(context.Background(), func(err error) { t.Errorf("a fault: %v", err) }); err != nil {
		t.Error(err)
	}
}
