package inspect

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/annotate"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/pb"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// container is a protobuf container, version 1 or 2; see docs/formats/kudu.md.
type container struct {
	b       []byte
	version int
	start   int // of the first record; 0 = the header cannot be read
	typ     string
	faults  []string
}

// record is a record of a container.
type record struct {
	kuduwire.Record
	index int
}

func (f *File) container() (*container, error) {
	if size := f.Src.Size(); size > f.Limits.MetadataBytes {
		return nil, errs.Errorf(errs.ErrLimit, "%d bytes, over the limit of %d (MetadataBytes)", size, f.Limits.MetadataBytes)
	}
	b, err := f.read(0, f.Src.Size())
	if err != nil {
		return nil, err
	}
	c := &container{b: b}
	if len(b) < magicSize+4 {
		c.fault("the file ends within its header")
		return c, nil
	}
	c.version = int(binary.LittleEndian.Uint32(b[magicSize:]))
	switch {
	case c.version == 1:
		c.start = magicSize + 4
	case c.version == 2 && len(b) >= magicSize+8:
		c.start = magicSize + 8
	default:
		c.fault("version %d of containers is not known", c.version)
	}
	return c, nil
}

func (c *container) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// records walks the records. It ends where the length of one cannot be right. The first record names the type of the others,
// which typ has from then on.
func (c *container) records() iter.Seq[record] {
	return func(yield func(record) bool) {
		if c.start == 0 {
			return
		}
		for i, at := 0, int64(c.start); at < int64(len(c.b)); i++ {
			r, err := kuduwire.RecordAt(c.b, c.version, at)
			switch {
			case errors.Is(err, kuduwire.ErrShortLength):
				c.fault("the file ends within the length of record %d, at %d", i, at)
				return
			case errors.Is(err, kuduwire.ErrLengthSum):
				c.fault("the checksum of the length of record %d, at %d, is wrong: later records cannot be found", i, at)
				return
			case err != nil:
				c.fault("record %d, at %d, is %d bytes long, and the file ends before that", i, at, r.End-r.Data)
				return
			case r.Sum == r.Stored:
			case i == 0:
				c.fault("the checksum of record 0, at %d, is wrong: it describes the fields of the others, which can be read without it", at)
			default:
				c.fault("the checksum of record %d, at %d, is wrong", i, at)
			}
			if i == 0 {
				c.typ = kuduwire.DescribedType(c.b[r.Data:r.End])
			}
			if !yield(record{r, i}) {
				return
			}
			at = r.Next()
		}
	}
}

// shape returns how to show the messages, which may not be known.
func (c *container) shape() *pb.Shape {
	if s := kuduwire.ShapeOf(c.typ); s != nil {
		return s
	}
	return &pb.Shape{}
}

// descriptionShape is ContainerSupHeaderPB.
var descriptionShape = &pb.NewTable(
	pb.Only[struct{}](1, "protos", pb.FormSecret), // descriptors of the messages
	pb.Only[struct{}](2, "pb_type", pb.FormText),
).Shape

func (f *File) dumpContainer(ctx context.Context, w io.Writer) error {
	c, err := f.container()
	if err != nil {
		return err
	}
	d := &dumper{Writer: annotate.New(w, f.Src, f.Src.Size())}
	d.Section("container")
	d.Range(0, magicSize, "magic")
	if c.start > 0 {
		d.Range(magicSize, 4, "version %d", c.version)
	}
	if c.version == 2 && c.start > 0 {
		d.sum(magicSize+4, binary.LittleEndian.Uint32(c.b[magicSize+4:]), crc32.Checksum(c.b[:magicSize+4], castagnoli))
	}
	d.End()
	d.messages = annotate.Messages{Writer: d.Writer, Bytes: bytesText, Say: func(from, to int, format string, args ...any) {
		d.Range(int64(from), int64(to-from), format, args...)
	}}
	for r := range c.records() {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := c.shape()
		if r.index == 0 {
			d.Section("what the messages are")
			s = descriptionShape
		} else if kind := kuduwire.KindOf(c.typ); kind != "" {
			d.Section("record %d: %s", r.index, kind)
		} else {
			d.Section("record %d: %s, whose fields are not known", r.index, c.typ)
		}
		d.Range(r.Off, 4, "length: %d bytes", r.End-r.Data)
		if c.version == 2 {
			d.Range(r.Off+4, 4, "crc32c of the length, right")
		}
		if p := d.messages.Fields(c.b, int(r.Data), int(r.End), s); int64(p) < r.End {
			d.Range(int64(p), r.End-int64(p), "the rest of the message")
		}
		d.sum(r.End, r.Stored, r.Sum)
		d.End()
	}
	for _, x := range c.faults {
		d.Note("! %s", x)
	}
	return d.Close()
}

func (f *File) containerJSON(ctx context.Context, w io.Writer) error {
	c, err := f.container()
	if err != nil {
		return err
	}
	j := newJSON(w)
	j.open('{')
	first := true
	for r := range c.records() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.index == 0 {
			j.key("kind").text(kuduwire.KindOf(c.typ))
			j.key("type").text(c.typ)
			j.key("version").number(uint64(c.version))
			j.key("messages").open('[')
			first = false
			continue
		}
		j.element().message(c.b[r.Data:r.End], c.shape())
	}
	if !first {
		j.close(']')
	}
	j.faults(c.faults)
	j.close('}')
	return j.end()
}
