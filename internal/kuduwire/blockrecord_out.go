package kuduwire

import (
	"github.com/arrowio/arrowio/internal/pb"
	"google.golang.org/protobuf/encoding/protowire"
)

// AppendBlockContainer appends the beginning of a container's .metadata file: no block exists yet.
func AppendBlockContainer(dst []byte) []byte {
	return AppendContainer(dst, typeBlockRecord, blockDescriptors())
}

// AppendBlockRecord appends a record to a container's .metadata file: what ParseBlockRecords reads. micros is the time, in
// microseconds since 1970. A deleted block has no place.
func AppendBlockRecord(dst []byte, r BlockRecord, micros uint64) []byte {
	return AppendRecord(dst, 2, blockRecordTable.Append(nil, &blockRecordFields{r, micros}))
}

// Numbers that FieldDescriptorProto has for types and labels.
const (
	labelOptional, labelRequired                              = 1, 2
	typeInt64, typeUint64, typeFixed64, typeMessage, typeEnum = 3, 4, 6, 11, 14
)

// blockDescriptors returns the FileDescriptorSet of block records: what is in no server's way, but lets Kudu's tools print
// the file.
func blockDescriptors() []byte {
	text := func(dst []byte, field protowire.Number, s string) []byte {
		return pb.AppendBytes(dst, field, []byte(s))
	}
	// FieldDescriptorProto: 1 name, 3 number, 4 label, 5 type, 6 name of the type
	field := func(name string, number, label, typ int64, of string) []byte {
		f := pb.AppendUint(pb.AppendUint(pb.AppendUint(text(nil, 1, name), 3, number), 4, label), 5, typ)
		if of != "" {
			f = text(f, 6, of)
		}
		return f
	}
	// DescriptorProto: 1 name, 2 fields
	message := func(name string, fields ...[]byte) []byte {
		m := text(nil, 1, name)
		for _, f := range fields {
			m = pb.AppendBytes(m, 2, f)
		}
		return m
	}
	// EnumDescriptorProto: 1 name, 2 values{1 name, 2 number}
	enum := text(nil, 1, "BlockRecordType")
	for i, name := range []string{"UNKNOWN", "CREATE", "DELETE"} {
		enum = pb.AppendBytes(enum, 2, pb.AppendUint(text(nil, 1, name), 2, int64(i)))
	}
	// FileDescriptorProto: 1 name, 2 package, 4 messages, 5 enums
	file := text(text(nil, 1, "kudu/fs/fs.proto"), 2, "kudu")
	file = pb.AppendBytes(file, 4, message("BlockIdPB", field("id", 1, labelRequired, typeFixed64, "")))
	file = pb.AppendBytes(file, 4, message("BlockRecordPB",
		field("block_id", 1, labelRequired, typeMessage, ".kudu.BlockIdPB"),
		field("op_type", 2, labelRequired, typeEnum, ".kudu.BlockRecordType"),
		field("timestamp_us", 3, labelRequired, typeUint64, ""),
		field("offset", 4, labelOptional, typeInt64, ""),
		field("length", 5, labelOptional, typeInt64, "")))
	file = pb.AppendBytes(file, 5, enum)
	return pb.AppendBytes(nil, 1, file)
}
