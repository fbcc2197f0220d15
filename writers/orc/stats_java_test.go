package orc

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orcwire"
	reader "github.com/arrowio/arrowio/readers/orc"
)

const byJava = "../../testdata/orc/java-2.3.1/"

// Of the values of every file that Java wrote, the collectors say what Java's writer said: of each row group, each
// stripe and the file; and bloom filters have the same bits.
func TestStatsLikeJava(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(byJava + "*.orc")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	seen := map[string]int{}
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".orc")
		t.Run(name, func(t *testing.T) {
			likeJava(t, name, fixtures.Read(t, p), false, seen)
			likeJava(t, name, fixtures.Read(t, p), true, seen)
		})
	}
	for _, kind := range []string{
		"tinyint", "smallint", "int", "bigint", "float", "double", "boolean", "string", "varchar", "char", "binary", "date",
		"timestamp", "timestamp with local time zone", "decimal", "array", "map", "struct", "uniontype", "geometry", "geography", "bloom",
	} {
		if seen[kind] == 0 {
			t.Errorf("no statistics of %s were compared: %v", kind, seen)
		}
	}
}

// asStored has the values of a file read as they are stored.
func asStored(name string) map[string]string {
	o := map[string]string{"orc-char-padding": "keep"}
	switch {
	case strings.HasPrefix(name, "times-far"), strings.HasPrefix(name, "calendar"):
		o["timestamp-unit"] = "us"
	case name == "map-null-keys":
		o["orc-null-keys"] = "list"
	}
	return o
}

// javaFile is a file with what it says of itself.
type javaFile struct {
	bytes    []byte
	ps       *orcwire.PostScript
	footer   *orcwire.Footer
	metadata []orcwire.StatsList
	hybrid   bool
}

func parseJava(t *testing.T, b []byte) *javaFile {
	t.Helper()
	f := &javaFile{bytes: b}
	end := len(b) - 1 - int(b[len(b)-1])
	var err error
	if f.ps, err = orcwire.ParsePostScript(b[end : len(b)-1]); err != nil {
		t.Fatal(err)
	}
	foot := end - int(f.ps.FooterLength)
	if f.footer, err = orcwire.ParseFooter(f.unpack(t, b[foot:end]), arrowio.Limits{}); err != nil {
		t.Fatal(err)
	}
	if f.metadata, err = orcwire.ParseMetadata(f.unpack(t, b[foot-int(f.ps.MetadataLength):foot]), arrowio.Limits{}); err != nil {
		t.Fatal(err)
	}
	f.hybrid = orcwire.NewQuirks(f.ps, f.footer).Hybrid(f.footer)
	return f
}

func (f *javaFile) unpack(t *testing.T, b []byte) []byte {
	t.Helper()
	if f.ps.Compression == orcwire.CompressionNone {
		return b
	}
	codec, err := f.ps.Compression.Codec()
	if err != nil {
		t.Fatal(err)
	}
	var d blockcodec.Decoder
	var out []byte
	for len(b) > 0 {
		head := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		chunk := b[3 : 3+head>>1]
		b = b[3+head>>1:]
		if head&1 == 0 {
			if chunk, err = d.Decode(codec, nil, chunk, int(f.ps.BlockSize), false); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, chunk...)
	}
	return out
}

