package orcwire

import (
	"bytes"
	"math"
	"slices"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fieldname"
	"github.com/arrowio/arrowio/internal/pb"
)

// StripeInfo says where a stripe lies: index, data and stripe footer follow each other from Offset on (specification,
// "Stripe Information"). No number is negative, and End does not overflow; whether the stripe lies in the file is for
// the caller to check.
type StripeInfo struct {
	Offset       int64
	IndexLength  int64
	DataLength   int64
	FooterLength int64
	Rows         int64

	// EncryptStripeID is what the streams of encrypted columns are numbered by: 1, 2 and so on in the file that a
	// stripe was first written to.
	EncryptStripeID int64
	// EncryptedLocalKeys has a key for each variant of Encryption, valid from here on until a stripe has others, which
	// is already worked out. nil = none before either: then the variants' own.
	EncryptedLocalKeys [][]byte
}

// End returns the offset behind the stripe.
func (s *StripeInfo) End() int64 { return s.Offset + s.IndexLength + s.DataLength + s.FooterLength }

// KeyValue is an entry of the user's metadata.
type KeyValue struct {
	Key   string
	Value []byte
}

// Calendars of Footer.Calendar.
const (
	CalendarUnknown   = 0
	CalendarHybrid    = 1 // Julian before 1582-10-15, then Gregorian
	CalendarProleptic = 2 // Gregorian throughout
)

// Footer describes the file (specification, "Footer").
type Footer struct {
	HeaderLength    uint64
	ContentLength   uint64
	Stripes         []StripeInfo
	Types           []*Type         // by id; Types[0] is the root
	BadNames        fieldname.Names // those that are not UTF-8: Types has others
	Metadata        []KeyValue
	Rows            int64     // of the file, as counted by the writer; see HasRows
	HasRows         bool      // false where the footer leaves the count out: then the stripes alone tell
	Stats           StatsList // of the file, by type id; may be shorter than Types
	RowIndexStride  uint32    // rows of a row group; 0 = no index
	Writer          uint32    // see WriterName and Quirks
	Encryption      *Encryption
	Calendar        uint32
	SoftwareVersion string // of the writer; "" in older files
}

// footerFields is a footer that is being read or written.
type footerFields struct {
	*Footer
	b      []byte
	types  int // how many there are
	tree   *typeTree
	budget *metaBudget
}

var footerTable = pb.NewTable(
	pb.Uint(1, "headerLength", func(f *footerFields) *uint64 { return &f.HeaderLength }),
	pb.Uint(2, "contentLength", func(f *footerFields) *uint64 { return &f.ContentLength }),
	pb.Parts(3, "stripes", "stripe", stripeInfoTable, func(f *footerFields) *[]StripeInfo { return &f.Stripes }).
		Writing(appendStripes).Each(pb.ListNumbered, 0),
	pb.Custom(4, "types", pb.FormMessage, readType, appendTypes).Of(&typeTable.Shape).Each(pb.ListColumns, 0),
	pb.Parts(5, "metadata", "metadata item", keyValueTable, func(f *footerFields) *[]KeyValue { return &f.Metadata }),
	pb.Uint(6, "numberOfRows", func(f *footerFields) *int64 { return &f.Rows }).With(func(f *footerFields) *bool { return &f.HasRows }),
	pb.Custom(7, "statistics", pb.FormMessage, func(m *pb.Message, f *footerFields) {
		m.Bytes()
		if f.Stats.n < f.types { // more would be about nothing
			f.Stats.add(len(f.b) - m.Left())
		}
	}, func(b []byte, num protowire.Number, f *footerFields) []byte {
		return appendStatsList(b, num, f.Stats)
	}).Of(&columnStatsTable.Shape).Each(pb.ListColumns, 0),
	pb.Uint(8, "rowIndexStride", func(f *footerFields) *uint32 { return &f.RowIndexStride }),
	pb.Uint(9, "writer", func(f *footerFields) *uint32 { return &f.Writer }).
		Words("ORC Java", "ORC C++", "Presto", "scritchley/orc", "Trino", "cuDF"),
	pb.PartOf(10, "encryption", encryptionTable, func(f *footerFields) **Encryption { return &f.Encryption }).
		Reading(func(m *pb.Message, f *footerFields) {
			// Lists grow while they are read. No element takes more than 32 bytes of memory for a byte of the message.
			if m.Err = f.budget.take(len(m.Bytes()), 32); m.Err == nil {
				f.Encryption = &Encryption{}
				encryptionTable.ReadField(m, f.Encryption)
			}
		}),
	pb.Uint(11, "calendar", func(f *footerFields) *uint32 { return &f.Calendar }).OmitZero().
		Words("UNKNOWN_CALENDAR", "JULIAN_GREGORIAN", "PROLEPTIC_GREGORIAN"),
	pb.Text(12, "softwareVersion", func(f *footerFields) *string { return &f.SoftwareVersion }).OmitZero(),
)

