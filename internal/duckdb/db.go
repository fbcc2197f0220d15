//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

// #include <stdlib.h>
// #include "bridge.h"
// #include "planlimit.h"
import "C"

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/cgo"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// DB is a database in memory. One query at a time runs in it. One that is Guarded and of no session takes one statement, which may be
// described first, any number of times.
type DB struct {
	o      Options
	db     C.duckdb_database
	main   C.duckdb_connection // of statements
	side   C.duckdb_connection // of conversions, which must not wait for a statement
	handle cgo.Handle
	limit  *C.struct_planlimit // of what plans

	extremes extremes // of values from tables

	defined   bool  // the views that a statement may name are made; but for sessions, all statements are the same one
	undefined error // why one cannot be

	begun  bool   // by the client of a session: its transaction has not ended
	around string // SQL of the views of a session

	mu      sync.Mutex
	current *query
}

// Version is DuckDB's.
func Version() string { return C.GoString(C.duckdb_library_version()) }

// Open makes a database. It reads and writes no file of its own but in o.TempDir, and loads no extension.
func Open(o Options) (*DB, error) {
	if o.TempDir != "" { // names of DuckDB's files are the same in all databases, so each has a directory that no other can know
		o.TempDir = filepath.Join(o.TempDir, "db-"+rand.Text())
	}
	settings := [][2]string{
		{"temp_directory", o.TempDir},
		{"autoinstall_known_extensions", "false"},
		{"autoload_known_extensions", "false"},
		{"allow_community_extensions", "false"},
	}
	if o.Guarded {
		// Otherwise errors and settings would tell of the directories of this process's user.
		settings = append(settings, [2]string{"extension_directory", "/nonexistent"}, [2]string{"secret_directory", "/nonexistent"})
	}
	if o.Threads > 0 {
		settings = append(settings, [2]string{"threads", strconv.Itoa(o.Threads)})
	}
	if o.Memory > 0 {
		settings = append(settings, [2]string{"memory_limit", strconv.FormatInt(o.Memory, 10) + "B"})
	}
	var config C.duckdb_config
	if C.duckdb_create_config(&config) != 0 {
		return nil, errors.New("duckdb: out of memory")
	}
	defer C.duckdb_destroy_config(&config)
	for _, s := range settings {
		if err := set(config, s[0], s[1]); err != nil {
			return nil, err
		}
	}
	d := &DB{o: o}
	var text *C.char
	if C.duckdb_open_ext(nil, &d.db, config, &text) != 0 {
		defer C.duckdb_free(unsafe.Pointer(text))
		return nil, fmt.Errorf("duckdb: %s", C.GoString(text))
	}
	d.handle = cgo.NewHandle(d)
	d.limit = C.planlimit_new(C.int64_t(d.planBytes()))
	if C.duckdb_connect(d.db, &d.main) != 0 || C.duckdb_connect(d.db, &d.side) != 0 {
		d.Close()
		return nil, errors.New("duckdb: no connection")
	}
	if err := d.register(); err != nil {
		d.Close()
		return nil, err
	}
	if o.Guarded {
		if err := d.boundProcess(); err != nil {
			d.Close()
			return nil, err
		}
	}
	for _, sql := range slices.Concat(o.enclosed(), o.named(), setUp, o.guards()) {
		if err := d.run(sql); err != nil {
			d.Close()
			return nil, err
		}
	}
	return d, nil
}

// setUp makes instants UTC, and has DuckDB find this table function where it would read a file itself: it looks at the
// endings of names before it asks.
var setUp = []string{
	"SET TimeZone = 'UTC'",
	"CREATE MACRO read_csv_auto(path) AS TABLE SELECT * FROM arrowio(path)",
	"CREATE MACRO parquet_scan(path) AS TABLE SELECT * FROM arrowio(path)",
	"CREATE MACRO read_json_auto(path) AS TABLE SELECT * FROM arrowio(path)",
}

// enclosed ends access to files but for what does not fit into memory, whose directory is like others otherwise.
func (o *Options) enclosed() (out []string) {
	if o.TempDir != "" {
		out = append(out, "SET allowed_directories = ["+quote(o.TempDir)+"]")
	}
	if o.TempMax > 0 { // as an option of the database it is shown, and not heeded
		out = append(out, "SET max_temp_directory_size = '"+strconv.FormatInt(o.TempMax, 10)+"B'")
	}
	return append(out, "SET enable_external_access = false")
}

// guards are the statements that come last of all before those of strangers.
func (o *Options) guards() (out []string) {
	if !o.Guarded {
		return nil
	}
	// Reading a plan needs one setting; that it can be changed does no harm.
	allowed := []string{"disabled_optimizers"}
	if o.Session {
		allowed = append(allowed, Settable...)
	}
	return append(out, "SET allowed_configs = ['"+strings.Join(allowed, "', '")+"']", "SET lock_configuration = true")
}

