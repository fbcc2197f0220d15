package orcwire

import (
	"strconv"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// StreamKind says what a stream holds.
type StreamKind uint8

// Kinds of streams, by their numbers in files (specification, "Stripe Footer").
const (
	Present StreamKind = iota
	Data
	Length
	DictionaryData
	DictionaryCount
	Secondary
	RowIndex
	BloomFilterOriginal
	BloomFilterUTF8
	EncryptedIndex                    // where the index streams of encrypted columns lie
	EncryptedData                     // where their other streams lie
	StripeStatistics StreamKind = 100 // not in a stripe
	FileStatistics   StreamKind = 101 // never stored: a number to encrypt with
	UnknownStream    StreamKind = 255 // any kind that is not known
)

var streamKindNames = [...]string{
	"PRESENT", "DATA", "LENGTH", "DICTIONARY_DATA", "DICTIONARY_COUNT", "SECONDARY", "ROW_INDEX", "BLOOM_FILTER",
	"BLOOM_FILTER_UTF8", "ENCRYPTED_INDEX", "ENCRYPTED_DATA",
}

// String returns the specification's name.
func (k StreamKind) String() string {
	switch {
	case int(k) < len(streamKindNames):
		return streamKindNames[k]
	case k == StripeStatistics:
		return "STRIPE_STATISTICS"
	case k == FileStatistics:
		return "FILE_STATISTICS"
	case k == UnknownStream:
		return "unknown stream"
	}
	return "stream kind " + strconv.Itoa(int(k))
}

// Index reports whether streams of this kind lie in the stripe's index, in front of the data.
func (k StreamKind) Index() bool {
	switch k {
	case RowIndex, BloomFilterOriginal, BloomFilterUTF8, EncryptedIndex:
		return true
	}
	return false
}

// Stream is a stream of a stripe. Readers pass over kinds that they do not know.
type Stream struct {
	Kind   StreamKind
	Column int   // type id
	Length int64 // stored bytes; 0 is as good as absent
	Offset int64 // from the stripe's start. Of a variant's streams and of stripe statistics: from the first one's start.
}

// EncodingKind is how a column's values are encoded.
type EncodingKind uint8

// Encodings (specification, "Stripe Footer"). V2 has integers in run length encoding version 2.
const (
	Direct EncodingKind = iota
	Dictionary
	DirectV2
	DictionaryV2
	UnknownEncoding EncodingKind = 255 // any that is not known: cuDF wrote -1 for columns without values
)

var encodingNames = [...]string{"DIRECT", "DICTIONARY", "DIRECT_V2", "DICTIONARY_V2"}

// String returns the specification's name.
func (k EncodingKind) String() string {
	if int(k) < len(encodingNames) {
		return encodingNames[k]
	}
	if k == UnknownEncoding {
		return "unknown encoding"
	}
	return "encoding " + strconv.Itoa(int(k))
}

// V2 reports whether integers are in run length encoding version 2.
func (k EncodingKind) V2() bool { return k == DirectV2 || k == DictionaryV2 }

// IsDictionary reports whether strings are in a dictionary.
func (k EncodingKind) IsDictionary() bool { return k == Dictionary || k == DictionaryV2 }

// Encoding is how a column is encoded in a stripe.
type Encoding struct {
	Kind           EncodingKind
	DictionarySize uint32
	Bloom          uint32 // of a bloom filter stream: 0 or absent = original, 1 = strings as UTF-8 and timestamps in UTC
}

// StripeVariant is what a stripe footer says about an encryption variant.
type StripeVariant struct {
	Streams   []Stream
	Encodings []Encoding // of the variant's types, its root's first
}

// StripeFooter is the directory of a stripe (specification, "Stripe Footer").
type StripeFooter struct {
	Streams    []Stream // in the order in which they lie in the stripe, one behind the other
	Encodings  []Encoding
	Timezone   string          // the writer's, "" in older files
	Encryption []StripeVariant // as many as Encryption.Variants
}

// stripeElements bounds the streams and encodings of a stripe footer, of which a hostile one has more than there is
// memory for: so many for each type. There are 9 kinds of streams, and a type may have them again in variants.
const stripeElements = 64

var streamTable = pb.NewTable(
	pb.Uint(1, "kind", func(s *Stream) *StreamKind { return &s.Kind }).Words(streamKindNames[:]...).
		Reading(func(m *pb.Message, s *Stream) { s.Kind = StreamKind(min(m.Uint64(), uint64(UnknownStream))) }),
	pb.Uint(2, "column", func(s *Stream) *int { return &s.Column }).Reading(func(m *pb.Message, s *Stream) { s.Column = int(m.Uint32()) }).If(func(s *Stream) bool {
		return s.Column != 0 || s.Kind != EncryptedIndex && s.Kind != EncryptedData // those are of no column
	}),
	pb.Uint(3, "length", func(s *Stream) *int64 { return &s.Length }).Reading(func(m *pb.Message, s *Stream) { s.Length = m.Size() }),
)

var encodingTable = pb.NewTable(
	pb.Uint(1, "kind", func(e *Encoding) *EncodingKind { return &e.Kind }).Words(encodingNames[:]...).
		Reading(func(m *pb.Message, e *Encoding) {
			e.Kind = UnknownEncoding
			if v := m.Uint64(); v < uint64(len(encodingNames)) {
				e.Kind = EncodingKind(v)
			}
		}),
	pb.Uint(2, "dictionarySize", func(e *Encoding) *uint32 { return &e.DictionarySize }).If(func(e *Encoding) bool { return e.Kind.IsDictionary() }),
	pb.Uint(3, "bloomEncoding", func(e *Encoding) *uint32 { return &e.Bloom }).OmitZero().Words("ORIGINAL", "UTF8_UTC"),
)

var stripeVariantTable = pb.NewTable(
	pb.Parts(1, "streams", "stream", streamTable, func(v *StripeVariant) *[]Stream { return &v.Streams }),
	pb.Parts(2, "encoding", "encoding", encodingTable, func(v *StripeVariant) *[]Encoding { return &v.Encodings }),
)

var stripeFooterTable = pb.NewTable(
	pb.Parts(1, "streams", "stream", streamTable, func(f *StripeFooter) *[]Stream { return &f.Streams }),
	pb.Parts(2, "columns", "encoding of column", encodingTable, func(f *StripeFooter) *[]Encoding { return &f.Encodings }).Each(pb.ListColumns, 0),
	pb.Text(3, "writerTimezone", func(f *StripeFooter) *string { return &f.Timezone }).OmitZero(),
	pb.Parts(4, "encryption", "encryption variant", stripeVariantTable, func(f *StripeFooter) *[]StripeVariant { return &f.Encryption }).Each(pb.ListNumbered, 0),
)

// ParseStripeFooter reads the footer of a stripe of a file with so many types, whose index and data have stripeBytes.
// Streams lie within those, name types that exist, and there is an encoding for each type.
func ParseStripeFooter(b []byte, types int, stripeBytes int64) (*StripeFooter, error) {
	f := &StripeFooter{}
	if !f.parsePlain(b, types) {
		*f = StripeFooter{}
		if err := f.parse(b, types); err != nil {
			return nil, err
		}
	}
	if err := placeStreams(f.Streams, types, stripeBytes); err != nil {
		return nil, err
	}
	for i := range f.Encryption {
		v := &f.Encryption[i]
		if len(v.Encodings) > types {
			return nil, errs.Errorf(errs.ErrCorrupt, "encryption variant %d has %d encodings for the file's %d types", i, len(v.Encodings), types)
		}
		if err := placeStreams(v.Streams, types, stripeBytes); err != nil {
			return nil, pb.Inside(err, "encryption variant %d", i)
		}
	}
	return f, nil
}

// parse reads any stripe footer.
func (f *StripeFooter) parse(b []byte, types int) error {
	streams, encodings, variants, inVariants := 0, 0, 0, 0
	count := pb.New(b)
	for count.Next() {
		switch count.Num {
		case 1:
			streams++
		case 2:
			encodings++
		case 4:
			variants++
			for v := count.Message(); v.Next(); {
				inVariants++
			}
		}
	}
	if count.Err != nil {
		return count.Err
	}
	if encodings != types {
		return errs.Errorf(errs.ErrCorrupt, "%d encodings for %d types", encodings, types)
	}
	if streams+variants+inVariants > stripeElements*(types+1) {
		return errs.Errorf(errs.ErrCorrupt, "%d streams, and %d parts of %d encryption variants, for %d types", streams, inVariants, variants, types)
	}
	f.Streams = make([]Stream, 0, streams)
	f.Encodings = make([]Encoding, 0, encodings)
	if variants > 0 {
		f.Encryption = make([]StripeVariant, 0, variants)
	}
	return stripeFooterTable.Parse(b, f)
}

// AppendStripeFooter appends the directory of a stripe, the reverse of ParseStripeFooter. Offsets of streams are not
// told: each follows the one before.
func AppendStripeFooter(dst []byte, f *StripeFooter) []byte { return stripeFooterTable.Append(dst, f) }

// placeStreams works out where streams are, which follow each other and end no later than most.
func placeStreams(streams []Stream, types int, most int64) error {
	end := int64(0)
	for i := range streams {
		s := &streams[i]
		switch {
		case s.Column < 0 || s.Column >= types:
			return errs.Errorf(errs.ErrCorrupt, "stream %d: column %d of %d", i, s.Column, types)
		case s.Length > most-end:
			return errs.Errorf(errs.ErrCorrupt, "stream %d: %s of column %d: %d bytes at %d, where %d is the end", i, s.Kind, s.Column, s.Length, end, most)
		}
		s.Offset = end
		end += s.Length
	}
	return nil
}
