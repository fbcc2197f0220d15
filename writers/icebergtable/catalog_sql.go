package icebergtable

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"sync"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergcatalog"
	"github.com/arrowio/arrowio/internal/icebergmeta"
)

// sqlCatalog is a table of a catalog in SQLite: each state is a new file of metadata, and the catalog says which is the current one.
type sqlCatalog struct {
	*icebergcatalog.SQLTable
	place
	most int64
}

func (c *sqlCatalog) load(ctx context.Context) (*base, error) {
	where, err := c.Location(ctx)
	if err != nil {
		return nil, err
	}
	return c.state(ctx, where, c.most)
}

// state reads the metadata that a catalog names.
func (p place) state(ctx context.Context, where string, most int64) (*base, error) {
	src, err := p.st.Open(ctx, found(where))
	if err != nil {
		return nil, fmt.Errorf("the catalog names metadata that cannot be opened: %s: %v", where, err) //nolint:errorlint // that they are not there does not mean that there is no table
	}
	text, err := icebergmeta.Read(src, most)
	if err != nil {
		return nil, errs.Locate(err, errs.At{File: where})
	}
	return parseBase(text, where)
}

func (c *sqlCatalog) canCreate(ctx context.Context) error {
	_, err := c.NewLocation(ctx)
	return err
}

func (c *sqlCatalog) stage(ctx context.Context, version int, fields []iceberg.Field, spec []specDocument, props map[string]string) (*base, error) {
	location, err := c.NewLocation(ctx)
	if err != nil {
		return nil, err
	}
	return newTable(location, version, fields, spec, props)
}

// numberForm is the name of metadata that a catalog keeps.
var numberForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{1,18})-`) })

func (c *sqlCatalog) commit(ctx context.Context, w *writer, b *base, p *prepared) error {
	to, err := w.putState(ctx, b, p)
	if err != nil {
		return err
	}
	return c.Commit(ctx, b.where, to)
}

// putState writes the metadata of the next state of a table of a catalog, and returns where they are.
func (w *writer) putState(ctx context.Context, b *base, p *prepared) (to string, err error) {
	text, err := b.next(p)
	if err != nil {
		return "", err
	}
	number := int64(0)
	if m := numberForm().FindStringSubmatch(path.Base(b.where)); m != nil {
		if number, err = strconv.ParseInt(m[1], 10, 64); err != nil {
			return "", err
		}
		number++
	}
	to = fmt.Sprintf("%s/metadata/%05d-%s.metadata.json", b.location(), number, newName())
	if err := w.put(ctx, to, text); err != nil {
		return "", err
	}
	return to, makeDurable(ctx, []string{to})
}
