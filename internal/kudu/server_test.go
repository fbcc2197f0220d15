package kudu

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// protoMsg builds protobuf messages.
type protoMsg []byte

func (m protoMsg) num(field protowire.Number, v int64) protoMsg {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

func (m protoMsg) str(field protowire.Number, s string) protoMsg {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m protoMsg) block(field protowire.Number, id uint64) protoMsg {
	return m.str(field, string(protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), id)))
}

// protoContainer builds a container of version 2, as all that Kudu writes.
func protoContainer(typ string, messages ...protoMsg) []byte {
	sum := func(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
	b := append([]byte("kuducntr"), 2, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, sum(b))
	for _, m := range append([]protoMsg{protoMsg{}.str(1, "").str(2, typ)}, messages...) {
		n := binary.LittleEndian.AppendUint32(nil, uint32(len(m)))
		b = append(b, n...)
		b = binary.LittleEndian.AppendUint32(b, sum(n))
		b = append(b, m...)
		b = binary.LittleEndian.AppendUint32(b, sum(m))
	}
	return b
}

// madeServer is a server's directories, made for a test.
type madeServer struct {
	t    testing.TB
	root string
	uuid string
	dirs []string // uuids of all data directories
}

func newServer(t testing.TB, uuid string, dirs ...string) *madeServer {
	return &madeServer{t: t, root: t.TempDir(), uuid: uuid, dirs: dirs}
}

func (s *madeServer) path(parts ...string) string {
	return filepath.Join(append([]string{s.root}, parts...)...)
}

func (s *madeServer) write(b []byte, parts ...string) {
	s.t.Helper()
	path := s.path(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *madeServer) instance(dir string) {
	s.write(protoContainer("kudu.InstanceMetadataPB", protoMsg{}.str(1, s.uuid).str(2, "made")), dir, "instance")
}

// wal makes a directory of write-ahead logs and superblocks.
func (s *madeServer) wal(dir string) {
	s.instance(dir)
	for _, name := range []string{"wals", "tablet-meta", "consensus-meta"} {
		if err := os.MkdirAll(s.path(dir, name), 0o700); err != nil {
			s.t.Fatal(err)
		}
	}
}

// data makes a data directory with the uuid s.dirs[i].
func (s *madeServer) data(dir, typ string, i int) {
	s.instance(dir)
	set := protoMsg{}.str(1, s.dirs[i])
	for _, uuid := range s.dirs {
		set = set.str(2, uuid)
	}
	s.write(protoContainer("kudu.DirInstanceMetadataPB", protoMsg{}.str(1, string(set)).str(2, typ).num(3, 4096)), dir, "data", "block_manager_instance")
}

// madeBlock is what a block of a test contains: no CFile, but it begins and ends like one.
func madeBlock(id uint64) []byte {
	return []byte("kuducfl2 " + strings.Repeat(kuduwire.BlockName(id)+" ", 3) + "kuducfl2")
}

const made = 4096 // where the second block of a container begins

// container makes a log block container with the given blocks, and with more records behind theirs.
func (s *madeServer) container(dir, name string, ids []uint64, more ...protoMsg) {
	var data []byte
	var records []protoMsg
	for i, id := range ids {
		b := madeBlock(id)
		data = append(append(data, make([]byte, i*made-len(data))...), b...)
		records = append(records, createBlock(id, int64(i*made), int64(len(b))))
	}
	s.write(data, dir, "data", name+".data")
	s.write(protoContainer("kudu.BlockRecordPB", append(records, more...)...), dir, "data", name+".metadata")
}

func createBlock(id uint64, off, length int64) protoMsg {
	return protoMsg{}.block(1, id).num(2, 1).num(3, 1).num(4, off).num(5, length)
}

func deleteBlock(id uint64) protoMsg { return protoMsg{}.block(1, id).num(2, 2).num(3, 1) }

const madeTablet = "0123456789abcdef0123456789abcdef"

// superBlock makes a superblock of a tablet whose only rowset has the given blocks as columns, from id 0.
func (s *madeServer) superBlock(dir, tablet string, blocks ...uint64) {
	r := protoMsg{}.num(1, 0).num(2, -1)
	for i, b := range blocks {
		r = r.str(3, string(protoMsg{}.block(2, b).num(4, int64(i))))
	}
	column := protoMsg{}.num(1, 0).str(2, "k").num(3, 5).num(4, 1)
	m := protoMsg{}.str(1, "t").str(2, tablet).num(3, 0).str(6, string(r)).str(7, "table").str(8, string(protoMsg{}.str(1, string(column)))).num(9, 0)
	set := protoMsg{}
	for _, uuid := range s.dirs {
		set = set.str(1, uuid)
	}
	s.write(protoContainer("kudu.tablet.TabletSuperBlockPB", m.str(15, string(set))), dir, "tablet-meta", tablet)
}
