package orc

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// message describes a protobuf message, by the numbers of its fields (orc_proto.proto).
type message map[protowire.Number]field

// field is one field of a message.
type field struct {
	name  string
	form  form
	parts message  // of a message
	words []string // what numbers stand for
	list  listing
	most  int // how many of a repeated field are shown; 0 = all
}

// form is how the bytes of a field are read.
type form uint8

const (
	formUint   form = iota // varint
	formInt                // varint, two's complement
	formZigzag             // varint, folded
	formBool
	formDouble
	formText
	formBytes
	formWords     // 64 bits each, of which those that are set are counted
	formPositions // of a row group
	formMessage
)

// listing says what the elements of a repeated field are about, so that each can be named.
type listing uint8

const (
	listNone listing = iota
	listNumbered
	listColumns // types of the file, by id
)

// shownGroups is how many row groups of an index are shown.
const shownGroups = 6

var (
	messageIntStats    = message{1: {name: "minimum", form: formZigzag}, 2: {name: "maximum", form: formZigzag}, 3: {name: "sum", form: formZigzag}}
	messageDoubleStats = message{1: {name: "minimum", form: formDouble}, 2: {name: "maximum", form: formDouble}, 3: {name: "sum", form: formDouble}}
	messageStringStats = message{
		1: {name: "minimum", form: formText}, 2: {name: "maximum", form: formText}, 3: {name: "sum", form: formZigzag},
		4: {name: "lowerBound", form: formText}, 5: {name: "upperBound", form: formText},
	}
	messageBucketStats    = message{1: {name: "count"}}
	messageDecimalStats   = message{1: {name: "minimum", form: formText}, 2: {name: "maximum", form: formText}, 3: {name: "sum", form: formText}}
	messageDateStats      = message{1: {name: "minimum", form: formZigzag}, 2: {name: "maximum", form: formZigzag}}
	messageBinaryStats    = message{1: {name: "sum", form: formZigzag}}
	messageTimestampStats = message{
		1: {name: "minimum", form: formZigzag}, 2: {name: "maximum", form: formZigzag},
		3: {name: "minimumUtc", form: formZigzag}, 4: {name: "maximumUtc", form: formZigzag},
		5: {name: "minimumNanos", form: formInt}, 6: {name: "maximumNanos", form: formInt},
	}
	messageCollectionStats = message{1: {name: "minChildren"}, 2: {name: "maxChildren"}, 3: {name: "totalChildren"}}
	messageBox             = message{
		1: {name: "xmin", form: formDouble}, 2: {name: "xmax", form: formDouble}, 3: {name: "ymin", form: formDouble}, 4: {name: "ymax", form: formDouble},
		5: {name: "zmin", form: formDouble}, 6: {name: "zmax", form: formDouble}, 7: {name: "mmin", form: formDouble}, 8: {name: "mmax", form: formDouble},
	}
	messageGeoStats = message{1: {name: "bbox", form: formMessage, parts: messageBox}, 2: {name: "geospatialTypes", form: formInt}}

	messageColumnStats = message{
		1:  {name: "numberOfValues"},
		2:  {name: "intStatistics", form: formMessage, parts: messageIntStats},
		3:  {name: "doubleStatistics", form: formMessage, parts: messageDoubleStats},
		4:  {name: "stringStatistics", form: formMessage, parts: messageStringStats},
		5:  {name: "bucketStatistics", form: formMessage, parts: messageBucketStats},
		6:  {name: "decimalStatistics", form: formMessage, parts: messageDecimalStats},
		7:  {name: "dateStatistics", form: formMessage, parts: messageDateStats},
		8:  {name: "binaryStatistics", form: formMessage, parts: messageBinaryStats},
		9:  {name: "timestampStatistics", form: formMessage, parts: messageTimestampStats},
		10: {name: "hasNull", form: formBool},
		11: {name: "bytesOnDisk"},
		12: {name: "collectionStatistics", form: formMessage, parts: messageCollectionStats},
		13: {name: "geospatialStatistics", form: formMessage, parts: messageGeoStats},
	}

	messageRowIndexEntry = message{
		1: {name: "positions", form: formPositions},
		2: {name: "statistics", form: formMessage, parts: messageColumnStats},
	}
	messageRowIndex    = message{1: {name: "entry", form: formMessage, parts: messageRowIndexEntry, list: listNumbered, most: shownGroups}}
	messageBloomFilter = message{
		1: {name: "numHashFunctions"}, 2: {name: "bitset", form: formWords, most: 1}, 3: {name: "utf8bitset", form: formWords},
	}
	messageBloomIndex = message{1: {name: "bloomFilter", form: formMessage, parts: messageBloomFilter, list: listNumbered, most: shownGroups}}

	streamWords = []string{
		"PRESENT", "DATA", "LENGTH", "DICTIONARY_DATA", "DICTIONARY_COUNT", "SECONDARY", "ROW_INDEX", "BLOOM_FILTER",
		"BLOOM_FILTER_UTF8", "ENCRYPTED_INDEX", "ENCRYPTED_DATA",
	}
	messageStream   = message{1: {name: "kind", words: streamWords}, 2: {name: "column"}, 3: {name: "length"}}
	messageEncoding = message{
		1: {name: "kind", words: []string{"DIRECT", "DICTIONARY", "DIRECT_V2", "DICTIONARY_V2"}},
		2: {name: "dictionarySize"}, 3: {name: "bloomEncoding", words: []string{"ORIGINAL", "UTF8_UTC"}},
	}
	messageStripeVariant = message{
		1: {name: "streams", form: formMessage, parts: messageStream},
		2: {name: "encoding", form: formMessage, parts: messageEncoding},
	}
	messageStripeFooter = message{
		1: {name: "streams", form: formMessage, parts: messageStream},
		2: {name: "columns", form: formMessage, parts: messageEncoding, list: listColumns},
		3: {name: "writerTimezone", form: formText},
		4: {name: "encryption", form: formMessage, parts: messageStripeVariant, list: listNumbered},
	}

	messagePair = message{1: {name: "key", form: formText}, 2: {name: "value", form: formText}}
	messageType = message{
		1: {name: "kind", words: []string{
			"BOOLEAN", "BYTE", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "STRING", "BINARY", "TIMESTAMP", "LIST", "MAP", "STRUCT", "UNION",
			"DECIMAL", "DATE", "VARCHAR", "CHAR", "TIMESTAMP_INSTANT", "GEOMETRY", "GEOGRAPHY",
		}},
		2: {name: "subtypes"}, 3: {name: "fieldNames", form: formText}, 4: {name: "maximumLength"}, 5: {name: "precision"}, 6: {name: "scale"},
		7: {name: "attributes", form: formMessage, parts: messagePair},
		8: {name: "crs", form: formText}, 9: {name: "algorithm"},
	}
	messageStripe = message{
		1: {name: "offset"}, 2: {name: "indexLength"}, 3: {name: "dataLength"}, 4: {name: "footerLength"}, 5: {name: "numberOfRows"},
		6: {name: "encryptStripeId"}, 7: {name: "encryptedLocalKeys", form: formBytes},
	}
	messageUserMetadata = message{1: {name: "name", form: formText}, 2: {name: "value", form: formText}}
	messageEncryption   = message{
		1: {name: "mask", form: formMessage, parts: message{1: {name: "name", form: formText}, 2: {name: "maskParameters", form: formText}, 3: {name: "columns"}}},
		2: {name: "key", form: formMessage, list: listNumbered, parts: message{
			1: {name: "keyName", form: formText}, 2: {name: "keyVersion"}, 3: {name: "algorithm", words: []string{"", "AES_CTR_128", "AES_CTR_256"}},
		}},
		3: {name: "variants", form: formMessage, list: listNumbered, parts: message{
			1: {name: "root"}, 2: {name: "key"}, 3: {name: "encryptedKey", form: formBytes},
			4: {name: "stripeStatistics", form: formMessage, parts: messageStream}, 5: {name: "fileStatistics", form: formBytes},
		}},
		4: {name: "keyProvider", words: []string{"UNKNOWN", "HADOOP", "AWS", "GCP", "AZURE"}},
	}
	messageFooter = message{
		1: {name: "headerLength"}, 2: {name: "contentLength"},
		3:  {name: "stripes", form: formMessage, parts: messageStripe, list: listNumbered},
		4:  {name: "types", form: formMessage, parts: messageType, list: listColumns},
		5:  {name: "metadata", form: formMessage, parts: messageUserMetadata},
		6:  {name: "numberOfRows"},
		7:  {name: "statistics", form: formMessage, parts: messageColumnStats, list: listColumns},
		8:  {name: "rowIndexStride"},
		9:  {name: "writer", words: []string{"ORC Java", "ORC C++", "Presto", "scritchley/orc", "Trino", "cuDF"}},
		10: {name: "encryption", form: formMessage, parts: messageEncryption},
		11: {name: "calendar", words: []string{"UNKNOWN_CALENDAR", "JULIAN_GREGORIAN", "PROLEPTIC_GREGORIAN"}},
		12: {name: "softwareVersion", form: formText},
	}
	messageMetadata = message{1: {name: "stripeStats", form: formMessage, list: listNumbered, parts: message{
		1: {name: "colStats", form: formMessage, parts: messageColumnStats, list: listColumns},
	}}}
	messagePostScript = message{
		1: {name: "footerLength"}, 2: {name: "compression", words: []string{"NONE", "ZLIB", "SNAPPY", "LZO", "LZ4", "ZSTD", "BROTLI"}},
		3: {name: "compressionBlockSize"}, 4: {name: "version"}, 5: {name: "metadataLength"}, 6: {name: "writerVersion"},
		7: {name: "stripeStatisticsLength"}, 8000: {name: "magic", form: formText},
	}
)

