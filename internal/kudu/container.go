package kudu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/annotate"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/kudu/atrest"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// containerFile is the data file of a container of the log block manager by itself, with the records that lie beside it. It
// can be dumped and verified block by block, and has no rows.
type containerFile struct {
	rowless
	src    arrowio.Source
	limits arrowio.Limits
	blocks []kuduwire.BlockRecord // that exist, in the order of the file; those without a place first
	damage kuduwire.BlockDamage
}

const (
	whatContainer = "container of blocks of the log block manager"
)

// errHowToRead is a sentence with options, for errors about a container.
var errHowToRead = fmt.Errorf("name the server's directory (--fs_wal_dir) in place of this file: arrowio kudu list DIR lists its tables, %w and %w read one, and %w in place of the latter reads one block",
	errs.Opt("from", "kudu"), errs.Opt("kudu-table", "NAME"), errs.Opt("kudu-block", "ID"))

type opener = func(ctx context.Context, name string) (arrowio.OpenSource, error)

// besideContainer is matchContainer for files that are not encrypted.
func besideContainer(ctx context.Context, src arrowio.Source, name string, open opener) bool {
	return matchContainer(ctx, src, name, open, &keyring{})
}

// matchContainer reports whether src is the data file of a container: there are records beside it, and it is not one CFile,
// which can be read as such.
func matchContainer(ctx context.Context, src arrowio.Source, name string, open opener, keys *keyring) bool {
	base, ok := strings.CutSuffix(name, dataSuffix)
	if !ok {
		return false
	}
	side, err := open(ctx, base+metadataSuffix)
	if err != nil {
		return false // the bytes of the file alone tell what it is
	}
	defer func() { _ = side.Close() }() // it was only read
	records, err := keys.open(side, nil, base+metadataSuffix, atrest.HeaderSize, atrest.HeaderSize)
	if err != nil {
		return false
	}
	head := make([]byte, len(containerMagic))
	n, _ := records.ReadAt(head, 0)
	return n == len(head) && string(head) == containerMagic && !cfile.Alone(ctx, src)
}

func openContainer(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions, keys *keyring) (arrowio.File, error) {
	f := &containerFile{limits: o.Limits.WithDefaults()}
	path := strings.TrimSuffix(o.Name, dataSuffix) + metadataSuffix
	side, err := o.OpenSource(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = side.Close() }() // it was only read
	content, err := keys.open(side, nil, path, atrest.HeaderSize, atrest.HeaderSize)
	if err != nil {
		return nil, err
	}
	b, err := readSource(content, path, f.limits.MetadataBytes, nil)
	if err != nil {
		return nil, err
	}
	records, damage, err := kuduwire.ParseBlockRecords(b, nil)
	if err != nil {
		return nil, inFile(err, path)
	}
	f.damage = damage
	f.blocks = kuduwire.LiveBlocks(records, &f.damage)
	f.damage.Head = inFile(f.damage.Head, path)
	f.damage.Err = inFile(f.damage.Err, path)
	f.rowless = rowless{src.Size(), fmt.Errorf("%s, with %s, which cannot be read as rows together: %w", whatContainer, f.count(), errHowToRead)}
	slices.SortStableFunc(f.blocks, func(a, b kuduwire.BlockRecord) int { return cmp.Compare(a.Off, b.Off) })
	at := int64(0)
	if n := len(f.blocks); n > 0 {
		at = max(0, f.blocks[n-1].Off)
	}
	f.src, err = keys.open(src, nil, o.Name, 0, at)
	return f, err
}

func (f *containerFile) count() string { return count(int64(len(f.blocks)), "block") }

// Info implements arrowio.File.
func (f *containerFile) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	info := &arrowio.Info{
		Format: Name, Rows: arrowio.UnknownRows, Bytes: f.src.Size(), Schema: f.Schema(),
		Facts: []arrowio.Fact{{Name: "what it is", Value: whatContainer}, {Name: "blocks", Value: fmt.Sprint(len(f.blocks))}},
		Notes: []string{errHowToRead.Error() + "; arrowio dump lists the blocks"},
	}
	for _, x := range f.faults() {
		info.Notes = append(info.Notes, "! "+x.Error())
	}
	return info, nil
}

// faults says what is wrong with the records.
func (f *containerFile) faults() (faults []error) {
	d := &f.damage
	if d.Head != nil {
		faults = append(faults, d.Head)
	}
	if d.Skipped > 0 {
		faults = append(faults, d.Err)
	}
	if d.Cut {
		faults = append(faults, corrupt("the records behind a damaged one cannot be found, so blocks may be missing here"))
	}
	for i := range f.blocks {
		if b := &f.blocks[i]; b.Off < 0 {
			faults = append(faults, blockError(b.ID, "the records do not say where it is, or say it twice"))
		}
	}
	return faults
}

// section is the part of the file that a block is.
func (f *containerFile) section(b *kuduwire.BlockRecord) (*io.SectionReader, error) {
	if b.Length > f.src.Size()-b.Off {
		return nil, blockError(b.ID, "it has %d bytes at %d, and the file ends at %d", b.Length, b.Off, f.src.Size())
	}
	return io.NewSectionReader(f.src, b.Off, b.Length), nil
}

// Verify implements arrowio.Verifier: it checks each block as the CFile that it is. What tables make of them is not checked.
func (f *containerFile) Verify(ctx context.Context, report func(error)) error {
	for _, err := range f.faults() {
		report(err)
	}
	for i := range f.blocks {
		b := &f.blocks[i]
		if b.Off < 0 {
			continue
		}
		tell := func(err error) { report(inPlace(err, "block "+kuduwire.BlockName(b.ID))) }
		src, err := f.section(b)
		if err == nil {
			var r *cfile.Reader
			if r, err = cfile.OpenReader(ctx, src, f.limits); err == nil {
				err = r.Check(ctx, cfile.CheckOptions{}, tell)
			}
		}
		var e *errs.Error
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !errors.As(err, &e):
			return err
		case err != nil:
			tell(err)
		}
	}
	return nil
}

// Dump implements arrowio.Dumper: it lists the blocks with their places. What is in them dump shows of each (--kudu-block).
func (f *containerFile) Dump(ctx context.Context, w io.Writer) error {
	d := annotate.New(w, f.src, f.src.Size())
	d.Note("%s", whatContainer)
	d.Section("blocks")
	for i := range f.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if b := &f.blocks[i]; b.Off >= 0 {
			d.Range(b.Off, b.Length, "block %s: %s", kuduwire.BlockName(b.ID), f.holds(ctx, b))
		}
	}
	d.End()
	for _, x := range f.faults() {
		d.Note("! %s", x)
	}
	if f.damage.Torn {
		d.Note("the last record is torn, which an abrupt stop of the server explains")
	}
	d.Note("%v", errHowToRead)
	return d.Close()
}

// holds says what is in a block.
func (f *containerFile) holds(ctx context.Context, b *kuduwire.BlockRecord) string {
	src, err := f.section(b)
	if err != nil {
		return "! not whole"
	}
	r, err := cfile.OpenReader(ctx, src, f.limits)
	if err != nil {
		return "! " + innermost(err)
	}
	return blockKind(r)
}
