package cfile

import (
	"fmt"
	"hash/crc32"
	"math/bits"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/internal/cfilewire"
)

// message describes a protobuf message by the numbers of its fields (docs/formats/cfile.md §1).
type message map[protowire.Number]field

// field is one field of a message.
type field struct {
	name  string
	parts message               // of a message
	bytes bool                  // not a number
	text  bool                  // bytes that should be
	word  func(v uint64) string // what numbers stand for
}

var (
	messagePair    = message{1: {name: "key", bytes: true, text: true}, 2: {name: "value", bytes: true}}
	messagePointer = message{1: {name: "offset"}, 2: {name: "size"}}
	messageTree    = message{1: {name: "root_block", parts: messagePointer}}

	messageHeader       = message{1: {name: "major_version"}, 2: {name: "minor_version"}, 3: {name: "metadata", parts: messagePair}}
	messageIndexTrailer = message{1: {name: "num_entries"}, 2: {name: "type", word: func(v uint64) string {
		switch v {
		case 0:
			return "LEAF"
		case 1:
			return "INTERNAL"
		}
		return strconv.FormatUint(v, 10)
	}}}
	messageDeltaStats = message{
		1: {name: "delete_count"}, 3: {name: "min_timestamp", word: hybridText}, 4: {name: "max_timestamp", word: hybridText},
		5: {name: "column_stats", parts: message{1: {name: "col_id"}, 2: {name: "update_count"}}},
		6: {name: "reinsert_count"},
	}
	messageBloomHeader = message{1: {name: "num_hash_functions"}}
	messageFooter      = message{
		1:  {name: "data_type", word: func(v uint64) string { return cfilewire.DataType(v).String() }},
		2:  {name: "encoding", word: func(v uint64) string { return cfilewire.Encoding(v).String() }},
		3:  {name: "num_values"},
		4:  {name: "posidx_info", parts: messageTree},
		5:  {name: "validx_info", parts: messageTree},
		6:  {name: "compression", word: func(v uint64) string { return cfilewire.Compression(v).String() }},
		7:  {name: "metadata", parts: messagePair},
		8:  {name: "is_type_nullable", word: func(v uint64) string { return strconv.FormatBool(v != 0) }},
		9:  {name: "dict_block_ptr", parts: messagePointer},
		10: {name: "incompatible_features", word: featuresText},
		11: {name: "compatible_features"},
		12: {name: "is_type_array", word: func(v uint64) string { return strconv.FormatBool(v != 0) }},
	}
)

func featuresText(v uint64) string {
	var parts []string
	for _, x := range []struct {
		bit  uint64
		name string
	}{{cfilewire.FeatureChecksums, "checksums"}, {cfilewire.FeatureArrays, "arrays"}} {
		if v&x.bit != 0 {
			parts = append(parts, x.name)
			v &^= x.bit
		}
	}
	if v != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%#x", v))
	}
	return strings.Join(parts, " ")
}

// message prints the fields of a message that lies in x from..to.
func (d *dumper) message(x body, from, to int, m message) {
	key := "" // of a pair of metadata
	for from < to {
		num, typ, tag := protowire.ConsumeTag(x.raw[from:to])
		n := -1
		if tag > 0 {
			n = protowire.ConsumeFieldValue(num, typ, x.raw[from+tag:to])
		}
		if n < 0 {
			d.Note("! here is no field")
			d.rest(x, from, to, "the rest")
			return
		}
		end := from + tag + n
		f, known := m[num]
		value := x.raw[from+tag : end]
		if known && f.bytes && typ == protowire.BytesType {
			inner, _ := protowire.ConsumeBytes(value)
			switch {
			case f.text:
				key = string(inner)
			case key == cfilewire.MetaDeltaStats:
				f = field{name: f.name, parts: messageDeltaStats}
			case key == cfilewire.MetaMinKey || key == cfilewire.MetaMaxKey:
				d.say(x, from, end, "%s: %s", f.name, d.f.keyText(d.scale, inner))
				from = end
				continue
			}
		}
		switch {
		case !known:
			d.say(x, from, end, "field %d, not known", num)
		case f.parts != nil && typ == protowire.BytesType && end-from > flatBytes:
			inner, _ := protowire.ConsumeBytes(value)
			d.Section("%s", f.name)
			d.say(x, from, end-len(inner), "%d bytes", len(inner))
			d.message(x, end-len(inner), end, f.parts)
			d.End()
		default:
			d.say(x, from, end, "%s: %s", f.name, f.show(typ, value))
		}
		from = end
	}
}

// flatBytes is how long a message may be to be printed on one line with its bytes.
const flatBytes = 16

// show renders the value of a field.
func (f field) show(typ protowire.Type, b []byte) string {
	switch {
	case typ == protowire.VarintType && !f.bytes && f.parts == nil:
		v, _ := protowire.ConsumeVarint(b)
		if f.word != nil {
			return f.word(v)
		}
		return strconv.FormatInt(int64(v), 10)
	case typ == protowire.Fixed64Type && f.word != nil:
		v, _ := protowire.ConsumeFixed64(b)
		return f.word(v)
	case typ == protowire.BytesType && f.bytes:
		v, _ := protowire.ConsumeBytes(b)
		return bytesText(v, f.text)
	case typ == protowire.BytesType && f.parts != nil:
		v, _ := protowire.ConsumeBytes(b)
		return f.parts.flat(v)
	}
	return "! of another wire type"
}

// flat renders a message on one line.
func (m message) flat(b []byte) string {
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
		if f, known := m[num]; known {
			parts = append(parts, f.name+" "+f.show(typ, b[tag:tag+n]))
		} else {
			parts = append(parts, fmt.Sprintf("field %d", num))
		}
		b = b[tag+n:]
	}
	if len(parts) == 0 {
		return "empty"
	}
	return strings.Join(parts, ", ")
}

func crc(b []byte) uint32 { return crc32.Checksum(b, crcTable) }

// setText says how many bits are set.
func setText(b []byte) string {
	set := 0
	for _, x := range b {
		set += bits.OnesCount8(x)
	}
	return fmt.Sprintf("%d of %d bits are set", set, 8*len(b))
}