// message prints the fields of a message that lies in c from..to, and returns where it stopped: at to, or where the
// bytes are no message.
func (d *dumper) message(c *unpacked, from, to int, m message) int {
	counts := map[protowire.Number]int{}
	hidden, hiddenFrom, hiddenName := 0, 0, ""
	show := func(end int) {
		if hidden > 0 {
			d.say(c, hiddenFrom, end, "%s: %d more", hiddenName, hidden)
			hidden = 0
		}
	}
	p := from
	for p < to {
		num, typ, tag := protowire.ConsumeTag(c.raw[p:to])
		n := -1
		if tag > 0 {
			n = protowire.ConsumeFieldValue(num, typ, c.raw[p+tag:to])
		}
		if tag < 0 || n < 0 {
			show(p)
			d.Note("! here is no field")
			return p
		}
		end := p + tag + n
		f, known := m[num]
		i := counts[num]
		counts[num]++
		if known && f.most > 0 && i >= f.most {
			if hidden == 0 {
				hiddenFrom, hiddenName = p, f.name
			}
			hidden++
			p = end
			continue
		}
		show(p)
		switch {
		case !known:
			d.say(c, p, end, "field %d, not known", num)
		case f.form == formMessage && typ == protowire.BytesType:
			d.submessage(c, p, end, f, i)
		default:
			d.say(c, p, end, "%s: %s", f.name, d.value(f, typ, c.raw[p+tag:end]))
		}
		p = end
	}
	show(p)
	return p
}

