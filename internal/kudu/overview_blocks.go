package kudu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// infoBlocks is how many blocks are opened to count their kinds, unless each is asked for.
const infoBlocks = 1 << 16

// listBlocks lists blocks that no superblock names: by kind, or each.
func (v *Overview) listBlocks(ctx context.Context, info *arrowio.Info, each bool) error {
	ids, err := v.blocks.IDs(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		info.Notes = append(info.Notes, fmt.Sprintf("! the blocks cannot be listed: %v", err))
		return nil
	}
	all := len(ids)
	ids = slices.DeleteFunc(ids, func(id uint64) bool {
		_, found := slices.BinarySearch(v.used, id)
		return found
	})
	n := len(ids)
	if !each {
		n = min(n, infoBlocks)
	}
	kinds := map[string]*arrowio.MemberInfo{}
	var order []string
	for _, id := range ids[:n] {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := v.block(ctx, id)
		if err != nil {
			return err
		}
		if len(v.tables) == 0 {
			info.Bytes += m.Bytes
		}
		if each {
			info.Members = append(info.Members, m)
			continue
		}
		k := kinds[m.Name]
		if k == nil {
			k = &arrowio.MemberInfo{Kind: kindBlocks, Name: m.Name, Open: m.Open}
			kinds[m.Name], order = k, append(order, m.Name)
		}
		k.Parts++
		k.Rows += max(0, m.Rows)
		k.Bytes += m.Bytes
	}
	slices.Sort(order)
	for _, name := range order {
		info.Members = append(info.Members, *kinds[name])
	}
	note := func(format string, args ...any) { info.Notes = append(info.Notes, fmt.Sprintf(format, args...)) }
	switch {
	case len(v.tables) > 0:
		note("%d of %d blocks belong to no tablet whose superblock can be read", len(ids), all)
	case !each:
		note("without superblocks it is not known which table a block is of: %d blocks by kind; arrowio inspect --blocks lists each, --kudu-block reads one by itself, and --kudu-rebuild puts them together", len(ids))
	default:
		note("without superblocks it is not known which table a block is of: --kudu-block reads one by itself")
	}
	if n < len(ids) {
		note("the kinds of the first %d of %d blocks were counted; arrowio inspect --blocks looks at all", n, len(ids))
	}
	return nil
}

// block describes a block by its footer. An error is one of the context.
func (v *Overview) block(ctx context.Context, id uint64) (arrowio.MemberInfo, error) {
	name := kuduwire.BlockName(id)
	m := arrowio.MemberInfo{Kind: kindBlock, ID: name, Rows: arrowio.UnknownRows, Open: []arrowio.Choice{{Option: "kudu-block", Value: name}}}
	path, at, err := v.blocks.At(id)
	m.Bytes = at.Len
	if err == nil {
		if m.Detail = path; at.Off > 0 {
			m.Detail += " at " + strconv.FormatInt(at.Off, 10)
		}
		var r *cfile.Reader
		if r, err = v.openReader(ctx, id); err == nil {
			m.Name, m.Rows = blockKind(r), r.Rows()
		}
	}
	if err != nil {
		m.Name, m.Detail, m.Open = "unreadable", err.Error(), nil
	}
	return m, ctx.Err()
}

// openReader opens a block for what its footer says: it cannot be read any further.
func (v *Overview) openReader(ctx context.Context, id uint64) (*cfile.Reader, error) {
	src, c, err := v.blocks.Open(id)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return cfile.OpenReader(ctx, src, v.limits)
}

// blockKind says what a block holds.
func blockKind(r *cfile.Reader) string {
	switch r.Kind() {
	case cfilewire.BloomFile:
		return "bloom filters"
	case cfilewire.DeltaFile:
		return "deltas"
	case cfilewire.KeyIndexFile:
		return "key index"
	}
	f := r.Footer()
	what := "column of " + f.Type.String()
	if f.Array {
		what += " arrays"
	}
	if f.Val != nil {
		what += ", a key"
	}
	return what
}

