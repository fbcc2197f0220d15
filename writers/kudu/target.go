package kudu

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// masterTablet is the id of the tablet in which a master keeps its catalog.
var masterTablet = strings.Repeat("0", 32)

// openTarget finds the server's directories, locks them, and reads what the tablet is. It refuses tablets that
// must not be changed.
func (im *importer) openTarget() error {
	switch {
	case im.Wal == "":
		return badOption("which server? --wal-dir names its directory of write-ahead logs")
	case im.Tablet == "":
		return badOption("into which tablet? --tablet names it by its id")
	case im.Tablet == masterTablet:
		return unsupported("tablet %s is the catalog of a master", im.Tablet)
	}
	var err error
	o := reader.DirOptions{Wal: im.Wal, Metadata: im.Metadata, Data: im.Data, ForImport: true, Limits: im.Limits}
	if im.dirs, err = reader.OpenDirs(o); err != nil {
		return err
	}
	if err := im.lock(); err != nil {
		return err
	}
	if err := im.checkDirs(); err != nil {
		return err
	}
	if im.blocks, err = reader.OpenBlocks(im.ctx, im.dirs); err != nil {
		return err
	}
	im.closers = append(im.closers, im.blocks.Close)
	if n := im.blocks.Unread(); n > 0 {
		im.doubt("some records of %s cannot be read, so not all block ids in use are known: %s", count(int64(n), "container"), strings.Join(im.blocks.Notes(), "; "))
	}
	super, err := im.superBlock()
	if err != nil {
		return err
	}
	if err := im.checkState(super); err != nil {
		return err
	}
	if err := im.checkReplicas(); err != nil {
		return err
	}
	if im.tablet, err = reader.OpenTablet(im.ctx, im.dirs, im.blocks, im.Tablet, im.Limits); err != nil {
		return err
	}
	for _, w := range im.tablet.Warnings() {
		im.doubt("%s", w)
	}
	if im.tablet.Segments == 0 {
		return refuse("the tablet has no write-ahead log in %s; Kudu does not open a tablet without one", im.dirs.LogDir(im.Tablet))
	}
	return nil
}

// lock takes the locks of all data directories. They are held until the import ends.
func (im *importer) lock() error {
	for i := range im.dirs.Data {
		d := &im.dirs.Data[i]
		if d.UUID == "" {
			return refuse("%s cannot be read; it holds the lock of the directory and says which server the directory belongs to", filepath.Join(d.Path, lockName))
		}
		f, err := lockDir(d.Path, im.DryRun)
		if err != nil {
			return err
		}
		im.closers = append(im.closers, f.Close)
	}
	return nil
}

// checkDirs checks that all directories of the server are there.
func (im *importer) checkDirs() error {
	d := im.dirs
	switch {
	case d.Wal == "":
		return badOption("%s has no write-ahead logs: --wal-dir names what --fs_wal_dir of the server does", im.Wal)
	case d.Metadata == "":
		return badOption("no superblocks in %s: --metadata-dir names what --fs_metadata_dir of the server does", im.Wal)
	case d.UUID == "" || len(d.Doubts()) > 0:
		return refuse("nothing proves that the directories belong together: %s", strings.Join(d.Doubts(), "; "))
	case len(d.Data) == 0:
		return badOption("no data directory: --data-dir names each of --fs_data_dirs of the server")
	}
	typ := d.Data[0].Type
	for i := range d.Data {
		if d.Data[i].Type != typ {
			return corrupt("%s is of the %s block manager, %s of the %s block manager", d.Data[0].Path, typ, d.Data[i].Path, d.Data[i].Type)
		}
		if typ == kuduwire.DirFile && !slices.Equal(d.Data[i].AllUUIDs, d.Data[0].AllUUIDs) {
			return refuse("%s and %s list the data directories differently, so Kudu would look for new blocks in the wrong directory", d.Data[0].Path, d.Data[i].Path)
		}
	}
	if len(d.Missing) == 0 {
		return nil
	}
	why := sentence("of the server's data directories %d are not among --data-dir (%s)", len(d.Missing), strings.Join(d.Missing, ", "))
	if typ == kuduwire.DirFile {
		return refuse("%s: the file block manager starts only with all of them", why)
	}
	im.doubt("%s: ids of blocks there are not known", why)
	return nil
}

// superBlock reads the tablet's superblock; without one it names the tablets that there are.
func (im *importer) superBlock() (*kuduwire.SuperBlock, error) {
	s, err := im.dirs.SuperBlock(im.Tablet)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	ids, listErr := im.dirs.Tablets()
	if listErr != nil {
		return nil, listErr
	}
	var names []string
	for _, id := range ids {
		if s, err := im.dirs.SuperBlock(id); err == nil && len(names) < 10 {
			names = append(names, id+" of "+s.TableName)
		}
	}
	if len(ids) > len(names) {
		names = append(names, "…")
	}
	return nil, badOption("the server has no tablet %s; it has %s", im.Tablet, strings.Join(names, ", "))
}

// checkState refuses tablets that are no ordinary ones in use.
func (im *importer) checkState(s *kuduwire.SuperBlock) error {
	switch {
	case s.State != kuduwire.TabletReady:
		return unsupported("tablet %s is %v, not ready: this server does not have its rows", im.Tablet, s.State)
	case s.TxnStatus:
		return unsupported("tablet %s keeps the states of transactions, not rows", im.Tablet)
	case s.TxnMetadata:
		return unsupported("tablet %s has taken part in transactions over several rows, which are not supported", im.Tablet)
	}
	if missing := im.dirs.Absent(s.DataDirs); len(missing) > 0 {
		return refuse("the tablet is spread over data directories that are not among --data-dir: %s", strings.Join(missing, ", "))
	}
	return nil
}

// checkReplicas wants this server to be the only one that has the tablet.
func (im *importer) checkReplicas() error {
	voters, alone, err := im.dirs.Voters(im.Tablet)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse("the tablet has no consensus metadata, which lists its replicas; Kudu does not open a tablet without it")
	}
	if err != nil || alone {
		return err
	}
	im.doubt("the tablet has replicas on several servers (%s): only the replica of this server would get the rows, and Kudu would not copy them to the others; "+
		"reduce the tablet to one replica first (kudu tablet change_config), and add replicas after the import", strings.Join(voters, ", "))
	return nil
}
