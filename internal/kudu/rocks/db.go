package rocks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// Entry is an entry of the default column family. Of several of one key that with the greatest Seq counts.
type Entry struct {
	Key, Value []byte // valid during the call
	Seq        uint64
	Deleted    bool
}

// Damage is what is wrong with a database. What could be read of it has been.
type Damage struct {
	Lost []error // what could not be read
	// Guessed is why it is not known which files are in use. All are read then: none is missing, and keys that were deleted may be
	// there again. nil = it is known.
	Guessed error
	Torn    string // the write-ahead log that its writer did not finish, which is no damage; "" = none
}

// Read calls take with all entries of the database in a directory, in no order. An error is one of reading, of a limit, of what this
// package does not know, or of take.
func Read(ctx context.Context, dir string, limits errs.Limits, take func(Entry) error) (*Damage, error) {
	d := &db{ctx: ctx, dir: dir, limit: limits.WithDefaults().BlockBytes, take: take, damage: &Damage{}}
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	v, err := d.manifest()
	if err == nil {
		err = v.check(names)
	}
	switch {
	case errors.Is(err, errs.ErrCorrupt) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, io.ErrUnexpectedEOF):
		d.damage.Guessed = fmt.Errorf("%s: %w", dir, err)
		v = nil
	case err != nil:
		return nil, err
	}
	var logs []uint64
	for _, e := range names {
		base, suffix, _ := strings.Cut(e.Name(), ".")
		number, err := strconv.ParseUint(base, 10, 64)
		switch {
		case err != nil:
		case suffix == "sst" && v == nil:
			if err := d.table(number); err != nil {
				return nil, err
			}
		case suffix == "log" && (v == nil || number >= v.log):
			logs = append(logs, number)
		}
	}
	if v != nil {
		for _, number := range slices.Sorted(maps.Keys(v.tables)) {
			if !v.tables[number] {
				continue
			}
			if err := d.table(number); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(logs)
	for _, number := range logs {
		if err := d.log(number); err != nil {
			return nil, err
		}
	}
	return d.damage, nil
}

// db is a database being read.
type db struct {
	ctx    context.Context
	dir    string
	limit  int64
	take   func(Entry) error
	damage *Damage
}

// lose notes what cannot be read of a file.
func (d *db) lose(name string, err error) {
	d.damage.Lost = append(d.damage.Lost, fmt.Errorf("%s: %w", filepath.Join(d.dir, name), err))
}

// orLose notes that a file is damaged or not there, and returns other errors.
func (d *db) orLose(name string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, errs.ErrCorrupt) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, io.ErrUnexpectedEOF) {
		d.lose(name, err)
		return nil
	}
	return errs.Locate(err, errs.At{File: filepath.Join(d.dir, name)})
}

// table reads a table.
func (d *db) table(number uint64) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	name := fmt.Sprintf("%06d.sst", number)
	f, err := local.OpenFile(filepath.Join(d.dir, name))
	if err != nil {
		return d.orLose(name, err)
	}
	t := table{src: f, limit: d.limit}
	err = t.read(d.take, func(err error) { d.lose(name, err) })
	return errors.Join(d.orLose(name, err), f.Close())
}

// log reads a write-ahead log. Behind damage nothing of it is read.
func (d *db) log(number uint64) error {
	name := fmt.Sprintf("%06d.log", number)
	f, err := local.OpenFile(filepath.Join(d.dir, name))
	if err != nil {
		return d.orLose(name, err)
	}
	r := logReader{src: f, limit: d.limit}
	for err == nil {
		var rec []byte
		if rec, err = r.next(); err == nil {
			err = batch(rec, d.take)
		}
		if err == nil {
			err = d.ctx.Err()
		}
	}
	switch {
	case err == io.EOF:
		err = nil
	case errors.Is(err, errTorn):
		d.damage.Torn, err = name, nil
	}
	return errors.Join(d.orLose(name, err), f.Close())
}

// version is what the manifest says of the default column family.
type version struct {
	name   string
	edits  int             // that were read
	tables map[uint64]bool // those in use, and false for those that were
	log    uint64          // entries of logs with smaller numbers are in tables
}