// ParseFooter reads a footer. What it returns refers to b.
//
// The type tree is whole: ids in pre-order, every type but the root the child of one other, as many children and names
// as its kind wants, decimals of at most 38 digits. The rows of all stripes can be added up. More types than
// Limits.Columns, nesting deeper than Limits.Depth, more stripes than Limits.Splits, and metadata that takes far more
// memory than Limits.MetadataBytes are errs.ErrLimit.
func ParseFooter(b []byte, lim errs.Limits) (*Footer, error) {
	lim = lim.WithDefaults()
	f := &Footer{}
	count, err := f.count(b)
	if err != nil {
		return nil, err
	}
	budget := newMetaBudget(lim)
	if err := count.check(lim, budget); err != nil {
		return nil, err
	}
	f.Stripes = make([]StripeInfo, 0, count.stripes)
	if count.metadata > 0 {
		f.Metadata = make([]KeyValue, 0, count.metadata)
	}
	f.Stats = StatsList{b: b, num: 7}
	tree := newTypeTree(count.types, lim, budget)
	if err := footerTable.Parse(b, &footerFields{Footer: f, b: b, types: count.types, tree: tree, budget: budget}); err != nil {
		return nil, err
	}
	if f.Types, err = tree.link(); err != nil {
		return nil, err
	}
	f.fitNames()
	if f.Encryption != nil {
		if err := f.Encryption.check(len(f.Types)); err != nil {
			return nil, err
		}
	}
	return f, f.finishStripes()
}

// AppendFooter appends a footer, the reverse of ParseFooter. Parts of Footer that say nothing are left out: stripe ids
// that count on from the one before, keys that go on from there, and numbers and texts that are optional.
func AppendFooter(dst []byte, f *Footer) []byte {
	return footerTable.Append(dst, &footerFields{Footer: f})
}

// footerCount is how many elements a footer has of what may be many.
type footerCount struct{ stripes, types, metadata int }

func (f *Footer) count(b []byte) (footerCount, error) {
	var c footerCount
	m := pb.New(b)
	for m.Next() {
		switch m.Num {
		case 3:
			c.stripes++
		case 4:
			c.types++
		case 5:
			c.metadata++
		}
	}
	return c, m.Err
}

func (c footerCount) check(lim errs.Limits, budget *metaBudget) error {
	if c.types == 0 {
		return errs.Errorf(errs.ErrCorrupt, "no types")
	}
	if c.types-1 > lim.Columns {
		return errs.Errorf(errs.ErrLimit, "%d columns are over the limit Columns = %d", c.types-1, lim.Columns)
	}
	if c.stripes > lim.Splits {
		return errs.Errorf(errs.ErrLimit, "%d stripes are over the limit Splits = %d", c.stripes, lim.Splits)
	}
	if err := budget.take(c.stripes, unsafe.Sizeof(StripeInfo{})); err != nil {
		return err
	}
	if err := budget.take(c.types, unsafe.Sizeof(Type{})+2*unsafe.Sizeof(&Type{})); err != nil {
		return err
	}
	return budget.take(c.metadata, unsafe.Sizeof(KeyValue{}))
}

