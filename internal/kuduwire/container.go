package kuduwire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// format is what errors of this package say they are about.
const format = "kudu"

const (
	containerMagic = "kuducntr"
	encryptedMagic = "kuduenc"
	containerHead  = len(containerMagic) + 4 // magic and version; version 2 adds a checksum
	crcSize        = 4
)

// ErrTorn says that a container ends within a record: its writer was stopped. All records before it are good. It comes
// wrapped in an error of kind ErrCorrupt; whether it is one is up to who asks: what is written record by record (block
// records) may end so, what is written as a whole (superblocks) may not.
var ErrTorn = errors.New("the container ends within a record")

// ErrDescription says that the first record of a container, which describes the others, is damaged, and that these can be read:
// they have checksums of their own. It comes wrapped in an error of kind ErrCorrupt, together with what was read.
var ErrDescription = errors.New("the record that describes the fields of the others is damaged; reading them does not need it")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Container walks the records of a protobuf container, version 1 or 2. It copies nothing and keeps its first error.
type Container struct {
	Version int
	Type    string // the type of the messages, as the first record says: "kudu.BlockRecordPB"
	Good    int64  // offset behind the last good record
	Err     error  // kind ErrCorrupt, with the offset of the record

	b    []byte
	next int64 // behind a record that is bad itself but whose length is known to be good; 0 = unknown
}

// OpenContainer reads the beginning of the container b up to its first message. A file that stops there, or that is
// all zeros from there on, is an error that wraps ErrTorn; an encrypted file is ErrUnsupported. With an error that wraps
// ErrDescription the container can be read, and Type may be "".
func OpenContainer(b []byte) (Container, error) {
	c := Container{b: b}
	if err := c.head(); err != nil {
		return c, place(err, "container header", 0)
	}
	first, ok := c.Next()
	if !ok {
		if c.Err == nil {
			c.torn()
		}
		err, at := c.Err, c.Good
		if !c.Pass() {
			return c, err
		}
		c.Type = DescribedType(b[at+4+crcSize : c.Good-crcSize])
		return c, place(errs.Errorf(errs.ErrCorrupt, "%w", ErrDescription), "container record", at)
	}
	m := pb.New(first)
	for m.Next() {
		if m.Num == 2 {
			c.Type = m.String()
		}
	}
	if m.Err == nil && c.Type == "" {
		m.Fail("the first record does not name the type of the others")
	}
	if m.Err != nil {
		return c, place(m.Err, "container description", 0)
	}
	return c, nil
}

func (c *Container) head() error {
	if len(c.b) >= len(encryptedMagic) && string(c.b[:len(encryptedMagic)]) == encryptedMagic {
		return encrypted()
	}
	if len(c.b) > 0 && zeros(c.b) {
		return errs.Errorf(errs.ErrCorrupt, "%w: its %d bytes are all zeros, as after a full disk or an unclean shutdown", ErrTorn, len(c.b))
	}
	if len(c.b) < containerHead {
		return errs.Errorf(errs.ErrCorrupt, "%w: %d bytes, and no header", ErrTorn, len(c.b))
	}
	if string(c.b[:len(containerMagic)]) != containerMagic {
		return errs.Errorf(errs.ErrCorrupt, "begins with %q, not with %q", c.b[:len(containerMagic)], containerMagic)
	}
	head := containerHead
	switch v := binary.LittleEndian.Uint32(c.b[len(containerMagic):]); v {
	case 1:
		c.Version = 1
	case 2:
		c.Version = 2
		if len(c.b) < head+crcSize {
			return errs.Errorf(errs.ErrCorrupt, "%w: %d bytes, and no header", ErrTorn, len(c.b))
		}
		if crc32.Checksum(c.b[:head], castagnoli) != binary.LittleEndian.Uint32(c.b[head:]) {
			return errs.Errorf(errs.ErrCorrupt, "wrong checksum")
		}
		head += crcSize
	case 0:
		return errs.Errorf(errs.ErrCorrupt, "version 0, which is none: it begins with %q, and goes on with zeros", containerMagic)
	default:
		return errs.Errorf(errs.ErrUnsupported, "version %d; this reader knows 1 and 2", v)
	}
	c.Good = int64(head)
	return nil
}

