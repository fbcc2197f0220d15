package kuduwire

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/arrowio/arrowio/internal/pb"
)

// What Kudu wrote of blocks comes out of what was read, byte by byte.
func TestBlockRecordsAsKuduWritesThem(t *testing.T) {
	records, _, err := ParseBlockRecords(realContainer(t, typeBlockRecord, realBlocks...), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		want := unhex(t, realBlocks[i])
		micros := uint64(0)
		m := pb.New(want[8 : len(want)-4])
		for m.Next() {
			if m.Num == 3 {
				micros = m.Uint64()
			}
		}
		if got := AppendBlockRecord(nil, r, micros); !bytes.Equal(got, want) {
			t.Errorf("%+v\n got %x\nwant %x", r, got, want)
		}
	}
	if head := AppendBlockContainer(nil); !bytes.HasPrefix(head, unhex(t, realHead)) {
		t.Errorf("%x", head[:16])
	}
}

func TestBlockContainer(t *testing.T) {
	b := AppendBlockContainer(nil)
	if records, d, err := ParseBlockRecords(b, nil); err != nil || len(records) > 0 || !d.None() {
		t.Errorf("%v, %+v, %v", records, d, err)
	}
	b = AppendBlockRecord(b, BlockRecord{ID: 1 << 60, Op: BlockCreate, Off: 8192, Length: 5}, 1)
	b = AppendBlockRecord(b, BlockRecord{ID: 3, Op: BlockCreate}, 1)
	b = AppendBlockRecord(b, BlockRecord{ID: 3, Op: BlockDelete}, 2)
	records, d, err := ParseBlockRecords(b, nil)
	if live := LiveBlocks(records, &d); err != nil || !d.None() || len(live) != 1 || live[0].ID != 1<<60 || live[0].Off != 8192 || live[0].Length != 5 {
		t.Errorf("%+v, %+v, %v", live, d, err)
	}
}

// The description is one by which any protobuf tool reads the records.
func TestBlockDescriptors(t *testing.T) {
	b := AppendBlockRecord(AppendBlockContainer(nil), BlockRecord{ID: 7, Op: BlockCreate, Off: 4096, Length: 16}, 99)
	c, err := OpenContainer(b)
	if err != nil {
		t.Fatal(err)
	}
	record, _ := c.Next()
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(blockDescriptors(), &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	d, err := files.FindDescriptorByName("kudu.BlockRecordPB")
	if err != nil {
		t.Fatal(err)
	}
	m := dynamicpb.NewMessage(d.(protoreflect.MessageDescriptor))
	if err := proto.Unmarshal(record, m); err != nil {
		t.Fatal(err)
	}
	fields := m.Descriptor().Fields()
	if got := m.Get(fields.ByName("offset")).Int(); got != 4096 || len(m.GetUnknown()) > 0 {
		t.Errorf("offset %d, unknown %x", got, m.GetUnknown())
	}
	if e := fields.ByName("op_type").Enum().Values().ByNumber(m.Get(fields.ByName("op_type")).Enum()); e.Name() != "CREATE" {
		t.Errorf("operation %s", e.Name())
	}
}
