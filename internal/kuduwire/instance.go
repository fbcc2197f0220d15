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
}

var instanceTable = pb.NewTable(
	pb.Text(1, "uuid", func(i *Instance) *string { return &i.UUID }).Required(),
	pb.Text(2, "format_stamp", func(i *Instance) *string { return &i.Stamp }),
	pb.Custom(3, "server_key", pb.FormBytes, readServerKey, nil),
	pb.Custom(6, "tenants", pb.FormMessage, readServerKey, nil), // with keys of their own
)

func readServerKey(m *pb.Message, i *Instance) { i.Encrypted = i.Encrypted || len(m.Bytes()) > 0 }

// ParseInstance parses the container file b, an InstanceMetadataPB.
func ParseInstance(b []byte, lim errs.Limits) (*Instance, error) {
	i := &Instance{}
	if err := parseSingle(b, "instance file", lim, instanceTable, i, "kudu.InstanceMetadataPB"); err != nil {
		return nil, err
	}
	return i, nil
}

// Kinds of directories of blocks.
const (
	DirFile = "file" // a file for each block
	DirLog  = "log"  // containers of many blocks
)

// DirInstance says what kind of a directory of blocks this is, and which others belong to it.
type DirInstance struct {
	UUID      string // of the directory
	Type      string // DirFile, DirLog or what later versions of Kudu add
	AllUUIDs  []string
	BlockSize int64 // of the file system where it was made
}

var dirInstanceTable = pb.NewTable(
	pb.Part(1, "path_set", pb.NewTable(
		pb.Text(1, "uuid", func(d *DirInstance) *string { return &d.UUID }).Required(),
		pb.Strings(2, "all_uuids", pb.FormText, func(d *DirInstance) *[]string { return &d.AllUUIDs }),
	), func(d *DirInstance) *DirInstance { return d }).Required(),
	pb.Text(2, "block_manager_type", func(d *DirInstance) *string { return &d.Type }).Required(),
	pb.Uint(3, "filesystem_block_size_bytes", func(d *DirInstance) *int64 { return &d.BlockSize }),
)

// ParseDirInstance parses the container file b, a DirInstanceMetadataPB.
func ParseDirInstance(b []byte, lim errs.Limits) (*DirInstance, error) {
	d := &DirInstance{}
	// The second name is the one that it had until Kudu 1.11.
	if err := parseSingle(b, "block manager instance", lim, dirInstanceTable, d, "kudu.DirInstanceMetadataPB", "kudu.PathInstanceMetadataPB"); err != nil {
		return nil, err
	}
	return d, nil
}
