package orcwire

import (
	"math"
	"unsafe"

	"github.com/arrowio/arrowio/arrowio/errs"
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
	Types           []*Type // by id; Types[0] is the root
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
	f.Metadata = make([]KeyValue, 0, count.metadata)
	if count.metadata == 0 {
		f.Metadata = nil
	}
	tree := newTypeTree(count.types, lim, budget)
	f.Stats = StatsList{b: b, num: 7}
	var encryption []byte
	m := pb.New(b)
	for at := 0; m.Next(); at = len(b) - m.Left() {
		switch m.Num {
		case 1:
			f.HeaderLength = m.Uint64()
		case 2:
			f.ContentLength = m.Uint64()
		case 3:
			s, err := parseStripeInfo(m.Message())
			if err != nil {
				return nil, within(err, "stripe", len(f.Stripes))
			}
			f.Stripes = append(f.Stripes, s)
		case 4:
			if b := m.Bytes(); m.Err == nil {
				if err := tree.add(b); err != nil {
					return nil, within(err, "type", tree.n-1)
				}
			}
		case 5:
			kv, err := parseKeyValue(m.Message())
			if err != nil {
				return nil, within(err, "metadata item", len(f.Metadata))
			}
			f.Metadata = append(f.Metadata, kv)
		case 6:
			f.Rows, f.HasRows = m.Size(), true
		case 7:
			m.Bytes()
			if f.Stats.n < count.types { // more would be about nothing
				f.Stats.add(at)
			}
		case 8:
			f.RowIndexStride = m.Uint32()
		case 9:
			f.Writer = m.Uint32()
		case 10:
			encryption = m.Bytes()
		case 11:
			f.Calendar = m.Uint32()
		case 12:
			f.SoftwareVersion = m.String()
		}
	}
	if m.Err != nil {
		return nil, m.Err
	}
	if f.Types, err = tree.link(); err != nil {
		return nil, err
	}
	if encryption != nil {
		if f.Encryption, err = parseEncryption(encryption, len(f.Types), budget); err != nil {
			return nil, err
		}
	}
	return f, f.finishStripes()
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

func parseStripeInfo(m pb.Message) (StripeInfo, error) {
	var s StripeInfo
	keys := 0
	for count := m; count.Next(); {
		if count.Num == 7 {
			keys++
		}
	}
	if keys > 0 {
		s.EncryptedLocalKeys = make([][]byte, 0, keys)
	}
	for m.Next() {
		switch m.Num {
		case 1:
			s.Offset = m.Size()
		case 2:
			s.IndexLength = m.Size()
		case 3:
			s.DataLength = m.Size()
		case 4:
			s.FooterLength = m.Size()
		case 5:
			s.Rows = m.Size()
		case 6:
			s.EncryptStripeID = m.Size()
		case 7:
			s.EncryptedLocalKeys = append(s.EncryptedLocalKeys, m.Bytes())
		}
	}
	if m.Err != nil {
		return s, m.Err
	}
	left := int64(math.MaxInt64)
	for _, n := range []int64{s.Offset, s.IndexLength, s.DataLength, s.FooterLength} {
		if n > left {
			return s, errs.Errorf(errs.ErrCorrupt, "%d bytes of index, %d of data, %d of footer at %d go beyond any file", s.IndexLength, s.DataLength, s.FooterLength, s.Offset)
		}
		left -= n
	}
	return s, nil
}

func parseKeyValue(m pb.Message) (KeyValue, error) {
	var kv KeyValue
	for m.Next() {
		switch m.Num {
		case 1:
			kv.Key = m.String()
		case 2:
			kv.Value = m.Bytes()
		}
	}
	return kv, m.Err
}

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