// manifest reads which tables are in use.
func (d *db) manifest() (*version, error) {
	current, err := os.ReadFile(filepath.Join(d.dir, "CURRENT"))
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(string(current), "\n")
	if !strings.HasPrefix(name, "MANIFEST-") || filepath.Base(name) != name {
		return nil, corrupt("CURRENT names %.64q, which is no manifest", name)
	}
	f, err := local.OpenFile(filepath.Join(d.dir, name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	r := logReader{src: f, limit: d.limit}
	v := &version{name: name, tables: map[uint64]bool{}}
	for {
		rec, err := r.next()
		switch {
		case err == io.EOF || errors.Is(err, errTorn):
			return v, nil // an edit that was not finished has not happened
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := v.edit(rec); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		v.edits++
	}
}

// check compares what the manifest says with the files that are there: what is behind the end of one that was cut off, or ends in zeros, is
// not known.
func (v *version) check(names []os.DirEntry) error {
	if v.edits == 0 {
		return corrupt("%s has nothing in it, or is all zeros", v.name)
	}
	for _, e := range names {
		number, ok := tableNumber(e.Name())
		if _, known := v.tables[number]; ok && !known {
			return corrupt("%s does not tell of %s: its end is missing, or RocksDB was stopped while it wrote that file", v.name, e.Name())
		}
	}
	return nil
}

// tableNumber returns the number in the name of a table; false = it is no table.
func tableNumber(name string) (uint64, bool) {
	base, isTable := strings.CutSuffix(name, ".sst")
	number, err := strconv.ParseUint(base, 10, 64)
	return number, isTable && err == nil
}

// Fields of an edit.
const (
	editComparator   = 1
	editLog          = 2
	editNextFile     = 3
	editLastSeq      = 4
	editPointer      = 5
	editDeletedTable = 6
	editPreviousLog  = 9
	editMinLog       = 10
	editTable2       = 100
	editTable3       = 102
	editTable4       = 103
	editFamily       = 200
	editAddFamily    = 201
	editDropFamily   = 202
	editMaxFamily    = 203
	editGroup        = 300
	editIgnored      = 1 << 13 // this bit is set of fields that a reader need not know
)

// Fields of a table in an edit.
const (
	tableEnd     = 1
	tablePath    = 65
	tableUnknown = 1 << 6 // this bit is set of fields that a reader must know
)

// edit applies an edit.
func (v *version) edit(b []byte) error {
	s := scanner{b: b}
	family := uint64(0)
	log := uint64(0)
	var added, deleted []uint64
	for len(s.b) > 0 {
		switch tag := s.varint(); tag {
		case editComparator, editAddFamily:
			s.text()
		case editLog:
			log = s.varint()
		case editNextFile, editLastSeq, editPreviousLog, editMinLog, editMaxFamily, editGroup:
			s.varint()
		case editPointer:
			s.varint()
			s.text()
		case editDeletedTable:
			s.varint()
			deleted = append(deleted, s.varint())
		case editTable2, editTable3, editTable4:
			number, err := s.table(tag)
			if err != nil {
				return err
			}
			added = append(added, number)
		case editFamily:
			family = s.varint()
		case editDropFamily:
		default:
			if tag&editIgnored == 0 {
				return unsupported("field %d of an edit", tag)
			}
			s.text()
		}
	}
	switch {
	case s.bad:
		return corrupt("an edit is cut short")
	case family != 0:
		return nil
	}
	for _, number := range deleted {
		v.tables[number] = false
	}
	for _, number := range added {
		v.tables[number] = true
	}
	v.log = max(v.log, log)
	return nil
}

// table reads the number of a table that an edit adds, and passes over the rest.
func (s *scanner) table(form uint64) (uint64, error) {
	s.varint() // level
	number := s.varint()
	if form == editTable3 {
		if s.varint() != 0 {
			return 0, unsupported("tables in other directories (db_paths)")
		}
	}
	s.varint() // size
	s.text()   // least key
	s.text()   // greatest key
	s.varint() // least sequence number
	s.varint() // greatest sequence number
	for form == editTable4 && !s.bad {
		tag := s.varint()
		if tag == tableEnd {
			break
		}
		value := s.text()
		switch {
		case tag == tablePath && len(value) == 1 && value[0] == 0:
		case tag == tablePath:
			return 0, unsupported("tables in other directories (db_paths)")
		case tag&tableUnknown != 0:
			return 0, unsupported("field %d of a table", tag)
		}
	}
	return number, nil
}
