package metastore

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// PartitionNames returns the names of all partitions of a table, KEY=VALUE/KEY=VALUE with what paths cannot have as %XX. They come in one
// answer: the metastore has no call for a part of them.
func (c *Client) PartitionNames(ctx context.Context, of Name) (names []string, err error) {
	err = c.call(ctx, "get_partition_names", func(w *encoder) {
		w.text(1, of.database())
		w.text(2, of.Table)
		w.int16(3, -1) // no bound
	}, func(d *decoder) { d.texts(&names) })
	if errors.Is(err, errs.ErrLimit) {
		err = errs.Errorf(errs.ErrLimit, "the names of the partitions of table %s are too many: %w", of, err)
	}
	return names, err
}

// How many partitions one call asks for: few at first, then as many as take one sixteenth of the bytes that an answer may have. Each says the
// columns of the table again, of which there may be thousands.
const (
	firstPartitions = 16
	mostPartitions  = 256
	partOfAnswer    = 16
)

// keptBytes bounds the texts of all partitions that are kept, as a multiple of the bytes of an answer: names of a million partitions come in one,
// and locations are longer than names.
const keptBytes = 4

// Partitions returns the partitions with these names, in the order of their values. Partitions that were dropped meanwhile are missing. Columns
// and maps of partitions are shared: do not change them.
func (c *Client) Partitions(ctx context.Context, of Name, names []string) (out []Partition, err error) {
	var seen alike
	var bytes int64
	most := keptBytes * c.o.Bytes
	err = c.inParts(ctx, of, names, func(d *decoder) {
		var p Partition
		d.partition(&p)
		p.Storage.Parameters = nil // the table's count
		if bytes += seen.share(&p.Storage) + textBytes(p.Values) + int64(len(p.Storage.Location)); bytes > most {
			d.fail(errs.Errorf(errs.ErrLimit, "the partitions of table %s take more than %d bytes, which is %d times the limit MetadataBytes", of, most, keptBytes))
		}
		out = append(out, p)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b Partition) int { return slices.Compare(a.Values, b.Values) })
	for i := 1; i < len(out); i++ {
		if slices.Equal(out[i-1].Values, out[i].Values) {
			return nil, errs.Errorf(errs.ErrCorrupt, "the metastore at %s has answered with the partition %.200q of table %s twice", c.addr, out[i].Values, of)
		}
	}
	return out, nil
}

// inParts asks for partitions in several calls. read reads one partition.
func (c *Client) inParts(ctx context.Context, of Name, names []string, read func(d *decoder)) error {
	for n := firstPartitions; len(names) > 0; {
		some := names[:min(n, len(names))]
		names = names[len(some):]
		var bytes int64
		err := c.call(ctx, "get_partitions_by_names", func(w *encoder) {
			w.text(1, of.database())
			w.text(2, of.Table)
			w.texts(3, some)
		}, func(d *decoder) {
			got := 0
			d.list(func() {
				if got++; got > len(some) {
					d.fail(errs.Errorf(errs.ErrCorrupt, "its answer has more than the %d partitions that were asked for", len(some)))
					return
				}
				read(d)
			})
			bytes = c.o.Bytes - c.line.left
		})
		if err != nil {
			return err
		}
		n = int(min(max(c.o.Bytes/partOfAnswer*int64(len(some))/max(bytes, 1), 1), mostPartitions))
	}
	return nil
}

func (d *decoder) partition(to *Partition) {
	d.structure(func(id int16) {
		switch id {
		case 1:
			d.texts(&to.Values)
		case 6:
			d.storage(&to.Storage)
		}
	})
}

// alike are storages of partitions, which most others have, too.
type alike []Storage

// mostAlike is how many storages are remembered: a table has few formats and versions of its columns.
const mostAlike = 16

// share lets s have the memory of an equal storage, but for its location. It returns how many bytes of text s has for itself, without the location.
func (a *alike) share(s *Storage) int64 {
	for i := range *a {
		if x := &(*a)[i]; x.equal(s) {
			at := s.Location
			*s = *x
			s.Location = at
			return 0
		}
	}
	if len(*a) == mostAlike {
		*a = slices.Delete(*a, 0, 1)
	}
	*a = append(*a, *s)
	n := textBytes([]string{s.InputFormat, s.OutputFormat, s.SerDe}) + textBytes(s.BucketColumns)
	for _, c := range s.Columns {
		n += textBytes([]string{c.Name, c.Type})
	}
	for k, v := range s.SerDeParameters {
		n += textBytes([]string{k, v})
	}
	return n
}

// equal compares storages but for their locations and Parameters.
func (s *Storage) equal(x *Storage) bool {
	return s.InputFormat == x.InputFormat && s.OutputFormat == x.OutputFormat && s.SerDe == x.SerDe && s.Buckets == x.Buckets && s.Directories == x.Directories &&
		slices.Equal(s.Columns, x.Columns) && slices.Equal(s.BucketColumns, x.BucketColumns) && maps.Equal(s.SerDeParameters, x.SerDeParameters)
}

// textBytes is the memory of texts.
func textBytes(texts []string) (n int64) {
	const header = 16
	for _, text := range texts {
		n += header + int64(len(text))
	}
	return n
}