// named has the database called o.Catalog.
func (o *Options) named() []string {
	if o.Catalog == "" {
		return nil
	}
	name := quoteName(o.Catalog)
	return []string{"ATTACH ':memory:' AS " + name, "USE " + name}
}

func set(config C.duckdb_config, name, value string) error {
	n, v := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(v))
	if C.duckdb_set_config(config, n, v) != 0 {
		return fmt.Errorf("duckdb: no setting %s = %q", name, value)
	}
	return nil
}

func (d *DB) register() error {
	names := (**C.char)(C.calloc(C.size_t(len(d.o.Names)+1), C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(names))
	list := unsafe.Slice(names, len(d.o.Names))
	for i, n := range d.o.Names {
		list[i] = C.CString(n)
		defer C.free(unsafe.Pointer(list[i]))
	}
	if C.bridge_register(d.db, d.main, C.uint64_t(d.handle), names, C.size_t(len(list))) != 0 {
		return errors.New("duckdb: the table function cannot be registered")
	}
	return nil
}

// Close closes the database; its query must be closed before.
func (d *DB) Close() {
	if d.side != nil {
		C.duckdb_disconnect(&d.side)
	}
	if d.main != nil {
		C.duckdb_disconnect(&d.main)
	}
	C.duckdb_close(&d.db)
	d.handle.Delete()
	C.planlimit_free(d.limit)
	if d.o.TempDir != "" { // DuckDB has, unless something went wrong
		_ = os.RemoveAll(d.o.TempDir)
	}
}

// run executes a statement and discards its result.
func (d *DB) run(sql string) error {
	_, err := d.text(sql)
	return err
}

// text executes a statement and returns the first value of its result.
func (d *DB) text(sql string) (string, error) {
	return d.value(sql, func(s *C.char, res *C.duckdb_result) C.duckdb_state { return C.duckdb_query(d.main, s, res) })
}

// planned is text for a statement that plans what a client has sent.
func (d *DB) planned(sql string) (string, error) {
	return d.value(sql, func(s *C.char, res *C.duckdb_result) C.duckdb_state {
		return C.planlimit_query(d.limit, d.main, s, res)
	})
}

func (d *DB) value(sql string, ask func(s *C.char, res *C.duckdb_result) C.duckdb_state) (string, error) {
	s := C.CString(sql)
	defer C.free(unsafe.Pointer(s))
	res := (*C.duckdb_result)(C.calloc(1, C.sizeof_duckdb_result))
	defer C.free(unsafe.Pointer(res))
	defer C.duckdb_destroy_result(res)
	if ask(s, res) != 0 {
		return "", failure(C.GoString(C.duckdb_result_error(res)), int(C.duckdb_result_error_type(res)))
	}
	v := C.duckdb_value_varchar(res, 0, 0)
	defer C.duckdb_free(unsafe.Pointer(v))
	if v == nil {
		return "", nil
	}
	return C.GoString(v), nil
}

// Types of errors, of duckdb_error_type.
const (
	errorNotSupported  = 11
	errorCatalog       = 13
	errorParser        = 14
	errorPlanner       = 15
	errorSyntax        = 22
	errorSettings      = 23
	errorBinder        = 24
	errorFatal         = 30
	errorInternal      = 31
	errorOutOfMemory   = 33
	errorPermission    = 34
	errorNotResolved   = 35
	errorNotAllowed    = 36
	errorDependency    = 37
	errorConfiguration = 42
)

// failure sorts an error of DuckDB's: a statement that is wrong is the caller's option.
func failure(text string, kind int) error {
	k := errs.ErrSchema // a value that a statement cannot take
	switch kind {
	case errorCatalog, errorParser, errorPlanner, errorSyntax, errorSettings, errorBinder, errorPermission, errorNotResolved,
		errorNotAllowed, errorDependency, errorConfiguration:
		k = errs.ErrOption
	case errorNotSupported:
		k = errs.ErrUnsupported
	case errorOutOfMemory:
		k, text = errs.ErrLimit, withoutAdvice(text)
	case errorFatal, errorInternal:
		k = errs.ErrInternal
	}
	return errs.Errorf(k, "sql: %s", oneLine(text))
}

// withoutAdvice leaves out which of DuckDB's settings give more memory: they are options here.
func withoutAdvice(text string) string {
	for _, advice := range []string{"Possible solutions:", "This limit was set by", "\nDatabase is launched in in-memory mode"} {
		text, _, _ = strings.Cut(text, advice)
	}
	return strings.TrimRight(text, " \n.")
}

// oneLine leaves out the quotation of the statement that DuckDB's texts end with.
func oneLine(text string) string {
	text, _, _ = strings.Cut(text, "\n\nLINE ")
	return strings.Join(strings.Fields(text), " ")
}