// flatBytes is how long a message may be to be printed on one line with its bytes.
const flatBytes = 16

// submessage prints a message within another: small ones on a line, others nested.
func (d *dumper) submessage(c *unpacked, from, to int, f field, i int) {
	_, _, tag := protowire.ConsumeTag(c.raw[from:to])
	b, n := protowire.ConsumeBytes(c.raw[from+tag : to])
	start := to - len(b)
	name := f.name
	switch f.list {
	case listNumbered:
		name = fmt.Sprintf("%s %d", name, i)
	case listColumns:
		name = fmt.Sprintf("%s %d", name, i)
		if i < len(d.f.footer.Types) {
			if path := d.f.footer.Types[i].Path(); path != "" {
				name += ", " + brief(path)
			}
		}
	}
	if n > 0 && to-from <= flatBytes && !f.parts.nested() {
		d.say(c, from, to, "%s: %s", name, d.flat(b, f.parts))
		return
	}
	d.Section("%s", name)
	defer d.End()
	if c.inFile(from) {
		d.say(c, from, start, "%d bytes", len(b))
	}
	if p := d.message(c, start, to, f.parts); p < to {
		d.say(c, p, to, "the rest")
	}
}

// nested reports whether the message has positions, which are better printed on lines of their own, or messages.
func (m message) nested() bool {
	for _, f := range m {
		if f.form == formPositions {
			return true
		}
	}
	return false
}

