package trevni

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Info describes the file: its stored columns in the order of the file, and with the options of o their blocks and the results
// of checksums.
func (f *File) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	h := f.header
	info := &arrowio.Info{
		Format:   Name,
		Version:  strconv.Itoa(int(h.Version)),
		Rows:     h.Rows,
		Bytes:    f.src.Size(),
		Metadata: map[string][]byte{},
		Schema:   f.tree.Schema,
		Notes:    slices.Concat([]string{"view: " + f.view}, warned(f.warnings), f.notes),
	}
	for _, p := range h.Meta {
		info.Metadata[p.Key] = p.Value
	}
	if note, err := f.sumsNote(ctx); err != nil {
		return nil, locate(err)
	} else if note != "" {
		info.Notes = append(info.Notes, note)
	}
	for i := range h.Columns {
		c, err := f.columnInfo(ctx, i, o)
		if err != nil {
			return nil, locate(err)
		}
		info.Columns = append(info.Columns, c)
	}
	f.describe(f.tree.Roots, info.Columns)
	for _, s := range f.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
	}
	return info, nil
}

// warned returns the texts of warnings.
func warned(list []arrowio.Warning) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = w.String()
	}
	return out
}

func (f *File) columnInfo(ctx context.Context, i int, o arrowio.InfoOptions) (arrowio.ColumnInfo, error) {
	col := &f.header.Columns[i]
	c := arrowio.ColumnInfo{
		Path: col.Name, Stored: col.Type.String(), Codec: trevniwire.CodecName(col.Codec), Checksum: col.Checksum.String(),
		Stats: &arrowio.ColumnStats{Values: -1, Nulls: -1},
	}
	if col.Array {
		c.Encodings = append(c.Encodings, "lengths")
	}
	if col.Values {
		c.Encodings = append(c.Encodings, "first values")
	}
	if col.Parent >= 0 {
		c.Parent = f.header.Columns[col.Parent].Name
	}
	if !col.Array && col.Parent < 0 {
		c.Stats.Values, c.Stats.Nulls = f.header.Rows, 0
		if col.Type == trevniwire.Null {
			c.Stats.Values, c.Stats.Nulls = 0, f.header.Rows
		}
	}
	if user := col.Meta.User(); len(user) > 0 {
		c.Metadata = map[string][]byte{}
		for _, p := range user {
			c.Metadata[p.Key] = p.Value
		}
	}
	blocks, err := f.columnBlocks(ctx, i)
	if err != nil {
		return c, err
	}
	c.Blocks, c.Bytes = len(blocks), columnEnd(col, blocks)-col.Start
	var sums [trevniwire.SumWrong + 1]int
	var reader blockReader
	for k := range blocks {
		b := &blocks[k]
		c.RawBytes += b.Raw
		bi := arrowio.BlockInfo{Rows: b.Rows, Off: b.Off, Bytes: b.Packed, RawBytes: b.Raw}
		if col.Values {
			bi.First = firstText(col.Type, b.First)
		}
		if o.Checksums && col.Checksum != trevniwire.NoChecksum {
			_, v, err := reader.read(ctx, f, col, b)
			switch {
			case err == nil:
				bi.Verdict = v.String()
			case isKind(err): // a block that cannot be unpacked cannot be what its checksum was made of
				v, bi.Verdict = trevniwire.SumWrong, err.Error()
			default:
				return c, errs.Locate(err, errs.At{Column: col.Name, Off: errs.N(b.Off)})
			}
			sums[v]++
		}
		if o.Blocks {
			c.BlockList = append(c.BlockList, bi)
		}
	}
	if o.Checksums && col.Checksum != trevniwire.NoChecksum {
		c.Verdict = verdictText(sums[:])
	}
	return c, nil
}

// columnEnd returns the offset behind the last block of a column.
func columnEnd(col *trevniwire.Column, blocks []trevniwire.Block) int64 {
	if len(blocks) == 0 {
		return col.Start + 4
	}
	last := &blocks[len(blocks)-1]
	return last.Off + last.Packed + col.Checksum.Size()
}

// verdictText sums up the verdicts on a column's blocks: "ok", or how many of each there are.
func verdictText(sums []int) string {
	text, kinds := "", 0
	for v, n := range sums {
		if n > 0 {
			if kinds++; kinds > 1 {
				text += ", "
			}
			text += fmt.Sprintf("%d %s", n, trevniwire.Verdict(v))
		}
	}
	switch {
	case kinds == 0:
		return "no blocks"
	case kinds == 1 && sums[trevniwire.SumOK] > 0:
		return "ok"
	}
	return text
}

// blockReader reads single blocks, for inspection.
type blockReader struct {
	codec blockcodec.Decoder
	buf   []byte
}

// read returns a block unpacked, valid until the next call, and what its checksum says.
func (r *blockReader) read(ctx context.Context, f *File, col *trevniwire.Column, b *trevniwire.Block) ([]byte, trevniwire.Verdict, error) {
	if err := f.within(b, col.Checksum); err != nil {
		return nil, 0, err
	}
	data, err := readAt(ctx, f.src, b.Off, b.Packed+col.Checksum.Size())
	if err != nil {
		return nil, 0, err
	}
	raw := data[:b.Packed]
	if col.Codec != blockcodec.None {
		if raw, err = r.codec.Decode(col.Codec, r.buf[:0], raw, int(b.Raw), true); err != nil {
			return nil, 0, err
		}
		r.buf = raw
	}
	v := trevniwire.CheckSum(col, raw, data[b.Packed:])
	if v == trevniwire.SumAbsent {
		v, err = f.zeroSum(ctx)
	}
	return raw, v, err
}

// describe adds the Arrow type to the stored column that carries a field's values, or its lengths.
func (f *File) describe(nodes []*trevniwire.Node, cols []arrowio.ColumnInfo) {
	for _, n := range nodes {
		for _, i := range []int{n.Opt, n.Rep, n.Col} {
			if i >= 0 && cols[i].Type == "" {
				cols[i].Type = n.Field.Type.String()
			}
		}
		f.describe(n.Children, cols)
	}
}

// firstText renders a first value for people.
func firstText(t trevniwire.Type, b []byte) string {
	switch t {
	case trevniwire.Null:
		return "null"
	case trevniwire.Boolean:
		return strconv.FormatBool(len(b) > 0 && b[0]&1 == 1)
	case trevniwire.Int:
		v, _, err := bitpack.Zigzag[int32](b)
		return number(int64(v), err)
	case trevniwire.Long:
		v, _, err := bitpack.Zigzag[int64](b)
		return number(v, err)
	case trevniwire.Fixed32:
		return number(int64(int32(binary.LittleEndian.Uint32(b))), nil)
	case trevniwire.Fixed64:
		return number(int64(binary.LittleEndian.Uint64(b)), nil)
	case trevniwire.Float:
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 'g', -1, 32)
	case trevniwire.Double:
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64)
	case trevniwire.String:
		return strconv.Quote(string(b[:min(len(b), 64)]))
	}
	return fmt.Sprintf("%x", b[:min(len(b), 32)])
}

func number(v int64, err error) string {
	if err != nil {
		return "?"
	}
	return strconv.FormatInt(v, 10)
}
