package trevni

import (
	"encoding/binary"
	"fmt"

	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// builtColumn is a column of a file that a test makes up.
type builtColumn struct {
	name, typ string
	parent    string
	array     bool
	codec     string
	checksum  string
	values    bool
	blocks    []builtBlock
}

type builtBlock struct {
	rows  int
	raw   []byte
	first []byte // in the column's encoding
}

func block(rows int, raw ...byte) builtBlock { return builtBlock{rows: rows, raw: raw} }

// build makes a file of columns. An avro schema may be "".
func build(rows int64, avro string, columns ...builtColumn) []byte {
	h := &trevniwire.Header{Rows: rows}
	if avro != "" {
		h.Meta = trevniwire.Meta{{Key: trevniwire.KeyAvro, Value: []byte(avro)}}
	}
	var body []byte
	for _, c := range columns {
		m := trevniwire.Meta{{Key: trevniwire.KeyName, Value: []byte(c.name)}, {Key: trevniwire.KeyType, Value: []byte(c.typ)}}
		add := func(key, value string, there bool) {
			if there {
				m = append(m, trevniwire.Pair{Key: key, Value: []byte(value)})
			}
		}
		add(trevniwire.KeyArray, "", c.array)
		add(trevniwire.KeyValues, "", c.values)
		add(trevniwire.KeyParent, c.parent, c.parent != "")
		add(trevniwire.KeyCodec, c.codec, c.codec != "")
		add(trevniwire.KeyChecksum, c.checksum, c.checksum != "")
		h.Columns = append(h.Columns, trevniwire.Column{Meta: m, Start: int64(len(body))})
		body = append(body, c.bytes()...)
	}
	return append(trevniwire.AppendHeader(nil, h), body...)
}

func (c *builtColumn) bytes() []byte {
	var head, data []byte
	head = binary.LittleEndian.AppendUint32(head, uint32(len(c.blocks)))
	sum, _ := trevniwire.ParseChecksum(c.checksum)
	for _, b := range c.blocks {
		packed := b.raw
		if c.codec != "" && c.codec != "null" {
			codec, level, err := blockcodec.ParseCodec(c.codec, blockcodec.Deflate, blockcodec.Snappy)
			if err != nil {
				panic(err)
			}
			var e blockcodec.Encoder
			if packed, err = e.Encode(codec, level, nil, b.raw); err != nil {
				panic(err)
			}
		}
		head = trevniwire.AppendDescriptor(head, b.rows, len(b.raw), len(packed), b.first)
		data = append(data, packed...)
		data = trevniwire.AppendSum(data, sum, b.raw)
	}
	return append(head, data...)
}

// varint appends v as Trevni stores numbers and lengths.
func varint(dst []byte, v int64) []byte { return binary.AppendVarint(dst, v) }

// run codes n entries of a length of 0 or 1.
func run(dst []byte, n int, length int) []byte { return varint(dst, int64(3-2*n-length)) }

// optional returns the schema of a record with one optional field "f" of a type.
func optional(typ string) string {
	return fmt.Sprintf(`{"type":"record","name":"R","fields":[{"name":"f","type":["null",%s]}]}`, typ)
}
