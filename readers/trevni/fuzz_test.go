package trevni

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

var fuzzLimits = arrowio.Limits{
	MetadataBytes: 1 << 20, Columns: 50, Depth: 16, ValueBytes: 1 << 20, SplitBytes: 1 << 22, BatchBytes: 1 << 22, BatchElements: 1 << 16,
}

const fuzzRows = 1 << 16

// checkFile reads a file in every way there is; they must agree.
func checkFile(t *testing.T, b []byte, o Options) {
	ctx := context.Background()
	f, err := Open(ctx, local.NewBytesSource(b), fuzzLimits, o)
	if err != nil {
		checkError(t, err)
		return
	}
	defer f.Close()
	if _, err := f.Info(ctx, arrowio.InfoOptions{Blocks: true, Checksums: true}); err != nil {
		checkError(t, err)
	}
	if err := f.Dump(ctx, io.Discard); err != nil {
		t.Errorf("dump: %v", err)
	}
	if f.header.Rows > fuzzRows {
		return
	}
	faults := 0
	err = f.Verify(ctx, func(err error) {
		faults++
		checkError(t, err)
	})
	if err != nil {
		t.Errorf("verify: %v", err)
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	first, errFirst := conformance.Collect(t, f, mem, 1<<16)
	if first != nil {
		defer first.Release()
	}
	if err := recut(ctx, f, 5); err != nil {
		t.Fatal(err)
	}
	second, errSecond := conformance.Collect(t, f, mem, 3)
	if second != nil {
		defer second.Release()
	}
	for _, err := range []error{errFirst, errSecond} {
		if err != nil {
			checkError(t, err)
		}
	}
	limited := errors.Is(errFirst, errs.ErrLimit) || errors.Is(errSecond, errs.ErrLimit)
	if (errFirst == nil) != (errSecond == nil) && !limited {
		t.Errorf("batches of 65536: %v; of 3: %v", errFirst, errSecond)
	}
	if errFirst != nil && faults == 0 && !limited {
		t.Errorf("verify finds nothing, but %v", errFirst)
	}
	if errFirst == nil && errSecond == nil && first != nil {
		if err := conformance.Equal(first, second); err != nil {
			t.Errorf("batches of 65536 and of 3: %v", err)
		}
	}
}

// FuzzFile reads any bytes as a file, in both views.
func FuzzFile(f *testing.F) {
	for _, p := range fixtures.Small(f, 3<<10, data+"*/*.trv", corrupt+"*.trv") {
		f.Add(fixtures.Read(f, p))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<16 {
			return
		}
		checkFile(t, b, Options{View: "columns"})
		if bytes.Contains(b, []byte(trevniwire.KeyAvro)) {
			checkFile(t, b, Options{})
			checkFile(t, b, Options{Decimals: "decimal", Sorted: []string{"*"}})
		}
	})
}

var storedTypes = []string{"null", "boolean", "int", "long", "fixed32", "fixed64", "float", "double", "string", "bytes"}

// FuzzBlocks reads any bytes as blocks: of a column, of an array column, of a child of an array, of an optional field.
func FuzzBlocks(f *testing.F) {
	f.Add(uint8(3), uint8(0), uint8(3), []byte{2, 4, 6}, []byte{1})
	f.Add(uint8(8), uint8(1), uint8(2), []byte{2, 2, 'a', 4, 2, 'b', 0}, []byte{0})
	f.Add(uint8(1), uint8(1), uint8(4), []byte{1, 4, 3, 2, 1}, []byte{})
	f.Add(uint8(0), uint8(1), uint8(5), run(run(nil, 3, 1), 2, 0), []byte{})
	f.Add(uint8(5), uint8(2), uint8(2), bytes.Repeat([]byte{1}, 24), []byte{2, 4})
	f.Add(uint8(9), uint8(3), uint8(4), []byte{1, 2, 2, 'x', 2, 0}, []byte{})
	f.Add(uint8(8), uint8(4), uint8(2), []byte{2, 'k', 2, 'l', 2, 'm'}, []byte{2, 4})
	for i := range storedTypes {
		f.Add(uint8(i), uint8(1), uint8(3), []byte{0, 3, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0}, []byte{})
	}
	f.Fuzz(func(t *testing.T, typ, shape, rows uint8, raw, more []byte) {
		n := int64(rows)
		name := storedTypes[int(typ)%len(storedTypes)]
		blocks := []builtBlock{{rows: int(n), raw: raw}}
		if n > 3 && len(raw) > 3 { // two blocks, cut somewhere
			cut := len(more) % len(raw)
			blocks = []builtBlock{{rows: int(n / 2), raw: raw[:cut]}, {rows: int(n - n/2), raw: raw[cut:]}}
		}
		x := builtColumn{name: "x", typ: name, blocks: blocks}
		var b []byte
		switch shape % 6 {
		case 0:
			b = build(n, "", x)
		case 1:
			x.array = true
			b = build(n, "", x)
		case 2, 3: // a child, of a parent that may have values
			p := builtColumn{name: "p", typ: "null", array: true, blocks: []builtBlock{{rows: int(n), raw: more}}}
			if shape%6 == 3 {
				p.typ = "int"
				x.array = true
			}
			x.parent = "p"
			b = build(n, "", p, x)
		case 4: // optional
			if logical := []string{"null", "boolean", "int", "long", "", "", "float", "double", "string", "bytes"}[int(typ)%10]; logical != "" && logical != "null" {
				x.name, x.array = "f/"+logical, true
				b = build(n, optional(`"`+logical+`"`), x)
			}
		default: // an enum, a fixed, a decimal
			x.array = true
			switch typ % 3 {
			case 0:
				x.name, x.typ = "f/E", "int"
				b = build(n, optional(`{"type":"enum","name":"E","symbols":["A","B"]}`), x)
			case 1:
				x.name, x.typ = "f/F", "bytes"
				b = build(n, optional(`{"type":"fixed","name":"F","size":2}`), x)
			default:
				x.name, x.typ = "f/bytes", "bytes"
				b = build(n, optional(fmt.Sprintf(`{"type":"bytes","logicalType":"decimal","precision":%d}`, 1+rows%76)), x)
			}
		}
		if b != nil {
			checkFile(t, b, Options{View: "columns"})
			checkFile(t, b, Options{Decimals: "decimal"})
			checkFile(t, b, Options{})
		}
	})
}
