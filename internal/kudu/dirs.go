package kudu

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Names that Kudu gives to what lies in a server's directories.
const (
	instanceName    = "instance"
	dirInstanceName = "block_manager_instance"
	dataName        = "data"
	walsName        = "wals"
	tabletMetaName  = "tablet-meta"
	consensusName   = "consensus-meta"
)

// DirOptions says where a server's directories are.
type DirOptions struct {
	Wal      string   // --fs_wal_dir, or the folder that has it under the name `wal`; "" = none, with Data
	Metadata string   // --fs_metadata_dir; "" = look in the other directories, as Kudu does
	Data     []string // --fs_data_dirs; none = Wal and its sibling `data`, whichever are this server's
	Salvage  bool     // leave out what cannot be read; Notes lists it
	FindWal  bool     // if Wal is a data directory, use the log directory of the same server next to it
	NoData   bool     // go on without data directories, with a note in Notes: for callers that need only the superblocks
	// DataLater is for callers that may not need blocks: if no data directory is found, NeedData returns the error, not OpenDirs.
	DataLater bool
	Key       string // the option kudu-encryption-key; "" = keys are found in instance files
	ForImport bool   // refuse what cannot be written: encrypted directories, and records in RocksDB
	Limits    arrowio.Limits
}

// Dirs are the directories of a tablet server, or of a master, which keeps its catalog in the same way.
type Dirs struct {
	UUID     string    // of the server; "" = no instance file says it
	Wal      string    // the directory with `wals`; "" = there is none
	Metadata string    // the directory with `tablet-meta` and `consensus-meta`; "" = there is none
	Data     []DataDir // readable ones, in the order given
	Missing  []string  // uuids of data directories that the server has and that are not among Data

	lim     arrowio.Limits
	salvage bool
	noData  bool
	later   bool  // see DirOptions.DataLater
	noneErr error // why there is no data directory; nil = there is one, or it was not looked for
	notes   []string
	gone    []string // those doubts that are about directories that are not there
	doubts  []string // those notes that mean that something may be missing
	claimed []string // directories whose instance files were looked at
	first   string   // the one that UUID is from
	keys    keyring

	forImport bool

	mu   sync.Mutex
	bare []string // files that a salvage reads though what describes their messages is damaged
}

// DataDir is a data directory.
type DataDir struct {
	Root     string   // where the instance file is
	Path     string   // where the blocks are: Root/data
	UUID     string   // of the directory; "" = no instance file says it
	Type     string   // kuduwire.DirFile, kuduwire.DirLog or kuduwire.DirRocks
	AllUUIDs []string // ids of the server's data directories, as this one lists them
	// BlockSize is the block size of the file system in bytes, to which blocks in containers are aligned; 0 = no instance file
	// says it.
	BlockSize int64
}

// OpenDirs finds a server's directories and reads their instance files. Directories of different servers, data directories that
// do not belong together, and encrypted directories whose key is not known are always errors. A directory that cannot be read is an error, or left out
// if Salvage is set. A missing data directory is only a note, since tablets without blocks there are complete.
func OpenDirs(o DirOptions) (*Dirs, error) {
	d := &Dirs{lim: o.Limits.WithDefaults(), salvage: o.Salvage, noData: o.NoData, later: o.DataLater, forImport: o.ForImport}
	if err := d.keys.give(o.Key); err != nil {
		return nil, err
	}
	root := ""
	if o.Wal != "" {
		var err error
		if root, err = serverRoot(o.Wal); err != nil {
			return nil, err
		}
		if of, ok := d.besideData(root); ok && o.FindWal {
			d.note("%s is a data directory; the write-ahead logs and superblocks of its server are in %s", root, of)
			root = of
		}
		if err := d.claim(root); err != nil {
			return nil, err
		}
		if isDir(filepath.Join(root, walsName)) {
			d.Wal = root
		}
	}
	switch {
	case len(o.Data) > 0:
		for _, path := range o.Data {
			if err := d.addData(path); err != nil {
				return nil, err
			}
		}
	case root == "":
		return nil, errs.Errorf(errs.ErrOption, "kudu: no directory to read")
	default:
		if err := d.findData(root); err != nil {
			return nil, err
		}
	}
	if err := d.compareData(); err != nil {
		return nil, err
	}
	if err := d.findMetadata(o.Metadata, root); err != nil {
		return nil, err
	}
	if o.ForImport && d.keys.instance != "" {
		return nil, errs.Errorf(errs.ErrUnsupported, "kudu: %s: the server's files are encrypted (--encrypt_data_at_rest), and what is written to them would have to be: load the rows with a client of Kudu", d.keys.instance)
	}
	if err := d.proveKeys(); err != nil {
		return nil, err
	}
	if o.Wal != "" && d.Wal == "" {
		d.doubt("no %s in %s: rows that were only in memory and in the write-ahead log are not there", walsName, root)
		d.gone = append(d.gone, d.doubts[len(d.doubts)-1])
	}
	return d, nil
}

