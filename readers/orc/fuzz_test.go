package orc

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
)

var fuzzLimits = arrowio.Limits{
	MetadataBytes: 1 << 20, Columns: 60, Depth: 16, BlockBytes: 1 << 20, ValueBytes: 1 << 20, DictionaryBytes: 1 << 20,
	SplitBytes: 1 << 22, BatchBytes: 1 << 22, BatchElements: 1 << 16, Splits: 1000,
}

const fuzzRows = 1 << 15

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
	if f.footer.Rows > fuzzRows {
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
	recut(f, 5)
	second, errSecond := conformance.Collect(t, f, mem, 3)
	if second != nil {
		defer second.Release()
	}
	// A value that Arrow's type cannot hold is no fault of the file; a limit may be met by large batches alone.
	limited := false
	for _, err := range []error{errFirst, errSecond} {
		if err != nil {
			checkError(t, err)
		}
		limited = limited || errors.Is(err, errs.ErrLimit) || errors.Is(err, errs.ErrSchema)
	}
	if errFirst != nil && errSecond == nil && !limited && faults == 0 {
		t.Errorf("batches of 65536: %v; of 3: none", errFirst)
	}
	if errFirst != nil && faults == 0 && !limited {
		t.Errorf("verify finds nothing, but %v", errFirst)
	}
	// A broken row index may lead small splits astray; verify says so.
	if errFirst == nil && errSecond == nil && first != nil && faults == 0 {
		if err := conformance.Equal(first, second); err != nil {
			t.Errorf("batches of 65536 and of 3: %v", err)
		}
	}
}

// seeds calls use with small files, sound and damaged.
func seeds(f *testing.F, most int64, use func([]byte)) {
	for _, p := range fixtures.Small(f, most, data+"*/*.orc", damage+"*.orc") {
		use(fixtures.Read(f, p))
	}
}

// FuzzFile reads any bytes as a file.
func FuzzFile(f *testing.F) {
	seeds(f, 2<<10, func(b []byte) { f.Add(b) })
	us := optionsOf(f, map[string]string{"timestamp-unit": "us", "dictionary": "true", "orc-null-keys": "list", "orc-strings": "binary"})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<15 {
			return
		}
		checkFile(t, b, Options{})
		checkFile(t, b, us)
	})
}

// FuzzTail reads a file whose metadata, footer and rest of the postscript are any bytes, uncompressed, behind any
// others: lengths, which a fuzzer seldom gets right, are right.
func FuzzTail(f *testing.F) {
	seeds(f, 1<<10, func(b []byte) {
		if t, ok := takeApart(b); ok {
			f.Add(t.body, t.metadata, t.footer, t.script)
		}
	})
	f.Fuzz(func(t *testing.T, body, metadata, footer, script []byte) {
		if len(body)+len(metadata)+len(footer) > 1<<14 || len(script) > 200 {
			return
		}
		b := append([]byte("ORC"), body...)
		b = append(append(b, metadata...), footer...)
		ps := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(len(footer)))
		ps = protowire.AppendVarint(protowire.AppendTag(ps, 5, protowire.VarintType), uint64(len(metadata)))
		ps = append(ps, script...)
		b = append(append(b, ps...), byte(len(ps)))
		checkFile(t, b, Options{})
	})
}

type tailParts struct{ body, metadata, footer, script []byte }

// takeApart returns the parts of an uncompressed file; script is the postscript without the two lengths.
func takeApart(b []byte) (p tailParts, ok bool) {
	if len(b) < 10 || int(b[len(b)-1]) > len(b)-4 {
		return p, false
	}
	end := len(b) - 1 - int(b[len(b)-1])
	ps := b[end : len(b)-1]
	var footer, metadata uint64
	for len(ps) > 0 {
		num, _, n := protowire.ConsumeField(ps)
		if n < 0 {
			return p, false
		}
		_, _, tag := protowire.ConsumeTag(ps)
		v, _ := protowire.ConsumeVarint(ps[tag:n])
		switch num {
		case 1:
			footer = v
		case 5:
			metadata = v
		default:
			p.script = append(p.script, ps[:n]...)
		}
		ps = ps[n:]
	}
	if footer > uint64(end-3) || metadata > uint64(end-3)-footer {
		return p, false
	}
	from := end - int(footer)
	p.footer = b[from:end]
	p.metadata = b[from-int(metadata) : from]
	p.body = b[3 : from-int(metadata)]
	return p, true
}
