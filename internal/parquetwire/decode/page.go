package decode

// PageKind is what a page holds.
type PageKind int8

// Kinds of pages.
const (
	DataPage       PageKind = 0
	IndexPage      PageKind = 1
	DictionaryPage PageKind = 2
	DataPageV2     PageKind = 3
)

// Page is a PageHeader.
type Page struct {
	Kind        PageKind
	Raw, Stored int // bytes of the body, decompressed and stored
	CRC         uint32
	HasCRC      bool
	Values      int // of the levels, nulls among them; of a dictionary: its entries
	Encoding    Encoding
	RepEncoding Encoding // of version 1
	DefEncoding Encoding // of version 1
	Nulls       int      // of version 2
	Rows        int      // of version 2
	RepBytes    int      // of version 2
	DefBytes    int      // of version 2
	Compressed  bool     // of version 2
	HasRows     bool     // Nulls and Rows are there
	Stats       Stats    // of data pages; its byte slices are views
}

// ParsePage parses the PageHeader that b starts with and returns how many bytes it takes. ErrShort means that it goes
// on behind b.
func ParsePage(b []byte) (p Page, n int, err error) {
	t := thrift{b: b, budget: 1 << 20}
	p.Kind, p.Values, p.Stats.Nulls, p.Stats.Distinct = -1, -1, -1, -1
	raw, stored, values, nulls, rows, rep, def := int32(-1), int32(-1), int32(-1), int32(0), int32(0), int32(0), int32(0)
	for f := (field{}); t.next(&f); {
		switch f.id {
		case 1:
			v := t.i32(f)
			if v < 0 || v > int32(DataPageV2) {
				t.fail(ErrThrift)
			}
			p.Kind = PageKind(v)
		case 2:
			raw = t.i32(f)
		case 3:
			stored = t.i32(f)
		case 4:
			p.CRC, p.HasCRC = uint32(t.i32(f)), true
		case 5:
			for h := t.open(f); t.next(&h); {
				switch h.id {
				case 1:
					values = t.i32(h)
				case 2:
					p.Encoding = t.encoding(h)
				case 3:
					p.DefEncoding = t.encoding(h)
				case 4:
					p.RepEncoding = t.encoding(h)
				case 5:
					t.stats(h, &p.Stats)
				default:
					t.skip(h)
				}
			}
		case 7:
			for h := t.open(f); t.next(&h); {
				switch h.id {
				case 1:
					values = t.i32(h)
				case 2:
					p.Encoding = t.encoding(h)
				default:
					t.skip(h)
				}
			}
		case 8:
			p.Compressed, p.HasRows = true, true
			for h := t.open(f); t.next(&h); {
				switch h.id {
				case 1:
					values = t.i32(h)
				case 2:
					nulls = t.i32(h)
				case 3:
					rows = t.i32(h)
				case 4:
					p.Encoding = t.encoding(h)
				case 5:
					def = t.i32(h)
				case 6:
					rep = t.i32(h)
				case 7:
					p.Compressed = t.bool(h)
				case 8:
					t.stats(h, &p.Stats)
				default:
					t.skip(h)
				}
			}
		default:
			t.skip(f)
		}
	}
	if t.err == nil && (p.Kind < 0 || raw < 0 || stored < 0 || (p.Kind != IndexPage && values < 0) || nulls < 0 || rows < 0 || rep < 0 || def < 0) {
		t.err = ErrThrift
	}
	if t.err != nil {
		return Page{}, 0, t.err
	}
	p.Raw, p.Stored, p.Values, p.Nulls, p.Rows, p.RepBytes, p.DefBytes = int(raw), int(stored), int(values), int(nulls), int(rows), int(rep), int(def)
	return p, t.pos, nil
}

func (t *thrift) encoding(f field) Encoding {
	v := t.i32(f)
	if v < 0 || v > 127 {
		return 127
	}
	return Encoding(v)
}

// Location is where a data page is.
type Location struct {
	Off      int64 // of its header
	Bytes    int32 // with its header
	FirstRow int64 // in its row group
}

// ParseOffsetIndex parses an OffsetIndex, which lists the data pages of a column chunk.
func ParseOffsetIndex(b []byte, budget int64) ([]Location, error) {
	t := thrift{b: b, budget: budget}
	var out []Location
	for f := (field{}); t.next(&f); {
		if f.id != 1 {
			t.skip(f)
			continue
		}
		out = make([]Location, t.list(f, typeStruct, 24))
		for i := range out {
			for e := (field{}); t.next(&e); {
				switch e.id {
				case 1:
					out[i].Off = t.int(e)
				case 2:
					out[i].Bytes = t.i32(e)
				case 3:
					out[i].FirstRow = t.int(e)
				default:
					t.skip(e)
				}
			}
		}
	}
	return out, t.err
}

// ColumnIndex has the bounds of the data pages of a column chunk. Its byte slices are views.
type ColumnIndex struct {
	NullPages []bool // all values of the page are null; its bounds are empty
	Min, Max  [][]byte
	Nulls     []int64 // nil = unknown
	Order     Order
}

// Order says how the bounds of pages follow one another, pages of nulls left out.
type Order int32

// Orders.
const (
	Unordered  Order = 0
	Ascending  Order = 1
	Descending Order = 2
)

// ParseColumnIndex parses a ColumnIndex.
func ParseColumnIndex(b []byte, budget int64) (*ColumnIndex, error) {
	t := thrift{b: b, budget: budget}
	out := &ColumnIndex{}
	for f := (field{}); t.next(&f); {
		switch f.id {
		case 1:
			out.NullPages = make([]bool, t.list(f, typeTrue, 1))
			for i := range out.NullPages {
				out.NullPages[i] = t.byte() == typeTrue
			}
		case 2:
			out.Min = t.listOfBytes(f)
		case 3:
			out.Max = t.listOfBytes(f)
		case 4:
			out.Order = Order(t.i32(f))
		case 5:
			out.Nulls = make([]int64, t.list(f, typeI64, 8))
			for i := range out.Nulls {
				out.Nulls[i] = t.zigzag()
			}
		default:
			t.skip(f)
		}
	}
	if n := len(out.NullPages); t.err == nil && (len(out.Min) != n || len(out.Max) != n || out.Nulls != nil && len(out.Nulls) != n) {
		t.err = ErrThrift
	}
	return out, t.err
}

func (t *thrift) listOfBytes(f field) [][]byte {
	out := make([][]byte, t.list(f, typeBinary, 24))
	for i := range out {
		out[i] = t.rawBytes()
	}
	return out
}
