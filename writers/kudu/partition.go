package kudu

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// openKeys returns the keys of a rowset of the set, in order.
func (im *importer) openKeys(ctx context.Context, r *setRowSet) (*cfile.Keys, io.Closer, error) {
	src, err := im.tree.Open(ctx, r.keys.Name)
	if err != nil {
		return nil, nil, err
	}
	c, err := cfile.OpenReader(ctx, src, im.Limits)
	var keys *cfile.Keys
	if err == nil {
		keys, err = c.NewKeys(ctx)
	}
	if err != nil {
		return nil, nil, errors.Join(im.inFile(err, r.keys), src.Close())
	}
	return keys, src, nil
}

// inFile says which file of the set an error is about.
func (im *importer) inFile(err error, f *setFile) error {
	return errs.Locate(err, errs.At{Format: format, Op: im.tree.Path(f.Name)})
}

// neighbour is a tablet of the table that the server has.
type neighbour struct {
	id        string
	partition kuduwire.Partition
	rows      int64 // of the set that belong to it
}

// checkPartition checks that every row of the set belongs to the tablet: Kudu looks for a row where its key says that it
// is, and does not find it elsewhere.
func (im *importer) checkPartition() error {
	super := im.tablet.Super
	how, err := kuduwire.ParsePartitioning(super.Partitioning, super.Schema, im.Limits)
	if err != nil {
		return err
	}
	own := super.Partition()
	if len(how.Hash) == 0 && len(how.Ranges) == 0 && len(own.Buckets) == 0 && len(own.Lower) == 0 && len(own.Upper) == 0 {
		return nil // the table has one tablet
	}
	c := partitionCheck{im: im, own: own, router: how.NewRouter()}
	for _, r := range im.rowsets {
		if err := c.rowset(r); err != nil {
			return err
		}
	}
	return c.result()
}

// partitionCheck counts rows that do not belong to the tablet.
type partitionCheck struct {
	im     *importer
	own    kuduwire.Partition
	router *kuduwire.Router
	rows   int64 // that do not belong to it
	first  []byte
	others []neighbour
	lost   int64 // of them, those that belong to no tablet that is here
	to     string
}

func (c *partitionCheck) rowset(r *setRowSet) error {
	keys, closer, err := c.im.openKeys(c.im.ctx, r)
	if err != nil {
		return err
	}
	defer closer.Close()
	for keys.Next() {
		if keys.Row&(1<<16-1) == 0 && c.im.ctx.Err() != nil {
			return c.im.ctx.Err()
		}
		if err := c.router.Route(keys.Key); err != nil {
			return c.im.inFile(err, r.keys)
		}
		if !c.router.In(&c.own) {
			if err := c.stray(keys.Key); err != nil {
				return err
			}
		}
	}
	return c.im.inFile(keys.Err, r.keys)
}

// stray counts a row that does not belong to the tablet, and finds the one to which it does.
func (c *partitionCheck) stray(key []byte) error {
	if c.rows++; c.rows == 1 {
		c.first = bytes.Clone(key)
		if err := c.neighbours(); err != nil {
			return err
		}
	}
	for i := range c.others {
		if n := &c.others[i]; c.router.In(&n.partition) {
			if n.rows++; c.rows == 1 {
				c.to = n.id
			}
			return nil
		}
	}
	c.lost++
	return nil
}

// neighbours reads the superblocks of the table's other tablets.
func (c *partitionCheck) neighbours() error {
	ids, err := c.im.dirs.Tablets()
	if err != nil {
		return err
	}
	for _, id := range ids {
		s, err := c.im.dirs.SuperBlock(id)
		if err == nil && id != c.im.Tablet && s.TableID == c.im.tablet.Super.TableID {
			c.others = append(c.others, neighbour{id: id, partition: s.Partition()})
		}
	}
	return nil
}

func (c *partitionCheck) result() error {
	if c.rows == 0 {
		return nil
	}
	all := int64(0)
	for _, r := range c.im.rowsets {
		all += r.rows
	}
	text := sentence("%d of %s do not belong to tablet %s, the first %s", c.rows, count(all, "row"), c.im.Tablet, c.im.tablet.KeyText(c.first))
	if c.to != "" {
		text += ", which is one of tablet " + c.to
	}
	for i := range c.others {
		if n := &c.others[i]; n.rows > 0 {
			text += sentence("; %d belong to tablet %s", n.rows, n.id)
		}
	}
	if c.lost > 0 {
		text += sentence("; %d belong to no tablet of the table that this server has", c.lost)
	}
	return refuse("%s", text)
}
