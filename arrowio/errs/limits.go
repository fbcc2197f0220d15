package errs

// Limits bounds the memory and work that a file can cause, whatever numbers it contains. Sizes are in bytes. The zero value of
// each field means its default.
type Limits struct {
	MetadataBytes   int64 // a footer, header or index, decompressed; default 64 MiB
	Columns         int   // columns of a file; default 65 536
	Depth           int   // levels of nesting in a schema; default 128
	BlockBytes      int64 // one decompressed chunk or block; default 64 MiB
	ValueBytes      int64 // one string or binary value; default 256 MiB
	DictionaryBytes int64 // one dictionary; default 256 MiB
	SplitBytes      int64 // bytes fetched for one split; default 2 GiB
	BatchBytes      int64 // one batch, never more; default 1 GiB, at most what int32 offsets can address
	BatchElements   int64 // elements of one column in one batch that take no bytes in the file (runs, nulls); default 67 108 864
	Splits          int   // stripes or other splits of a file; default 1 048 576
}

// WithDefaults returns l with every zero field replaced by its default.
func (l Limits) WithDefaults() Limits {
	def(&l.MetadataBytes, 64<<20)
	def(&l.Columns, 65536)
	def(&l.Depth, 128)
	def(&l.BlockBytes, 64<<20)
	def(&l.ValueBytes, 256<<20)
	def(&l.DictionaryBytes, 256<<20)
	def(&l.SplitBytes, 2<<30)
	def(&l.BatchBytes, 1<<30)
	def(&l.BatchElements, 64<<20)
	def(&l.Splits, 1<<20)
	return l
}

func def[T int | int64](p *T, d T) {
	if *p <= 0 {
		*p = d
	}
}