// flat renders a message on one line.
func (d *dumper) flat(b []byte, m message) string {
	var parts []string
	for len(b) > 0 {
		num, typ, tag := protowire.ConsumeTag(b)
		if tag < 0 {
			return strings.Join(append(parts, "!"), ", ")
		}
		n := protowire.ConsumeFieldValue(num, typ, b[tag:])
		if n < 0 {
			return strings.Join(append(parts, "!"), ", ")
		}
		f, known := m[num]
		v := b[tag : tag+n]
		switch {
		case !known:
			parts = append(parts, fmt.Sprintf("field %d", num))
		case f.form == formMessage && typ == protowire.BytesType:
			inner, _ := protowire.ConsumeBytes(v)
			parts = append(parts, f.name+" {"+d.flat(inner, f.parts)+"}")
		default:
			parts = append(parts, f.name+" "+d.value(f, typ, v))
		}
		b = b[tag+n:]
	}
	if len(parts) == 0 {
		return "empty"
	}
	return strings.Join(parts, ", ")
}

// shownNumbers is how many numbers of a repeated field are printed.
const shownNumbers = 32

// value renders the value of a field, which is whole.
func (d *dumper) value(f field, typ protowire.Type, b []byte) string {
	switch typ {
	case protowire.VarintType:
		v, _ := protowire.ConsumeVarint(b)
		if f.form == formPositions {
			return d.positions([]uint64{v})
		}
		return f.number(v)
	case protowire.Fixed64Type:
		v, _ := protowire.ConsumeFixed64(b)
		if f.form == formDouble {
			return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
		}
		return fmt.Sprintf("%016x", v)
	case protowire.BytesType:
		v, _ := protowire.ConsumeBytes(b)
		return d.bytesValue(f, v)
	}
	return "! of another wire type"
}

func (d *dumper) bytesValue(f field, v []byte) string {
	switch f.form {
	case formText:
		return brief(string(v))
	case formBytes:
		return fmt.Sprintf("%d bytes", len(v))
	case formWords:
		set := 0
		for _, x := range v {
			set += bits.OnesCount8(x)
		}
		return fmt.Sprintf("%d of %d bits are set", set, 8*len(v))
	case formDouble:
		return "! of another wire type"
	}
	var numbers []uint64
	for len(v) > 0 {
		x, n := protowire.ConsumeVarint(v)
		if n < 0 {
			return "! not numbers"
		}
		numbers = append(numbers, x)
		v = v[n:]
	}
	if f.form == formPositions {
		return d.positions(numbers)
	}
	var parts []string
	for i, x := range numbers {
		if i == shownNumbers {
			parts = append(parts, fmt.Sprintf("… (%d)", len(numbers)))
			break
		}
		parts = append(parts, f.number(x))
	}
	return strings.Join(parts, " ")
}

func (f field) number(v uint64) string {
	switch {
	case v < uint64(len(f.words)) && f.words[v] != "":
		return f.words[v]
	case f.form == formZigzag:
		return strconv.FormatInt(protowire.DecodeZigZag(v), 10)
	case f.form == formInt:
		return strconv.FormatInt(int64(v), 10)
	case f.form == formBool:
		return strconv.FormatBool(v != 0)
	}
	return strconv.FormatUint(v, 10)
}

// brief quotes text and cuts it to a line; bytes that are not text are shown as such.
func brief(s string) string {
	const most = 100
	cut := s
	if len(s) > most {
		cut = s[:most]
	}
	var q string
	if strings.ToValidUTF8(cut, "") != cut && strings.ToValidUTF8(s, "") != s {
		q = "x" + hex.EncodeToString([]byte(cut))
	} else {
		q = strconv.Quote(cut)
	}
	if len(s) > most {
		return fmt.Sprintf("%s… (%d bytes)", q, len(s))
	}
	return q
}