var stripeInfoTable = pb.NewTable(
	pb.Uint(1, "offset", func(s *StripeInfo) *int64 { return &s.Offset }),
	pb.Uint(2, "indexLength", func(s *StripeInfo) *int64 { return &s.IndexLength }),
	pb.Uint(3, "dataLength", func(s *StripeInfo) *int64 { return &s.DataLength }),
	pb.Uint(4, "footerLength", func(s *StripeInfo) *int64 { return &s.FooterLength }),
	pb.Uint(5, "numberOfRows", func(s *StripeInfo) *int64 { return &s.Rows }),
	pb.Uint(6, "encryptStripeId", func(s *StripeInfo) *int64 { return &s.EncryptStripeID }).OmitZero(),
	pb.Strings(7, "encryptedLocalKeys", pb.FormBytes, func(s *StripeInfo) *[][]byte { return &s.EncryptedLocalKeys }).
		Reading(func(m *pb.Message, s *StripeInfo) {
			if s.EncryptedLocalKeys == nil {
				s.EncryptedLocalKeys = make([][]byte, 0, 1+m.Count(7))
			}
			s.EncryptedLocalKeys = append(s.EncryptedLocalKeys, m.Bytes())
		}),
).Check(func(s *StripeInfo) error {
	left := int64(math.MaxInt64)
	for _, n := range [...]int64{s.Offset, s.IndexLength, s.DataLength, s.FooterLength} {
		if n > left {
			return errs.Errorf(errs.ErrCorrupt, "%d bytes of index, %d of data, %d of footer at %d go beyond any file", s.IndexLength, s.DataLength, s.FooterLength, s.Offset)
		}
		left -= n
	}
	return nil
})

// appendStripes appends stripes. It leaves out the ids and keys that ParseFooter works out.
func appendStripes(dst []byte, num protowire.Number, f *footerFields) []byte {
	id := int64(0)
	var keys [][]byte
	var s StripeInfo
	for i := range f.Stripes {
		s = f.Stripes[i]
		next := id + 1
		if s.EncryptStripeID != 0 {
			next = s.EncryptStripeID
		}
		if !sameKeys(s.EncryptedLocalKeys, keys) {
			keys = s.EncryptedLocalKeys
		} else {
			if s.EncryptedLocalKeys = nil; next == id+1 {
				s.EncryptStripeID = 0
			}
		}
		id = next
		dst = stripeInfoTable.AppendField(dst, num, &s)
	}
	return dst
}

func sameKeys(a, b [][]byte) bool { // none: those before go on
	return len(a) == 0 || slices.EqualFunc(a, b, bytes.Equal)
}

var keyValueTable = pb.NewTable(
	pb.Text(1, "name", func(kv *KeyValue) *string { return &kv.Key }),
	pb.Bytes(2, "value", func(kv *KeyValue) *[]byte { return &kv.Value }).Always().As(pb.FormText),
)

// finishStripes works out what stripes take over from those before them, and adds up their rows.
func (f *Footer) finishStripes() error {
	variants := 0
	if f.Encryption != nil {
		variants = len(f.Encryption.Variants)
	}
	rows, id := int64(0), int64(0)
	var keys [][]byte
	for i := range f.Stripes {
		s := &f.Stripes[i]
		if s.Rows > math.MaxInt64-rows {
			return errs.Errorf(errs.ErrCorrupt, "stripe %d has %d rows behind %d others", i, s.Rows, rows)
		}
		rows += s.Rows
		if s.EncryptStripeID == 0 { // absent: 0 is not used
			if id == math.MaxInt64 {
				return errs.Errorf(errs.ErrCorrupt, "stripe %d follows the stripe with encryption id %d", i, id)
			}
			s.EncryptStripeID = id + 1
		}
		id = s.EncryptStripeID
		switch len(s.EncryptedLocalKeys) {
		case 0:
			s.EncryptedLocalKeys = keys
		case variants:
			keys = s.EncryptedLocalKeys
		default:
			return errs.Errorf(errs.ErrCorrupt, "stripe %d has %d encrypted keys for %d variants", i, len(s.EncryptedLocalKeys), variants)
		}
	}
	return nil
}
