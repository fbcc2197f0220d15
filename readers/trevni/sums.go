package trevni

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Without a codec Java stores a checksum of 0 for every block. So a 0 that does not fit its block means no checksum in
// such a file, and damage in any other. A file is of one kind: it has no checksums there unless our writer says so, or
// one of some blocks has a checksum that is right and not 0.

// What is looked at: so many blocks, spread over so many columns, and so many bytes in them.
const (
	sampleColumns = 64
	sampleBlocks  = 64
	sampleBytes   = 64 << 20
)

// zeroSum says what a checksum of 0 means that does not fit its block: trevniwire.SumAbsent or SumWrong. The answer is
// looked for once.
func (f *File) zeroSum(ctx context.Context) (trevniwire.Verdict, error) {
	f.mu.Lock()
	v := f.zero
	f.mu.Unlock()
	if v != trevniwire.Unchecked {
		return v, nil
	}
	v = trevniwire.SumWrong
	if _, ours := f.header.Meta.Get(trevniwire.KeySums); !ours {
		right, err := f.anyRightSum(ctx)
		if err != nil {
			return v, err
		}
		if !right {
			v = trevniwire.SumAbsent
		}
	}
	f.mu.Lock()
	f.zero = v
	f.mu.Unlock()
	return v, nil
}

// mayLackSums returns the columns whose checksums may be zeros.
func (f *File) mayLackSums() []int {
	var cols []int
	for i := range f.header.Columns {
		if c := &f.header.Columns[i]; c.Codec == blockcodec.None && c.Checksum != trevniwire.NoChecksum {
			cols = append(cols, i)
		}
	}
	return cols
}

// anyRightSum looks at some blocks of columns without a codec for a checksum that is right and not 0.
func (f *File) anyRightSum(ctx context.Context) (bool, error) {
	cols := f.mayLackSums()
	each := max(1, sampleBlocks/max(1, len(cols)))
	left := int64(sampleBytes)
	for k := range min(len(cols), sampleColumns) {
		i := cols[k*len(cols)/min(len(cols), sampleColumns)]
		col := &f.header.Columns[i]
		blocks, err := f.columnBlocks(ctx, i)
		if err != nil {
			if isKind(err) {
				continue // for those to know who read the column
			}
			return false, err
		}
		n := min(len(blocks), each)
		for j := range n {
			b := &blocks[j*len(blocks)/n]
			if b.Raw == 0 || b.Raw > left || f.within(b, col.Checksum) != nil {
				continue
			}
			sum, err := readAt(ctx, f.src, b.Off+b.Packed, col.Checksum.Size())
			if err != nil {
				return false, err
			}
			if binary.LittleEndian.Uint32(sum) == 0 {
				continue
			}
			left -= b.Raw
			raw, err := readAt(ctx, f.src, b.Off, b.Packed)
			if err != nil {
				return false, err
			}
			if v := trevniwire.CheckSum(col, raw, sum); v == trevniwire.SumOK || v == trevniwire.SumLittle {
				return true, nil
			}
		}
	}
	return false, nil
}

// sumsNote tells whether columns without a codec have checksums, "" where they are not to have any.
func (f *File) sumsNote(ctx context.Context) (string, error) {
	if len(f.mayLackSums()) == 0 || f.header.Rows == 0 {
		return "", nil
	}
	v, err := f.zeroSum(ctx)
	if err != nil {
		return "", err
	}
	if v == trevniwire.SumAbsent {
		return "columns without a codec have no checksums: 0 is stored instead, as Java's writer does", nil
	}
	return "columns without a codec have checksums", nil
}

// CountChecksums implements arrowio.ChecksumCounter. It does not count columns without data.
func (f *File) CountChecksums(ctx context.Context) (arrowio.Checksums, error) {
	n := arrowio.Checksums{Unit: "column"}
	for i := range f.header.Columns {
		blocks, err := f.columnBlocks(ctx, i)
		if err != nil {
			return n, err
		}
		if !slices.ContainsFunc(blocks, func(b trevniwire.Block) bool { return b.Raw > 0 }) {
			continue
		}
		n.Parts++
		c := &f.header.Columns[i]
		if c.Checksum == trevniwire.NoChecksum {
			continue
		}
		if c.Codec == blockcodec.None {
			v, err := f.zeroSum(ctx)
			if err != nil {
				return n, err
			}
			if v == trevniwire.SumAbsent {
				continue
			}
		}
		n.With++
	}
	return n, nil
}