// Notes returns facts about the directories that a user should know, but that are no errors.
func (d *Dirs) Notes() []string { return slices.Clone(d.notes) }

// Doubts returns those of the Notes that say that something is missing, or could not be checked.
func (d *Dirs) Doubts() []string { return slices.Clone(d.doubts) }

func (d *Dirs) doubt(format string, args ...any) {
	d.note(format, args...)
	d.doubts = append(d.doubts, d.notes[len(d.notes)-1])
}

func (d *Dirs) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// orNote notes err where there is something to salvage, and returns it otherwise.
func (d *Dirs) orNote(err error) error {
	if err == nil || !d.salvage || errors.Is(err, errs.ErrUnsupported) || isDenied(err) {
		return err
	}
	d.doubt("left out: %v", err)
	return nil
}

// pass returns the error of reading the file of messages at path, nil where a salvage goes on: see Bare.
func (d *Dirs) pass(err error, path string) error {
	if err == nil || !d.salvage || !errors.Is(err, kuduwire.ErrDescription) {
		return inFile(err, path)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(d.bare, path) {
		d.bare = append(d.bare, path)
	}
	return nil
}

// Bare says of each file that a salvage has read so far, though what describes its messages is damaged, that it is so.
func (d *Dirs) Bare() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, path := range d.bare {
		out = append(out, bareText(path))
	}
	return out
}

func bareText(path string) string {
	return fmt.Sprintf("%s: the record that describes the fields of the others is damaged; the others have checksums of their own, which are right, and are read", path)
}

// serverRoot finds the directory of a server at path or in its folder `wal`.
func serverRoot(path string) (string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !fi.IsDir() {
		return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("is not a directory")}
	}
	for _, root := range []string{path, filepath.Join(path, "wal")} {
		for _, name := range []string{walsName, tabletMetaName, instanceName} {
			if _, err := os.Stat(filepath.Join(root, name)); err == nil {
				return root, nil
			} else if !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
	}
	return "", errs.Errorf(errs.ErrOption, "kudu: %s has no %s, %s or %s: it is not the directory of a server",
		path, walsName, tabletMetaName, instanceName)
}

// claim reads the instance file of a server's directory and compares it with those before.
func (d *Dirs) claim(root string) error {
	if slices.Contains(d.claimed, root) {
		return nil
	}
	d.claimed = append(d.claimed, root)
	path := filepath.Join(root, instanceName)
	b, err := readSmall(path, d.lim.MetadataBytes)
	var i *kuduwire.Instance
	if err == nil {
		i, err = kuduwire.ParseInstance(b, d.lim)
		err = d.pass(err, path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		d.doubt("%s is not there: nothing proves whose directory this is", path)
		return nil
	}
	if err != nil {
		return d.orNote(err)
	}
	d.keys.add(i, path)
	if d.UUID != "" && d.UUID != i.UUID {
		return errs.Errorf(errs.ErrOption, "kudu: directories of different servers: %s is of %s, %s of %s",
			d.first, d.UUID, root, i.UUID)
	}
	if d.UUID == "" {
		d.UUID, d.first = i.UUID, root
	}
	return nil
}

// findMetadata finds the superblocks: where the option says, else in the directory of the write-ahead log or, as up to
// Kudu 1.6, in a data directory.
func (d *Dirs) findMetadata(option, root string) error {
	if option != "" {
		if !isDir(filepath.Join(option, tabletMetaName)) {
			return errs.Errorf(errs.ErrOption, "kudu: the metadata directory %s has no %s", option, tabletMetaName)
		}
		d.Metadata = option
		return d.claim(option)
	}
	roots := []string{}
	if root != "" {
		roots = append(roots, root)
	}
	for i := range d.Data {
		if !slices.Contains(roots, d.Data[i].Root) {
			roots = append(roots, d.Data[i].Root)
		}
	}
	empty := true
	for _, r := range roots {
		names, err := os.ReadDir(filepath.Join(r, tabletMetaName))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			if err := d.orNote(err); err != nil {
				return err
			}
			continue
		case d.Metadata == "" || empty && len(names) > 0:
			d.Metadata, empty = r, len(names) == 0
		case len(names) > 0:
			return errs.Errorf(errs.ErrOption, "kudu: superblocks in %s and in %s: name the metadata directory (--fs_metadata_dir of the server)", d.Metadata, r)
		}
	}
	if d.Metadata == "" {
		d.note("no %s: without superblocks it is not known which tablet a block belongs to", tabletMetaName)
	}
	return nil
}

