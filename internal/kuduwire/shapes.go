package kuduwire

import (
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/pb"
	"google.golang.org/protobuf/encoding/protowire"
)

// Types of the messages in containers.
const (
	typeSuperBlock   = "kudu.tablet.TabletSuperBlockPB"
	typeConsensus    = "kudu.consensus.ConsensusMetadataPB"
	typeInstance     = "kudu.InstanceMetadataPB"
	typeDirInstance  = "kudu.DirInstanceMetadataPB"
	typePathInstance = "kudu.PathInstanceMetadataPB" // the name of typeDirInstance until Kudu 1.11
	typeBlockRecord  = "kudu.BlockRecordPB"
)

// ShapeOf returns how to show the messages of a container by their type, as Container.Type names it; nil = not known.
func ShapeOf(typ string) *pb.Shape {
	switch typ {
	case typeSuperBlock:
		return &superBlockTable.Shape
	case typeConsensus:
		return &consensusTable.Shape
	case typeInstance:
		return &instanceTable.Shape
	case typeDirInstance, typePathInstance:
		return &dirInstanceTable.Shape
	case typeBlockRecord:
		return &blockRecordTable.Shape
	}
	return nil
}

// knownTypes are those of ShapeOf.
var knownTypes = []string{typeSuperBlock, typeConsensus, typeInstance, typeDirInstance, typePathInstance, typeBlockRecord}

// DescribedType returns the type of a container's messages by the first record, which may be damaged: then it is the known type
// that the record ends with, but for one byte at most. "" = nothing tells.
func DescribedType(first []byte) string {
	m, typ := pb.New(first), ""
	for m.Next() {
		if m.Num == 2 {
			typ = m.String()
		}
	}
	if m.Err == nil && slices.Contains(knownTypes, typ) {
		return typ
	}
	for _, known := range knownTypes {
		end := pb.AppendBytes(nil, 2, []byte(known))
		differ := 0
		for i, b := range first[max(0, len(first)-len(end)):] {
			if b != end[i] {
				differ++
			}
		}
		if len(first) >= len(end) && differ <= 1 {
			return known
		}
	}
	if m.Err != nil {
		return ""
	}
	return typ
}

// KindOf says in words what a container of messages of a type is; "" = not known.
func KindOf(typ string) string {
	switch typ {
	case typeSuperBlock:
		return "superblock of a tablet"
	case typeConsensus:
		return "consensus metadata of a tablet"
	case typeInstance:
		return "instance file of a directory"
	case typeDirInstance, typePathInstance:
		return "instance file of a data directory"
	case typeBlockRecord:
		return "block records of a container"
	}
	return ""
}

// CheckSingle reads container b of one message of a type, and reports what is wrong with the message. Types that are not read
// as a whole are not checked.
func CheckSingle(b []byte, typ string, lim errs.Limits) (err error) {
	switch typ {
	case typeSuperBlock:
		_, err = ParseSuperBlock(b, lim)
	case typeConsensus:
		_, err = ParseConsensus(b, lim)
	case typeInstance:
		_, err = ParseInstance(b, lim)
	case typeDirInstance, typePathInstance:
		_, err = ParseDirInstance(b, lim)
	}
	return err
}

// shown is the type of tables that only say how messages are shown.
type shown struct{}

// shape is the shape of a message that is shown and not read.
func shape(fields ...pb.Entry[shown]) *pb.Shape { return &pb.NewTable(fields...).Shape }

// each shows the elements of a repeated field by their numbers.
func each[T any](e pb.Entry[T]) pb.Entry[T] { return e.Each(pb.ListNumbered, 0) }

func showInt(num protowire.Number, name string) pb.Entry[shown] {
	return pb.Only[shown](num, name, pb.FormInt)
}

func showBool(num protowire.Number, name string) pb.Entry[shown] {
	return pb.Only[shown](num, name, pb.FormBool)
}

func showText(num protowire.Number, name string) pb.Entry[shown] {
	return pb.Only[shown](num, name, pb.FormText)
}

func showBytes(num protowire.Number, name string) pb.Entry[shown] {
	return pb.Only[shown](num, name, pb.FormBytes)
}

func showPart(num protowire.Number, name string, of *pb.Shape) pb.Entry[shown] {
	return pb.Only[shown](num, name, pb.FormMessage).Of(of)
}

// typeWord is Kudu's word for a DataType.
func typeWord(v uint64) string {
	if t := cfilewire.DataType(v); v <= uint64(cfilewire.Nested) && t.Known() {
		return strings.ToUpper(t.String())
	}
	return ""
}

var (
	encodingWords    = []string{"AUTO_ENCODING", "PLAIN_ENCODING", "PREFIX_ENCODING", "GROUP_VARINT", "RLE", "DICT_ENCODING", "BIT_SHUFFLE"}
	compressionWords = []string{"DEFAULT_COMPRESSION", "NO_COMPRESSION", "SNAPPY", "LZ4", "ZLIB"}
	stateWords       = []string{"TABLET_DATA_COPYING", "TABLET_DATA_READY", "TABLET_DATA_DELETED", "TABLET_DATA_TOMBSTONED"}
)