// indexes returns the row indexes and the bloom filters of a stripe, by column.
func (f *javaFile) indexes(t *testing.T, stripe int) (map[int][]orcwire.RowIndexEntry, map[int][]orcwire.BloomFilter) {
	t.Helper()
	s := &f.footer.Stripes[stripe]
	data := s.IndexLength + s.DataLength
	sf, err := orcwire.ParseStripeFooter(f.unpack(t, f.bytes[s.Offset+data:s.End()]), len(f.footer.Types), data)
	if err != nil {
		t.Fatal(err)
	}
	entries, blooms := map[int][]orcwire.RowIndexEntry{}, map[int][]orcwire.BloomFilter{}
	for _, x := range sf.Streams {
		at := s.Offset + x.Offset
		raw := func() []byte { return f.unpack(t, f.bytes[at:at+x.Length]) }
		switch x.Kind {
		case orcwire.RowIndex:
			entries[x.Column], err = orcwire.ParseRowIndex(raw(), math.MaxInt32)
		case orcwire.BloomFilterUTF8:
			blooms[x.Column], err = orcwire.ParseBloomIndex(raw(), math.MaxInt32)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return entries, blooms
}

// likeJava compares a file; with ids, strings are given as words of a dictionary.
func likeJava(t *testing.T, name string, b []byte, ids bool, seen map[string]int) {
	f := parseJava(t, b)
	if f.footer.Encryption != nil {
		return // what lies open is of masked values
	}
	file, err := reader.Format().Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{Options: asStored(name)})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rec, err := conformance.Collect(t, file, memory.DefaultAllocator, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	if rec != nil {
		defer rec.Release()
	}
	g := &gatherer{t: t, hybrid: f.hybrid, ids: ids}
	for _, typ := range f.footer.Types {
		g.all = append(g.all, newCollector(typ))
		g.blooms = append(g.blooms, nil)
	}
	at, failed := int64(0), map[string]bool{}
	compare := func(typ *orcwire.Type, where string, got *orcwire.ColumnStats, want orcwire.ColumnStats) {
		if f.footer.RowIndexStride == 0 {
			return // Java's writer does not count then
		}
		seen[typ.Kind.String()]++
		if s := got.Decimal; s != nil && want.Decimal != nil && s.Sum == "" && roundedSum(typ, want.Decimal.Sum) {
			want.Decimal.Sum = ""
		}
		if name == "repeats" { // Java adds a value once that fills a batch (orcwire.Quirks.AddsRepeatsOnce)
			if got.Double != nil && want.Double != nil {
				want.Double.Sum = got.Double.Sum
			}
			if got.Decimal != nil && want.Decimal != nil {
				want.Decimal.Sum = got.Decimal.Sum
			}
		}
		if a, b := statsText(typ, got), statsText(typ, &want); a != b && !failed[typ.Path()] {
			failed[typ.Path()] = true
			t.Errorf("%s of %q, %s:\n %s\nwant\n %s", typ, typ.Path(), where, a, b)
		}
	}
	for i, s := range f.footer.Stripes {
		entries, blooms := f.indexes(t, i)
		stride := int64(f.footer.RowIndexStride)
		if stride == 0 {
			stride = s.Rows
		}
		groups := (s.Rows + stride - 1) / stride
		for k := range groups {
			from, to := at+k*stride, at+min((k+1)*stride, s.Rows)
			for id := range blooms {
				if g.blooms[id] == nil {
					g.blooms[id] = newBloom(int(stride), bloomMisses[name])
				}
			}
			g.rows(f.footer.Types[0], rec, from, to)
			for id, typ := range f.footer.Types {
				got := g.all[id].endGroup()
				if f.footer.RowIndexStride == 0 || int64(len(entries[id])) != groups {
					continue
				}
				want, err := entries[id][k].ColumnStats()
				if err != nil {
					t.Fatal(err)
				}
				compare(typ, fmt.Sprintf("stripe %d, row group %d", i, k), got, want)
				if blooms[id] != nil {
					seen["bloom"]++
					sameBloom(t, typ, g.blooms[id].take(), blooms[id][k])
				}
			}
		}
		at += s.Rows
		for id, typ := range f.footer.Types {
			want, err := f.metadata[i].At(id)
			if err != nil {
				t.Fatal(err)
			}
			compare(typ, fmt.Sprintf("stripe %d", i), g.all[id].endStripe(want.BytesOnDisk), want)
		}
	}
	for id, typ := range f.footer.Types {
		want, err := f.footer.Stats.At(id)
		if err != nil {
			t.Fatal(err)
		}
		compare(typ, "file", g.all[id].file(), want)
	}
}

// roundedSum reports whether Java may be wrong about a sum: it rounds sums of long decimals to 38 digits, and goes on with
// what a sum of short ones was when it gave it up.
func roundedSum(t *orcwire.Type, sum string) bool {
	p, _ := t.DecimalType()
	return p <= shortDigits || digits(sum) >= mostDigits-1
}

// bloomMisses is what each file with bloom filters was made with.
var bloomMisses = map[string]float64{"bloom-original": 0.5, "bloom-utf8": 0.5, "pruning": 0.2, "repeats": 0.5}

func sameBloom(t *testing.T, typ *orcwire.Type, got, want orcwire.BloomFilter) {
	t.Helper()
	if len(got.Bits) != len(want.Bits) {
		t.Fatalf("%s: a bloom filter of %d words, want %d", typ, len(got.Bits), len(want.Bits))
	}
	if got.Hashes != want.Hashes || !slices.Equal(got.Bits, want.Bits) {
		t.Errorf("%s: a bloom filter of %d hashes, %d words %.200x\nwant %d, %d, %.200x", typ, got.Hashes, len(got.Bits), got.Bits, want.Hashes, len(want.Bits), want.Bits)
	}
}

// gatherer gives values of arrays to collectors and bloom filters, by type id.
type gatherer struct {
	t      *testing.T
	all    []collector
	blooms []*bloom
	hybrid bool
	ids    bool // strings as words of a dictionary
}

// rows gives rows of a file.
func (g *gatherer) rows(root *orcwire.Type, rec arrow.Record, from, to int64) {
	if root.Kind != orcwire.Struct {
		g.slots(root, array.NewSlice(rec.Column(0), from, to))
		return
	}
	g.all[root.ID].count(int(to-from), false)
	for i, c := range root.Children {
		g.slots(c, array.NewSlice(rec.Column(i), from, to))
	}
}

func (g *gatherer) slots(t *orcwire.Type, arr arrow.Array) {
	find := arrowdense.Finder{Mem: memory.DefaultAllocator, Unions: t.Kind == orcwire.Union}
	v, err := find.Values(arr)
	if err != nil {
		g.t.Fatal(err)
	}
	n := v.Array.Len()
	if u, ok := v.Array.(array.Union); ok {
		g.union(t, u)
		return
	}
	g.all[t.ID].count(n, n < v.N)
	if n > 0 {
		g.values(t, v.Array)
	}
}

// union gives the values of a union, of which those in child 0 that are null are null themselves: the generator writes no
// others.
func (g *gatherer) union(t *orcwire.Type, u array.Union) {
	children, n := make([][][2]int64, u.NumFields()), 0
	slots := arrowdense.SlotsOf(u)
	for i := range u.Len() {
		k, at := slots.At(i)
		if u.Field(k).IsNull(int(at)) {
			continue
		}
		children[k] = arrowdense.AppendRun(children[k], at, at+1)
		n++
	}
	g.all[t.ID].count(n, n < u.Len())
	for k, runs := range children {
		arr, err := arrowdense.Gather(u.Field(k), runs, memory.DefaultAllocator)
		if err != nil {
			g.t.Fatal(err)
		}
		g.slots(t.Children[k], arr)
	}
}

func (g *gatherer) values(t *orcwire.Type, arr arrow.Array) {
	b := g.blooms[t.ID]
	if b == nil {
		b = newBloom(1, 0.5)
	}
	switch a := arr.(type) {
	case *array.Boolean:
		g.all[t.ID].(*boolStats).add(a.Data().Buffers()[1].Bytes(), a.Data().Offset(), a.Len())
	case *array.Int8:
		addInts(g.all[t.ID].(*intStats), a.Int8Values())
		addBloomInts(b, a.Int8Values())
	case *array.Int16:
		addInts(g.all[t.ID].(*intStats), a.Int16Values())
		addBloomInts(b, a.Int16Values())
	case *array.Int32:
		addInts(g.all[t.ID].(*intStats), a.Int32Values())
		addBloomInts(b, a.Int32Values())
	case *array.Int64:
		addInts(g.all[t.ID].(*intStats), a.Int64Values())
		addBloomInts(b, a.Int64Values())
	case *array.Float32:
		addFloats(g.all[t.ID].(*doubleStats), a.Float32Values())
		addBloomFloats(b, a.Float32Values())
	case *array.Float64:
		addFloats(g.all[t.ID].(*doubleStats), a.Float64Values())
		addBloomFloats(b, a.Float64Values())
	case *array.Date32:
		days := make([]int32, a.Len())
		for i, d := range a.Date32Values() {
			days[i] = int32(d)
		}
		if g.hybrid {
			orcwire.ProlepticDays(days)
		}
		g.all[t.ID].(*dateStats).add(days)
		addBloomInts(b, days)
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		values := make([]int64, a.Len())
		for i, v := range a.TimestampValues() {
			values[i] = g.hybridTime(int64(v), perSecond(unit))
		}
		g.all[t.ID].(*timestampStats).add(values, unit)
		addBloomTimestamps(b, values, unit)
	case *array.Decimal128:
		words := make([][2]uint64, a.Len())
		for i, v := range a.Values() {
			words[i] = [2]uint64{v.LowBits(), uint64(v.HighBits())}
		}
		g.all[t.ID].(*decimalStats).add(words)
		addBloomDecimals(b, words, t)
	case *array.String:
		offsets, data := a.ValueOffsets(), a.ValueBytes()
		data = append(make([]byte, offsets[0]), data...) // as it stands behind what a slice leaves out
		if s := g.all[t.ID].(*stringStats); g.ids {
			ids, offsets, data := byWord(a)
			addBloomIDs(b, s.addIDs(ids, lengthOf(ids, offsets), offsets, data), offsets, data)
			return
		}
		g.all[t.ID].(*stringStats).add(offsets, data)
		addBloomStrings(b, offsets, data)
	case *array.Binary:
		offsets, data := a.ValueOffsets(), a.ValueBytes()
		data = append(make([]byte, offsets[0]), data...) // as it stands behind what a slice leaves out
		switch s := g.all[t.ID].(type) {
		case *binaryStats:
			s.add(int64(offsets[a.Len()] - offsets[0]))
		case *shapeStats:
			if err := s.add(offsets, data); err != nil {
				g.t.Fatal(err)
			}
		}
		addBloomStrings(b, offsets, data)
	case *array.Struct:
		for i, c := range t.Children {
			g.slots(c, a.Field(i))
		}
	case array.ListLike:
		var runs [][2]int64
		lengths := make([]int32, a.Len())
		for i := range a.Len() {
			from, to := a.ValueOffsets(i)
			lengths[i] = int32(to - from)
			runs = arrowdense.AppendRun(runs, from, to)
		}
		g.all[t.ID].(*collectionStats).add(lengths)
		addBloomInts(b, lengths)
		elems, err := arrowdense.Gather(a.ListValues(), runs, memory.DefaultAllocator)
		if err != nil {
			g.t.Fatal(err)
		}
		if t.Kind != orcwire.Map {
			g.slots(t.Children[0], elems)
			return
		}
		g.slots(t.Children[0], elems.(*array.Struct).Field(0))
		g.slots(t.Children[1], elems.(*array.Struct).Field(1))
	default:
		g.t.Fatalf("%v for %s", arr.DataType(), t)
	}
}

// byWord makes a dictionary of strings.
func byWord(a *array.String) (ids, offsets []int32, data []byte) {
	offsets = []int32{0}
	known := map[string]int32{}
	for i := range a.Len() {
		id, ok := known[a.Value(i)]
		if !ok {
			id = int32(len(known))
			known[a.Value(i)] = id
			data = append(data, a.Value(i)...)
			offsets = append(offsets, int32(len(data)))
		}
		ids = append(ids, id)
	}
	return ids, offsets, data
}

// hybridTime turns a time of Arrow's calendar into one of the file's.
func (g *gatherer) hybridTime(v, second int64) int64 {
	day := 86400 * second
	d := v / day
	if v%day < 0 {
		d--
	}
	if !g.hybrid {
		return v
	}
	return v + (orcwire.ProlepticToHybrid(d)-d)*day
}

// statsText prints statistics, without what is meant to differ from Java's.
func statsText(t *orcwire.Type, s *orcwire.ColumnStats) string {
	var out strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&out, format+" ", args...) }
	if t.Kind == orcwire.Union || t.Parent != nil && t.Parent.Kind == orcwire.Union {
		// Arrow does not tell a null union from one whose value is null.
		put("%t, %t %d bytes", s.HasValues, s.HasBytes, s.BytesOnDisk)
	} else {
		put("%t %d values, null %d, %t %d bytes", s.HasValues, s.Values, s.HasNull, s.HasBytes, s.BytesOnDisk)
	}
	whole := func(name string, v *int64) {
		if v != nil {
			put("%s %d", name, *v)
		}
	}
	if x := s.Int; x != nil {
		put("int")
		whole("min", x.Min)
		whole("max", x.Max)
		whole("sum", x.Sum)
	}
	if x := s.Double; x != nil {
		put("double")
		for _, v := range []*float64{x.Min, x.Max, x.Sum} {
			switch {
			case v == nil:
				put("none")
			case math.IsNaN(*v):
				put("NaN") // which one depends on the machine
			default:
				put("%x", math.Float64bits(*v+0)) // bounds that are zero are the zero further out
			}
		}
	}
	if x := s.String; x != nil {
		put("string")
		for _, p := range [][]byte{x.Min, x.Max, x.Lower, x.Upper} {
			put("%t %q", p != nil, p)
		}
		whole("sum", x.Sum)
	}
	if s.Bool != nil {
		put("bool %d", s.Bool.True)
	}
	if s.Decimal != nil {
		put("decimal %+v", *s.Decimal)
	}
	if x := s.Date; x != nil {
		put("date")
		for _, d := range []*int32{x.Min, x.Max} {
			if d != nil {
				put("%d", *d)
			}
		}
	}
	if s.Binary != nil {
		put("binary")
		whole("sum", s.Binary.Sum)
	}
	if x := s.Timestamp; x != nil {
		put("timestamp %d %d", x.MinNanos, x.MaxNanos)
		whole("min", x.Min)
		whole("max", x.Max)
		whole("min", x.MinUTC)
		whole("max", x.MaxUTC)
	}
	if s.Collection != nil {
		put("collection") // Java counts the rows of its batches
	}
	if s.Geo != nil && s.Geo.Box != nil { // Java writes an empty part where there is no box
		box := s.Geo.Box
		text := fmt.Sprintf("geo %v %v %v %v", box.XMin, box.XMax, box.YMin, box.YMax)
		if box.ZMin != nil {
			text += fmt.Sprintf(", z %v %v", *box.ZMin, *box.ZMax)
		}
		if box.MMin != nil {
			text += fmt.Sprintf(", m %v %v", *box.MMin, *box.MMax)
		}
		put("%s, types %s", text, strings.Trim(fmt.Sprint(s.Geo.Types), "[]"))
	}
	return out.String()
}