// Tablets returns the ids of the tablets that have a superblock, sorted.
func (d *Dirs) Tablets() ([]string, error) {
	if d.Metadata == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(filepath.Join(d.Metadata, tabletMetaName))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries { // in the order of names
		if isTabletID(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// isTabletID reports whether a file name is the id of a tablet: 32 hex digits.
func isTabletID(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}

// SuperBlock reads the superblock of a tablet. Where only what describes the file's messages is damaged, the error wraps
// kuduwire.ErrDescription, and the superblock is returned, too; to salvage, there is no error. That of another server is an error.
func (d *Dirs) SuperBlock(tablet string) (*kuduwire.SuperBlock, error) {
	s, err := d.anySuperBlock(tablet)
	if s != nil {
		if err := d.checkOwner(s); err != nil {
			return nil, inFile(err, d.SuperBlockPath(tablet))
		}
	}
	return s, err
}

// anySuperBlock is SuperBlock for callers that read no blocks: it may be of another server.
func (d *Dirs) anySuperBlock(tablet string) (*kuduwire.SuperBlock, error) {
	path, b, err := d.tabletFile(tabletMetaName, tablet)
	if err != nil {
		return nil, err
	}
	s, err := kuduwire.ParseSuperBlock(b, d.lim)
	if s == nil {
		return nil, inFile(err, path)
	}
	if s.TabletID != tablet {
		return nil, errs.Errorf(errs.ErrCorrupt, "kudu: %s is the superblock of tablet %q", path, s.TabletID)
	}
	return s, d.pass(err, path)
}

// SuperBlockPath returns where the superblock of a tablet is; there must be a metadata directory.
func (d *Dirs) SuperBlockPath(tablet string) string {
	return filepath.Join(d.Metadata, tabletMetaName, tablet)
}

// Voters returns the uuids of the servers that vote in a tablet, and whether the server of these directories is the only one. The
// error wraps fs.ErrNotExist if the tablet has no consensus metadata.
func (d *Dirs) Voters(tablet string) (uuids []string, alone bool, err error) {
	c, err := d.consensus(tablet)
	if err != nil {
		return nil, false, err
	}
	return c.Voters(), c.SoleVoter(d.UUID), nil
}

// consensus reads the consensus metadata of a tablet.
func (d *Dirs) consensus(tablet string) (*kuduwire.Consensus, error) {
	path, b, err := d.tabletFile(consensusName, tablet)
	if err != nil {
		return nil, err
	}
	c, err := kuduwire.ParseConsensus(b, d.lim)
	return c, d.pass(err, path)
}

func (d *Dirs) tabletFile(folder, tablet string) (string, []byte, error) {
	if !isTabletID(tablet) {
		return "", nil, errs.Errorf(errs.ErrOption, "kudu: %q is not a tablet's id, which has 32 hex digits", tablet)
	}
	if d.Metadata == "" {
		return "", nil, errs.Errorf(errs.ErrOption, "kudu: no metadata directory: %s of tablet %s: %w", folder, tablet, fs.ErrNotExist)
	}
	path := filepath.Join(d.Metadata, folder, tablet)
	b, err := d.readSmall(path, d.lim.MetadataBytes, nil)
	return path, b, err
}

// LogDir returns where the write-ahead log of a tablet is, whether or not there is one; "" without a directory of logs.
func (d *Dirs) LogDir(tablet string) string {
	if d.Wal == "" || !isTabletID(tablet) {
		return ""
	}
	return filepath.Join(d.Wal, walsName, tablet)
}

// Absent returns the uuids, of those of a tablet's data directories, whose directories were not found.
func (d *Dirs) Absent(uuids []string) []string {
	var missing []string
	for _, uuid := range uuids {
		if !slices.ContainsFunc(d.Data, func(dir DataDir) bool { return dir.UUID == uuid }) {
			missing = append(missing, uuid)
		}
	}
	return missing
}

// unknown counts the data directories whose uuids cannot be read.
func (d *Dirs) unknown() (n int) {
	for i := range d.Data {
		if d.Data[i].UUID == "" {
			n++
		}
	}
	return n
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// readSmall reads a whole instance file, which is never encrypted.
func readSmall(path string, limit int64) ([]byte, error) {
	return (&Dirs{}).readSmall(path, limit, nil)
}

// readSmall reads a whole file of metadata into buf, or into a larger one.
func (d *Dirs) readSmall(path string, limit int64, buf []byte) ([]byte, error) {
	f, err := d.openFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return readSource(f, path, limit, buf)
}

// readSource is readSmall for a file that is open.
func readSource(f arrowio.Source, path string, limit int64, buf []byte) ([]byte, error) {
	n := f.Size()
	if n > limit {
		return nil, errs.Errorf(errs.ErrLimit, "kudu: %s: %d bytes, over the limit of %d (MetadataBytes)", path, n, limit)
	}
	buf = slices.Grow(buf[:0], int(n))[:n]
	if m, err := f.ReadAt(buf, 0); m < len(buf) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return buf, nil
}

// inFile says which of the many files an error is about.
func inFile(err error, path string) error {
	var e *errs.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Err = fmt.Errorf("%s: %w", path, e.Err)
	return &c
}
