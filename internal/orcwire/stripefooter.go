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
)

var encodingNames = [...]string{"DIRECT", "DICTIONARY", "DIRECT_V2", "DICTIONARY_V2"}

// String returns the specification's name.
func (k EncodingKind) String() string {
	if int(k) < len(encodingNames) {
		return encodingNames[k]
	}
	return "encoding " + strconv.Itoa(int(k))
}

// V2 reports whether integers are in run length encoding version 2.
func (k EncodingKind) V2() bool { return k >= DirectV2 }

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

// ParseStripeFooter reads the footer of a stripe of a file with so many types, whose index and data have stripeBytes.
// Streams lie within those, name types that exist, and there is an encoding for each type.
func ParseStripeFooter(b []byte, types int, stripeBytes int64) (*StripeFooter, error) {
	f := &StripeFooter{}
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
		return nil, count.Err
	}
	if encodings != types {
		return nil, errs.Errorf(errs.ErrCorrupt, "%d encodings for %d types", encodings, types)
	}
	if streams+variants+inVariants > stripeElements*(types+1) {
		return nil, errs.Errorf(errs.ErrCorrupt, "%d streams, and %d parts of %d encryption variants, for %d types", streams, inVariants, variants, types)
	}
	f.Streams = make([]Stream, 0, streams)
	f.Encodings = make([]Encoding, 0, encodings)
	if variants > 0 {
		f.Encryption = make([]StripeVariant, 0, variants)
	}
	end := int64(0)
	m := pb.New(b)
	for m.Next() {
		switch m.Num {
		case 1:
			s, err := parseStream(m.Message(), types, &end, stripeBytes)
			if err != nil {
				return nil, within(err, "stream", len(f.Streams))
			}
			f.Streams = append(f.Streams, s)
		case 2:
			e, err := parseEncoding(m.Message())
			if err != nil {
				return nil, within(err, "encoding of column", len(f.Encodings))
			}
			f.Encodings = append(f.Encodings, e)
		case 3:
			f.Timezone = m.String()
		case 4:
			v, err := parseStripeVariant(m.Message(), types, stripeBytes)
			if err != nil {
				return nil, within(err, "encryption variant", len(f.Encryption))
			}
			f.Encryption = append(f.Encryption, v)
		}
	}
	return f, m.Err
}

// parseStream reads a Stream that begins at *end and ends no later than most, and moves *end behind it.
func parseStream(m pb.Message, types int, end *int64, most int64) (Stream, error) {
	s := Stream{Offset: *end}
	for m.Next() {
		switch m.Num {
		case 1:
			if k := m.Uint64(); k < uint64(UnknownStream) {
				s.Kind = StreamKind(k)
			} else {
				s.Kind = UnknownStream
			}
		case 2:
			s.Column = m.ID("column", types)
		case 3:
			s.Length = m.Size()
		}
	}
	if m.Err == nil && s.Length > most-*end {
		m.Fail("%s of column %d: %d bytes at %d, where %d is the end", s.Kind, s.Column, s.Length, *end, most)
	}
	if m.Err == nil {
		*end += s.Length
	}
	return s, m.Err
}

func parseEncoding(m pb.Message) (Encoding, error) {
	var e Encoding
	for m.Next() {
		switch m.Num {
		case 1:
			v := m.Uint64()
			if m.Err == nil && v >= uint64(len(encodingNames)) {
				return e, errs.Errorf(errs.ErrUnsupported, "encoding %d is not known", v)
			}
			e.Kind = EncodingKind(v)
		case 2:
			e.DictionarySize = m.Uint32()
		case 3:
			e.Bloom = m.Uint32()
		}
	}
	return e, m.Err
}

func parseStripeVariant(m pb.Message, types int, stripeBytes int64) (StripeVariant, error) {
	var v StripeVariant
	end := int64(0)
	for m.Next() {
		switch m.Num {
		case 1:
			s, err := parseStream(m.Message(), types, &end, stripeBytes)
			if err != nil {
				return v, within(err, "stream", len(v.Streams))
			}
			v.Streams = append(v.Streams, s)
		case 2:
			if len(v.Encodings) >= types {
				m.Fail("more encodings than the file's %d types", types)
				break
			}
			e, err := parseEncoding(m.Message())
			if err != nil {
				return v, within(err, "encoding", len(v.Encodings))
			}
			v.Encodings = append(v.Encodings, e)
		}
	}
	return v, m.Err
}