var schemaShape = shape(each(showPart(1, "columns", &columnTable.Shape)))

var columnNamesShape = shape(showInt(1, "id"), showText(2, "name"))

var hashShape = shape(
	each(showPart(1, "columns", columnNamesShape)),
	showInt(2, "num_buckets"),
	showInt(3, "seed"),
	showInt(4, "hash_algorithm").Words("UNKNOWN_HASH", "MURMUR_HASH_2", "CITY_HASH", "FAST_HASH"),
)

var rowOperationsShape = shape(showBytes(2, "rows"), showBytes(3, "indirect_data"))

var partitioningShape = shape(
	each(showPart(1, "hash_schema", hashShape)),
	showPart(2, "range_schema", shape(each(showPart(1, "columns", columnNamesShape)))),
	each(showPart(5, "custom_hash_schema_ranges", shape(
		showPart(1, "range_bounds", rowOperationsShape),
		each(showPart(2, "hash_schema", hashShape)),
	))),
)

var opIDShape = shape(showInt(1, "term"), showInt(2, "index"))

var extraConfigShape = shape(showInt(1, "history_max_age_sec"), showInt(2, "maintenance_priority"), showBool(3, "disable_compaction"))

var txnShape = shape(showInt(1, "key"), showPart(2, "value", shape(
	showBool(1, "aborted"), showInt(2, "commit_timestamp"), showInt(3, "commit_mvcc_op_timestamp"), showBool(4, "flushed_committed_mrs"),
)))

// Shapes of the messages of a segment of a write-ahead log.
var (
	ShapeSegmentHeader = shape(
		showInt(1, "DEPRECATED_major_version"),
		showInt(2, "DEPRECATED_minor_version"),
		showText(5, "tablet_id"),
		showInt(6, "sequence_number"),
		showPart(7, "schema", schemaShape),
		showInt(8, "schema_version"),
		showInt(9, "compression_codec").Words(compressionWords...),
		each(showInt(10, "incompatible_features")),
	)
	ShapeSegmentFooter = shape(
		showInt(1, "num_entries"),
		showInt(2, "min_replicate_index"),
		showInt(3, "max_replicate_index"),
		showInt(4, "close_timestamp_micros"),
	)
	// ShapeEntryBatch is a LogEntryBatchPB, and ShapeEntry a LogEntryPB. They do not show who sent a write: the request's
	// token.
	ShapeEntryBatch = shape(each(showPart(1, "entry", ShapeEntry)))
	ShapeEntry      = shape(
		showInt(1, "type").Words("", "REPLICATE", "COMMIT"),
		showPart(2, "replicate", replicateShape),
		showPart(3, "commit", commitShape),
	)
)

func opWord(v uint64) string {
	if v < uint64(len(opNames)) {
		return opNames[v]
	}
	return ""
}

var replicateShape = shape(
	showPart(1, "id", opIDShape),
	pb.Only[shown](2, "timestamp", pb.FormUint),
	showInt(4, "op_type").Word(opWord),
	showPart(5, "write_request", ShapeWriteRequest),
	showPart(6, "alter_schema_request", shape(
		showText(1, "tablet_id"),
		showPart(2, "schema", schemaShape),
		showInt(3, "schema_version"),
		showText(4, "new_table_name"),
		showText(5, "dest_uuid"),
		showPart(6, "new_extra_config", extraConfigShape),
	)),
	showPart(7, "change_config_record", shape(
		showText(1, "tablet_id"),
		showPart(2, "old_config", &raftTable.Shape),
		showPart(3, "new_config", &raftTable.Shape),
	)),
	showPart(8, "request_id", shape(showText(1, "client_id"), showInt(2, "seq_no"), showInt(3, "first_incomplete_seq_no"), showInt(4, "attempt_no"))),
	showBytes(9, "participant_request"),
	showPart(999, "noop_request", shape()),
)

// ShapeWriteRequest is a WriteRequestPB.
var ShapeWriteRequest = shape(
	showText(1, "tablet_id"),
	showPart(2, "schema", schemaShape),
	showPart(3, "row_operations", rowOperationsShape),
	showInt(4, "external_consistency_mode").Words("UNKNOWN_EXTERNAL_CONSISTENCY_MODE", "CLIENT_PROPAGATED", "COMMIT_WAIT"),
	pb.Only[shown](5, "propagated_timestamp", pb.FormUint),
	pb.Only[shown](6, "authz_token", pb.FormSecret),
	showInt(7, "txn_id"),
	showPart(8, "auto_incrementing_column", shape(showInt(1, "auto_incrementing_counter"))),
)

var commitShape = shape(
	showInt(1, "op_type").Word(opWord),
	showPart(2, "commited_op_id", opIDShape), //nolint:misspell // the name that Kudu gives it
	showPart(3, "result", shape(each(showPart(1, "ops", shape(
		showBool(1, "skip_on_replay"),
		showPart(2, "failed_status", shape(showInt(1, "code"), showText(2, "message"), showInt(4, "posix_code"))),
		each(showPart(3, "mutated_stores", shape(showInt(1, "mrs_id"), showInt(2, "rs_id"), showInt(3, "dms_id"), showInt(4, "rs_txn_id")))),
	))))),
)