// blockFile is a block read by itself.
type blockFile struct {
	*cfile.File
	findings
	server *server
	id     uint64
	use    string // what the superblocks say that it is
	source *arrowio.CountingSource
	closer interface{ Close() error }
}

// OpenBlock opens the block that o.Block names as a single CFile (see readers/cfile). It needs no superblock. If a superblock
// says that the block belongs to a decimal column, the column's scale is used. path is the server's WAL directory, or any
// directory from which the data directories can be found.
func OpenBlock(ctx context.Context, path string, limits arrowio.Limits, o Options) (arrowio.File, error) {
	id, err := strconv.ParseUint(o.Block, 10, 64)
	if err != nil {
		return nil, errs.Errorf(errs.ErrOption, "%w: %q is not a block's id, which is a decimal number", errs.Opt("kudu-block", ""), o.Block)
	}
	if o.Table != "" || o.Tablet != "" || o.Snapshot != 0 {
		return nil, errs.Errorf(errs.ErrOption, "%w reads one block as it is: no table, tablet or snapshot can be named besides", errs.Opt("kudu-block", ""))
	}
	s, err := openServer(ctx, path, limits, o)
	if err != nil {
		return nil, err
	}
	f, err := s.openLone(ctx, id)
	if err != nil {
		return nil, errors.Join(err, s.blocks.Close())
	}
	return f, nil
}

func (s *server) openLone(ctx context.Context, id uint64) (*blockFile, error) {
	f := &blockFile{server: s, id: id}
	f.ofServer(s)
	o := cfile.Options{StringsBinary: s.opt.StringsBinary}
	if use, c := s.whose(id); use != "" {
		f.use = use
		if c != nil {
			o.Precision, o.Scale = c.Precision, c.Scale
		}
	}
	src, closer, err := s.blocks.Open(id)
	if err != nil {
		return nil, err
	}
	f.source, f.closer = arrowio.NewCountingSource(src), closer
	if f.File, err = cfile.Open(ctx, f.source, s.limits, o); err != nil {
		return nil, errors.Join(errs.Locate(fmt.Errorf("block %s: %w", kuduwire.BlockName(id), err), errs.At{Format: Name}), closer.Close())
	}
	return f, nil
}

// whose looks for the superblock that names a block. Superblocks that cannot be read do not matter here.
func (s *server) whose(id uint64) (use string, column *kuduwire.Column) {
	tablets, err := s.dirs.Tablets()
	if err != nil {
		return "", nil
	}
	for _, t := range tablets {
		sb, _ := s.dirs.SuperBlock(t)
		if sb == nil {
			continue
		}
		for _, u := range sb.Blocks() {
			if u.Block != id {
				continue
			}
			use = fmt.Sprintf("%v of tablet %s of table %s", u, t, sb.TableName)
			if i := sb.Schema.Index(u.Column); u.Role == kuduwire.BlockOfColumn && i >= 0 {
				column = &sb.Schema.Columns[i]
				use += ": " + column.Name
			}
			return use, column
		}
	}
	return "", nil
}

// Info is that of the CFile, and where it lies.
func (f *blockFile) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	info, err := f.File.Info(ctx, o)
	if err != nil {
		return nil, err
	}
	facts := []arrowio.Fact{{Name: "block", Value: kuduwire.BlockName(f.id)}, {Name: "lies in", Value: f.server.blocks.Where(f.id)}}
	if f.use != "" {
		facts = append(facts, arrowio.Fact{Name: "is", Value: f.use})
	} else {
		info.Notes = append(info.Notes, "no superblock names this block")
	}
	info.Facts = append(facts, info.Facts...)
	info.Notes = append(info.Notes, f.allNotes()...)
	return info, nil
}

// BytesRead implements arrowio.ByteCounter.
func (f *blockFile) BytesRead() int64 { return f.source.Bytes() }

// BytesStored implements arrowio.ByteCounter.
func (f *blockFile) BytesStored() int64 { return f.source.Size() }

// Close frees what the file holds.
func (f *blockFile) Close() error {
	return errors.Join(f.File.Close(), f.closer.Close(), f.server.blocks.Close())
}
