package kuduwire

import (
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// Instance says whose directory this is: the file `instance` at the top of each of a server's directories.
type Instance struct {
	UUID      string // of the server
	Stamp     string // when and where it was made, for people
	Encrypted bool   // the server's files are encrypted
	// Keys are those with which the keys of files are wrapped, as the file has them: wrapped in turn. Those of tenants come before the
	// server's, as Kudu prefers them.
	Keys     []string
	Versions []string // of the keys, of those that have one
}

var instanceTable = pb.NewTable(
	pb.Text(1, "uuid", func(i *Instance) *string { return &i.UUID }).Required(),
	pb.Text(2, "format_stamp", func(i *Instance) *string { return &i.Stamp }),
	pb.Custom(3, "server_key", pb.FormSecret, func(m *pb.Message, i *Instance) {
		if key := m.String(); key != "" {
			i.Encrypted, i.Keys = true, append(i.Keys, key)
		}
	}, nil),
	pb.Only[Instance](4, "server_key_iv", pb.FormSecret),
	pb.Custom(5, "server_key_version", pb.FormText, readKeyVersion, nil),
	pb.Custom(6, "tenants", pb.FormSecret, readTenant, nil),
)

func readKeyVersion(m *pb.Message, i *Instance) {
	if v := m.String(); v != "" {
		i.Versions = append(i.Versions, v)
	}
}

// tenantTable is the part of a TenantMetadataPB that is about its key.
var tenantTable = pb.NewTable(
	pb.Only[Instance](1, "tenant_name", pb.FormText),
	pb.Only[Instance](2, "tenant_id", pb.FormText),
	pb.Custom(3, "tenant_key", pb.FormSecret, func(m *pb.Message, i *Instance) {
		if key := m.String(); key != "" {
			i.Keys = append([]string{key}, i.Keys...)
		}
	}, nil),
	pb.Only[Instance](4, "tenant_key_iv", pb.FormSecret),
	pb.Custom(5, "tenant_key_version", pb.FormText, readKeyVersion, nil),
)

func readTenant(m *pb.Message, i *Instance) {
	i.Encrypted = true
	tenantTable.ReadField(m, i)
}

// ParseInstance parses the container file b, an InstanceMetadataPB. With an error that wraps ErrDescription it returns the message.
func ParseInstance(b []byte, lim errs.Limits) (*Instance, error) {
	i := &Instance{}
	return kept(i, parseSingle(b, "instance file", lim, instanceTable, i, typeInstance))
}

// Kinds of directories of blocks.
const (
	DirFile  = "file" // a file for each block
	DirLog   = "log"  // containers of many blocks
	DirRocks = "logr" // like DirLog, with the records in RocksDB
)

// DirInstance says what kind of a directory of blocks this is, and which others belong to it.
type DirInstance struct {
	UUID      string // of the directory
	Type      string // DirFile, DirLog or what later versions of Kudu add
	AllUUIDs  []string
	BlockSize int64 // of the file system where it was made
}

var dirInstanceTable = pb.NewTable(
	pb.Part(1, "dir_set", pb.NewTable(
		pb.Text(1, "uuid", func(d *DirInstance) *string { return &d.UUID }).Required(),
		each(pb.Strings(2, "all_uuids", pb.FormText, func(d *DirInstance) *[]string { return &d.AllUUIDs })),
	), func(d *DirInstance) *DirInstance { return d }).Required(),
	pb.Text(2, "dir_type", func(d *DirInstance) *string { return &d.Type }).Required(),
	pb.Uint(3, "filesystem_block_size_bytes", func(d *DirInstance) *int64 { return &d.BlockSize }),
)

// ParseDirInstance parses the container file b, a DirInstanceMetadataPB. With an error that wraps ErrDescription it returns the message.
func ParseDirInstance(b []byte, lim errs.Limits) (*DirInstance, error) {
	d := &DirInstance{}
	return kept(d, parseSingle(b, "block manager instance", lim, dirInstanceTable, d, typeDirInstance, typePathInstance))
}
