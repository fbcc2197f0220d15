package trevniwire

import "strings"

// Type is a stored value type (specification, "Data Types").
type Type uint8

// Types. The order groups those that take no bytes, fixed widths, varints and byte strings.
const (
	Null Type = iota
	Boolean
	Int
	Long
	Fixed32
	Fixed64
	Float
	Double
	String
	Bytes
)

var typeNames = [...]string{"null", "boolean", "int", "long", "fixed32", "fixed64", "float", "double", "string", "bytes"}

// String returns the name in metadata.
func (t Type) String() string { return typeNames[t] }

// Width returns the bytes of a value of fixed width, 0 for all other types.
func (t Type) Width() int {
	switch t {
	case Fixed32, Float:
		return 4
	case Fixed64, Double:
		return 8
	}
	return 0
}

// Fixed returns the type of fixed width that has the values of an integer type; other types are returned as they are.
func (t Type) Fixed() Type {
	switch t {
	case Int:
		return Fixed32
	case Long:
		return Fixed64
	}
	return t
}

// ParseType finds a type by its metadata name. Case is folded, as Java does.
func ParseType(name string) (Type, bool) {
	for i, n := range typeNames {
		if strings.EqualFold(n, name) {
			return Type(i), true
		}
	}
	return 0, false
}

// Checksum is how blocks are protected.
type Checksum uint8

// Checksums.
const (
	NoChecksum Checksum = iota
	CRC32
	SpecCRC32 // as the specification has it: named crc-32, little-endian. Java refuses the name
)

// Size returns the stored bytes behind each block.
func (c Checksum) Size() int64 {
	if c != NoChecksum {
		return 4
	}
	return 0
}

// String returns the name in metadata.
func (c Checksum) String() string {
	switch c {
	case CRC32:
		return "crc32"
	case SpecCRC32:
		return "crc-32"
	}
	return "null"
}

// ParseChecksum finds a checksum by its metadata name: "crc32" is Java's, "crc-32" the specification's; "" is null.
func ParseChecksum(name string) (Checksum, bool) {
	switch name {
	case "", "null":
		return NoChecksum, true
	case "crc32":
		return CRC32, true
	case "crc-32":
		return SpecCRC32, true
	}
	return 0, false
}

// Metadata keys that mean something to the format.
const (
	KeyName     = "trevni.name"
	KeyType     = "trevni.type"
	KeyArray    = "trevni.array"
	KeyParent   = "trevni.parent"
	KeyValues   = "trevni.values"
	KeyCodec    = "trevni.codec"
	KeyChecksum = "trevni.checksum"
	KeyAvro     = "avro.schema"
	KeySorted   = "arrowio.sorted"     // ours: the writer saw the column's values in ascending order
	KeyStats    = "arrowio.statistics" // ours: bounds of the values of each block, see AppendStatistics
	KeySums     = "arrowio.checksums"  // ours, of the file: checksums are stored in columns without a codec too
)
