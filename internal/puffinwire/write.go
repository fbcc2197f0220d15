package puffinwire

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"strconv"
)

// rowPosition is the id of the reserved field whose values a deletion vector has.
const rowPosition = 2147483645

// EncodeVector returns a blob that is a deletion vector of positions, which ascend and are none of them negative.
func EncodeVector(positions []int64) []byte {
	out := make([]byte, 4, 64+2*len(positions))
	out = append(out, vectorMagic...)
	count := len(out)
	out = binary.LittleEndian.AppendUint64(out, 0)
	bitmaps := uint64(0)
	for len(positions) > 0 {
		n := prefixOf(positions, 32)
		out = binary.LittleEndian.AppendUint32(out, uint32(positions[0]>>32))
		out = appendBitmap(out, positions[:n])
		positions = positions[n:]
		bitmaps++
	}
	binary.LittleEndian.PutUint64(out[count:], bitmaps)
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// prefixOf returns how many positions begin with the same bits as the first, but for some low ones.
func prefixOf(positions []int64, low uint) int {
	n := 1
	for n < len(positions) && positions[n]>>low == positions[0]>>low {
		n++
	}
	return n
}

// appendBitmap appends a bitmap of 32 bits.
func appendBitmap(out []byte, positions []int64) []byte {
	var sizes []int // of the values of each container
	anyRuns := false
	for rest := positions; len(rest) > 0; {
		n := prefixOf(rest, 16)
		sizes = append(sizes, n)
		anyRuns = anyRuns || shortAsRuns(rest[:n])
		rest = rest[n:]
	}
	start := len(out)
	offsets := !anyRuns || len(sizes) >= fewContainers
	flags := 0
	if anyRuns {
		out = binary.LittleEndian.AppendUint32(out, cookieRuns|uint32(len(sizes)-1)<<16)
		flags = len(out)
		out = append(out, make([]byte, (len(sizes)+7)/8)...)
	} else {
		out = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(out, cookieNoRuns), uint32(len(sizes)))
	}
	at := 0
	for _, n := range sizes {
		out = binary.LittleEndian.AppendUint16(out, uint16(positions[at]>>16))
		out = binary.LittleEndian.AppendUint16(out, uint16(n-1))
		at += n
	}
	places := len(out)
	if offsets {
		out = append(out, make([]byte, 4*len(sizes))...)
	}
	at = 0
	for i, n := range sizes {
		values := positions[at : at+n]
		at += n
		if offsets {
			binary.LittleEndian.PutUint32(out[places+4*i:], uint32(len(out)-start))
		}
		switch {
		case shortAsRuns(values):
			out[flags+i>>3] |= 1 << (i & 7)
			out = appendRuns(out, values)
		case n > mostInArray:
			bits := len(out)
			out = append(out, make([]byte, bitmapBytes)...)
			for _, p := range values {
				v := int(uint16(p))
				out[bits+v>>3] |= 1 << (v & 7)
			}
		default:
			for _, p := range values {
				out = binary.LittleEndian.AppendUint16(out, uint16(p))
			}
		}
	}
	return out
}

// shortAsRuns reports whether the values of a container take fewest bytes as runs.
func shortAsRuns(values []int64) bool {
	return 2+4*runsIn(values) < min(2*len(values), bitmapBytes)
}

func runsIn(values []int64) int {
	n := 1
	for i := 1; i < len(values); i++ {
		if values[i] != values[i-1]+1 {
			n++
		}
	}
	return n
}

func appendRuns(out []byte, values []int64) []byte {
	out = binary.LittleEndian.AppendUint16(out, uint16(runsIn(values)))
	for len(values) > 0 {
		n := 1
		for n < len(values) && values[n] == values[n-1]+1 {
			n++
		}
		out = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(out, uint16(values[0])), uint16(n-1))
		values = values[n:]
	}
	return out
}

// VectorBlob is what the footer says of a deletion vector of a data file, which has some positions.
func VectorBlob(file string, offset, length, positions int64) Blob {
	return Blob{
		Type: VectorType, Offset: offset, Length: length, Fields: []int32{rowPosition}, SnapshotID: -1, SequenceNum: -1,
		Properties: map[string]string{PropertyDataFile: file, PropertyCardinality: strconv.FormatInt(positions, 10)},
	}
}

// Magic is what a file begins with.
const Magic = magic

// Footer returns the footer of a file.
func Footer(blobs []Blob, properties map[string]string) ([]byte, error) {
	text, err := json.Marshal(struct {
		Blobs      []Blob            `json:"blobs"`
		Properties map[string]string `json:"properties,omitempty"`
	}{blobs, properties})
	if err != nil {
		return nil, err
	}
	out := append([]byte(magic), text...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	return append(binary.LittleEndian.AppendUint32(out, 0), magic...), nil
}