// encrypted is the error of files that begin with "kuduenc".
func encrypted() error {
	return errs.Errorf(errs.ErrUnsupported,
		"the file is encrypted (--encrypt_data_at_rest), and no instance file is here that has the key: name a file of it with %w", errs.Opt("kudu-encryption-key", ""))
}

// Next returns the next message, a part of the container; false at the end and after an error.
func (c *Container) Next() ([]byte, bool) {
	at := min(c.Good, int64(len(c.b)))
	rest := c.b[at:]
	if c.Err != nil || len(rest) == 0 {
		return nil, false
	}
	r, err := RecordAt(c.b, c.Version, at)
	switch {
	case errors.Is(err, ErrLengthSum) && !zeros(rest):
		return c.bad("wrong checksum of the record's length")
	case err != nil:
		return c.torn()
	case r.Sum != r.Stored:
		// A file system that has the size of a file on disk before its bytes leaves zeros after a crash.
		covered := r.Data
		if c.Version == 1 {
			covered = r.Off
		}
		if zeros(c.b[covered:r.Next()]) {
			return c.torn()
		}
		if c.Version == 2 {
			c.next = r.Next()
		}
		return c.bad("wrong checksum of a record of %d bytes", r.End-r.Data)
	}
	c.Good = r.Next()
	return c.b[r.Data:r.End:r.End], true
}

// Pass goes past the record that Err is about and forgets the error, if the record's length has a checksum and that is
// right. Otherwise it is not known where the next record begins, and Pass returns false.
func (c *Container) Pass() bool {
	if c.next == 0 {
		return false
	}
	c.Good, c.next, c.Err = c.next, 0, nil
	return true
}

func (c *Container) torn() ([]byte, bool) {
	c.Err = place(errs.Errorf(errs.ErrCorrupt, "%w", ErrTorn), "container record", c.Good)
	return nil, false
}

func (c *Container) bad(format string, args ...any) ([]byte, bool) {
	c.Err = place(errs.Errorf(errs.ErrCorrupt, format, args...), "container record", c.Good)
	return nil, false
}

// single returns the only message of the container b, which must be of one of the given types: what Kudu writes as a
// whole, to a new file that then takes the old one's name. There is a message with an error that wraps ErrDescription, too.
func single(b []byte, op string, lim errs.Limits, types ...string) (pb.Message, error) {
	if limit := lim.WithDefaults().MetadataBytes; int64(len(b)) > limit {
		return pb.Message{}, place(errs.Errorf(errs.ErrLimit, "%d bytes, over the limit of %d (MetadataBytes)", len(b), limit), op, -1)
	}
	c, described := OpenContainer(b)
	if described != nil && !errors.Is(described, ErrDescription) {
		return pb.Message{}, place(described, op, -1)
	}
	if !slices.Contains(types, c.Type) && (described == nil || c.Type != "") {
		return pb.Message{}, place(errs.Errorf(errs.ErrCorrupt, "the file holds %q, not %q", c.Type, types[0]), op, -1)
	}
	data, ok := c.Next()
	if !ok {
		if c.Err == nil {
			c.torn()
		}
		return pb.Message{}, place(c.Err, op, -1)
	}
	if c.Good != int64(len(b)) {
		return pb.Message{}, place(errs.Errorf(errs.ErrCorrupt, "%d bytes behind the message", int64(len(b))-c.Good), op, c.Good)
	}
	return pb.New(data), place(described, op, -1)
}

// parseSingle parses the only message of a container file into v; also with an error that wraps ErrDescription.
func parseSingle[T any](b []byte, op string, lim errs.Limits, t *pb.Table[T], v *T, types ...string) error {
	m, err := single(b, op, lim, types...)
	if err != nil && !errors.Is(err, ErrDescription) {
		return err
	}
	if t.Read(&m, v); m.Err != nil {
		return place(m.Err, op, -1)
	}
	return err
}

// kept returns v with err, where that leaves v as good as it is without.
func kept[T any](v *T, err error) (*T, error) {
	if err != nil && !errors.Is(err, ErrDescription) {
		return nil, err
	}
	return v, err
}

// zeros reports whether b holds nothing else; true of no bytes.
func zeros(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// place says where err happened; Off -1 = unknown.
func place(err error, op string, off int64) error {
	return errs.Locate(err, errs.At{Format: format, Op: op, Off: errs.N(off)})
}
