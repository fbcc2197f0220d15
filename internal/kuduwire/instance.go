package kuduwire

import "github.com/arrowio/arrowio/arrowio/errs"

// Instance says whose directory this is: the file `instance` at the top of each of a server's directories.
type Instance struct {
	UUID      string // of the server
	Stamp     string // when and where it was made, for people
	Encrypted bool   // the server's files are encrypted
}

// ParseInstance parses the container file b, an InstanceMetadataPB: 1 uuid, 2 format stamp, 3 server key, 6 tenants
// with keys of their own.
func ParseInstance(b []byte, lim errs.Limits) (*Instance, error) {
	const op = "instance file"
	m, err := single(b, op, lim, "kudu.InstanceMetadataPB")
	if err != nil {
		return nil, err
	}
	i := &Instance{}
	for m.Next() {
		switch m.Num {
		case 1:
			i.UUID = m.String()
		case 2:
			i.Stamp = m.String()
		case 3, 6:
			i.Encrypted = i.Encrypted || len(m.Bytes()) > 0
		}
	}
	if m.Err == nil && i.UUID == "" {
		m.Fail("no uuid")
	}
	if m.Err != nil {
		return nil, place(m.Err, op, -1)
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

// ParseDirInstance parses the container file b, a DirInstanceMetadataPB: 1 set of directories{1 uuid, 2 all uuids},
// 2 type, 3 block size of the file system.
func ParseDirInstance(b []byte, lim errs.Limits) (*DirInstance, error) {
	const op = "block manager instance"
	// The second name is the one that it had until Kudu 1.11.
	m, err := single(b, op, lim, "kudu.DirInstanceMetadataPB", "kudu.PathInstanceMetadataPB")
	if err != nil {
		return nil, err
	}
	d := &DirInstance{}
	for m.Next() {
		switch m.Num {
		case 1:
			s := m.Message()
			for s.Next() {
				switch s.Num {
				case 1:
					d.UUID = s.String()
				case 2:
					d.AllUUIDs = append(d.AllUUIDs, s.String())
				}
			}
			if s.Err != nil {
				m.Fail("%w", s.Err)
			}
		case 2:
			d.Type = m.String()
		case 3:
			d.BlockSize = m.Size()
		}
	}
	switch {
	case m.Err != nil:
	case d.UUID == "":
		m.Fail("no uuid")
	case d.Type == "":
		m.Fail("no type")
	}
	if m.Err != nil {
		return nil, place(m.Err, op, -1)
	}
	return d, nil
}
