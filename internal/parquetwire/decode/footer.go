package decode

import "unsafe"

// Codec is the compression of pages.
type Codec int8

// Codecs.
const (
	Uncompressed Codec = iota
	Snappy
	Gzip
	LZO
	Brotli
	LZ4 // Hadoop's framing around LZ4 blocks
	Zstd
	LZ4Raw
)

var codecNames = [...]string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

// String returns the name that the specification has for c.
func (c Codec) String() string {
	if c >= 0 && int(c) < len(codecNames) {
		return codecNames[c]
	}
	return "a codec that is not known here"
}

// Encoding is how the values of a page are stored.
type Encoding int8

// Encodings.
const (
	Plain                Encoding = 0
	PlainDictionary      Encoding = 2
	RLE                  Encoding = 3
	BitPacked            Encoding = 4
	DeltaBinaryPacked    Encoding = 5
	DeltaLengthByteArray Encoding = 6
	DeltaByteArray       Encoding = 7
	RLEDictionary        Encoding = 8
	ByteStreamSplit      Encoding = 9
)

var encodingNames = [...]string{
	"PLAIN", "GROUP_VAR_INT", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
	"RLE_DICTIONARY", "BYTE_STREAM_SPLIT",
}

// String returns the name that the specification has for e.
func (e Encoding) String() string {
	if e >= 0 && int(e) < len(encodingNames) {
		return encodingNames[e]
	}
	return "an encoding that is not known here"
}

// Footer is FileMetaData. Its byte slices are views of the bytes it was parsed from.
type Footer struct {
	Version   int32
	Schema    []Element
	Rows      int64
	Groups    []RowGroup
	Metadata  []KeyValue
	CreatedBy string
	// Ordered says by column that bounds in statistics follow the order of the column's type.
	Ordered []bool
	// Algorithm is the name of the encryption of some columns; "" = none.
	Algorithm string
}

// KeyValue is an entry of the file's metadata.
type KeyValue struct{ Key, Value string }

// RowGroup is the metadata of a row group.
type RowGroup struct {
	Chunks []Chunk
	Rows   int64
}

// Chunk is the metadata of a column chunk. Offsets are those of the file.
type Chunk struct {
	Type        Type
	Codec       Codec
	Encodings   uint32 // a bit for each
	Elsewhere   bool   // in another file
	Encrypted   bool
	Values      int64 // nulls among them
	Raw, Stored int64 // bytes of the pages with headers, decompressed and stored
	DataPage    int64
	Dictionary  int64 // 0 = none
	Stats       Stats
	Bloom       int64 // 0 = none
	OffsetIndex Extent
	ColumnIndex Extent
	Geo         *GeoStats // nil = there are none
}

// Extent is where something is; a length of 0 = it is not there.
type Extent struct {
	Off int64
	Len int32
}

// Stats are the statistics of a column chunk or a page. Bounds are stored as PLAIN has them, without lengths.
type Stats struct {
	Min, Max       []byte // in the order of the column's type
	OldMin, OldMax []byte // in an order that writers did not agree on
	Nulls          int64  // -1 = unknown
	Distinct       int64  // different values; -1 = unknown
	HasMin, HasMax bool
	HasOld         bool
	// MinExact and MaxExact say that Min and Max are values of the column, and not only bounds.
	MinExact, MaxExact bool
}

// Start returns where the chunk's first page is.
func (c *Chunk) Start() int64 {
	if c.Dictionary > 0 && c.Dictionary < c.DataPage {
		return c.Dictionary
	}
	return c.DataPage
}

// Has reports whether the metadata names the encoding.
func (c *Chunk) Has(e Encoding) bool { return c.Encodings>>uint(e)&1 == 1 }

