package hivetable

import (
	"context"
	"errors"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/metastore"
)

// acid says as of which write ids a directory is read. It is part of the JSON of a member.
type acid struct {
	Server   string `json:"server"` // that is asked what was compacted meanwhile
	Database string `json:"database"`
	Table    string `json:"table"`
	Writes   string `json:"writes"` // HIGHEST:OPEN,…:ABORTED,…
}

// openACID opens a directory of an ACID table; nil = it is empty.
func (s *settings) openACID(ctx context.Context, format arrowio.Format, dir string, a *acid, o arrowio.OpenOptions) (f arrowio.File, err error) {
	tree, err := s.tree(dir)
	if err != nil {
		return nil, err
	}
	writes, err := metastore.ParseIDs(a.Writes)
	if err != nil {
		return nil, err
	}
	c, err := metastore.Dial(ctx, a.Server, s.metastore)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := c.Close(); e != nil && f != nil {
			err = errors.Join(e, f.Close())
			f = nil
		}
	}()
	w := watched{client: c, tree: tree, database: a.Database, table: a.Table, writes: writes}
	err = w.settled(ctx, func(txns string, empty bool) error {
		if f != nil {
			if err := f.Close(); err != nil {
				return err
			}
			f = nil
		}
		if empty {
			return nil
		}
		o.Options["orc-write-ids"], o.Options["orc-transactions"] = a.Writes, txns
		f, err = format.OpenTree(ctx, tree, o)
		return err
	})
	if err != nil && f != nil {
		err = errors.Join(err, f.Close())
		f = nil
	}
	return f, err
}