// ParseFooter parses FileMetaData. The structures it makes take at most budget bytes. Errors are ErrShort, ErrThrift and
// ErrBudget, with the offset in b where they were found.
func ParseFooter(b []byte, budget int64) (out *Footer, at int, err error) {
	t := thrift{b: b, budget: budget}
	out = &Footer{}
	for f := (field{}); t.next(&f); {
		switch f.id {
		case 1:
			out.Version = t.i32(f)
		case 2:
			n := t.list(f, typeStruct, int64(unsafe.Sizeof(Element{})))
			out.Schema = make([]Element, n)
			for i := range out.Schema {
				t.element(&out.Schema[i])
			}
		case 3:
			out.Rows = t.int(f)
		case 4:
			n := t.list(f, typeStruct, int64(unsafe.Sizeof(RowGroup{})))
			out.Groups = make([]RowGroup, n)
			for i := range out.Groups {
				t.rowGroup(&out.Groups[i])
			}
		case 5:
			n := t.list(f, typeStruct, int64(unsafe.Sizeof(KeyValue{})))
			out.Metadata = make([]KeyValue, n)
			for i := range out.Metadata {
				t.keyValue(&out.Metadata[i])
			}
		case 6:
			out.CreatedBy = string(t.bytes(f))
		case 7:
			n := t.list(f, typeStruct, 1)
			out.Ordered = make([]bool, n)
			for i := range out.Ordered {
				for u := (field{}); t.next(&u); t.skip(u) {
					out.Ordered[i] = u.id == 1
				}
			}
		case 8:
			out.Algorithm = "an algorithm that is not known here"
			for u := t.open(f); t.next(&u); t.skip(u) {
				switch u.id {
				case 1:
					out.Algorithm = "AES_GCM_V1"
				case 2:
					out.Algorithm = "AES_GCM_CTR_V1"
				}
			}
		default:
			t.skip(f)
		}
	}
	if t.err != nil {
		return nil, t.pos, t.err
	}
	return out, 0, nil
}

func (t *thrift) keyValue(kv *KeyValue) {
	for f := (field{}); t.next(&f); {
		switch f.id {
		case 1:
			kv.Key = string(t.bytes(f))
		case 2:
			kv.Value = string(t.bytes(f))
		default:
			t.skip(f)
		}
	}
	t.charge(int64(len(kv.Key) + len(kv.Value)))
}

func (t *thrift) rowGroup(g *RowGroup) {
	for f := (field{}); t.next(&f); {
		switch f.id {
		case 1:
			n := t.list(f, typeStruct, int64(unsafe.Sizeof(Chunk{})))
			g.Chunks = make([]Chunk, n)
			for i := range g.Chunks {
				t.chunk(&g.Chunks[i])
			}
		case 3:
			g.Rows = t.int(f)
		default:
			t.skip(f)
		}
	}
}

func (t *thrift) chunk(c *Chunk) {
	c.Stats.Nulls, c.Stats.Distinct = -1, -1
	for f := (field{}); t.next(&f); {
		switch f.id {
		case 1:
			c.Elsewhere = len(t.bytes(f)) > 0
		case 3:
			t.chunkMetadata(f, c)
		case 4:
			c.OffsetIndex.Off = t.int(f)
		case 5:
			c.OffsetIndex.Len = t.i32(f)
		case 6:
			c.ColumnIndex.Off = t.int(f)
		case 7:
			c.ColumnIndex.Len = t.i32(f)
		case 8, 9:
			c.Encrypted = true
			t.skip(f)
		default:
			t.skip(f)
		}
	}
}

func (t *thrift) chunkMetadata(in field, c *Chunk) {
	for f := t.open(in); t.next(&f); {
		switch f.id {
		case 1:
			v := t.i32(f)
			if v < 0 || int(v) >= len(typeNames) {
				t.fail(ErrThrift)
			}
			c.Type = Type(v)
		case 2:
			for n := t.list(f, typeI32, 0); n > 0 && t.err == nil; n-- {
				if e := t.zigzag(); e >= 0 && e < 32 {
					c.Encodings |= 1 << e
				}
			}
		case 4:
			v := t.i32(f)
			if v < 0 || v > 127 {
				v = 127
			}
			c.Codec = Codec(v)
		case 5:
			c.Values = t.int(f)
		case 6:
			c.Raw = t.int(f)
		case 7:
			c.Stored = t.int(f)
		case 9:
			c.DataPage = t.int(f)
		case 11:
			c.Dictionary = t.int(f)
		case 12:
			t.stats(f, &c.Stats)
		case 14:
			if f.typ == typeI64 {
				c.Bloom = t.int(f)
			} else { // drafts of the format had other fields here
				t.skip(f)
			}
		case 17:
			t.geo(f, c)
		default:
			t.skip(f)
		}
	}
}

func (t *thrift) stats(in field, s *Stats) {
	for f := t.open(in); t.next(&f); {
		switch f.id {
		case 1:
			s.OldMax, s.HasOld = t.bytes(f), true
		case 2:
			s.OldMin = t.bytes(f)
		case 3:
			s.Nulls = t.int(f)
		case 4:
			s.Distinct = t.int(f)
		case 5:
			s.Max, s.HasMax = t.bytes(f), true
		case 6:
			s.Min, s.HasMin = t.bytes(f), true
		case 7:
			s.MaxExact = t.bool(f)
		case 8:
			s.MinExact = t.bool(f)
		default:
			t.skip(f)
		}
	}
}
