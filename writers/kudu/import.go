package kudu

import (
	"context"
	"errors"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// format is what errors of this package say they are about.
const format = "kudu"

// ImportOptions says which set to add to which tablet.
type ImportOptions struct {
	Set      string   // the directory with schema.json
	Wal      string   // --fs_wal_dir of the server
	Metadata string   // --fs_metadata_dir; "" = where Kudu looks by default
	Data     []string // --fs_data_dirs, all of them; none = Wal, and its sibling `data`, whichever are this server's
	Tablet   string   // id
	Force    bool     // go on in spite of doubts, see ImportReport.Doubts
	DryRun   bool     // change nothing
	Limits   arrowio.Limits
	// Progress is called now and then with how much of the work is done, in bytes, by one goroutine at a time; nil = not
	// reported.
	Progress func(done, total int64)

	ops operations // for tests
}

// ImportReport says what an import has done, or what it would do after a dry run.
type ImportReport struct {
	Done         bool             `json:"done"` // the rows are in the tablet
	DryRun       bool             `json:"dry_run"`
	Server       string           `json:"server"` // uuid
	BlockManager string           `json:"block_manager"`
	Table        string           `json:"table"`
	Tablet       string           `json:"tablet"`
	Rows         int64            `json:"rows"`
	Bytes        int64            `json:"bytes"`
	RowSets      []ImportedRowSet `json:"rowsets"`
	Filled       []FilledColumn   `json:"filled"` // columns of the table that the set lacks
	Superblock   string           `json:"superblock"`
	Backup       string           `json:"backup"` // path of a copy of the old superblock; "" = not written
	Doubts       []string         `json:"doubts"` // doubts that Force has overruled, or would have to overrule
	Notes        []string         `json:"notes"`  // what the operator should know
}

// ImportedRowSet is a rowset that is added to the tablet.
type ImportedRowSet struct {
	ID     int64           `json:"id"`
	Rows   int64           `json:"rows"`
	Bytes  int64           `json:"bytes"`
	MinKey string          `json:"min_key"`
	MaxKey string          `json:"max_key"`
	Blocks []ImportedBlock `json:"blocks"`
}

// ImportedBlock is a file of the set and the block that it becomes.
type ImportedBlock struct {
	ID     string `json:"id"`
	What   string `json:"what"` // "column a", "key index", "bloom filters"
	From   string `json:"from"`
	Bytes  int64  `json:"bytes"`
	Path   string `json:"path"` // only the directory if the container does not exist yet
	Offset int64  `json:"offset"`

	id uint64
}

// FilledColumn is a column of the table that the set lacks.
type FilledColumn struct {
	Name string `json:"name"`
	With string `json:"with"` // the value of its rows: "null", or the default
}

// Import adds all rowsets of a set to a tablet of a server that is not running, and holds the server's own locks meanwhile. It
// checks everything first. It refuses what Kudu would not accept: rows whose keys the tablet already has, rows that belong to
// another tablet, columns that do not fit, and damaged files of the set or the server. It refuses what is only doubtful unless
// Force is set.
//
// After an error the tablet is unchanged, unless ImportReport.Done is set. The report includes the plan if Force would overrule
// the error, or if the error occurred after the plan was made.
//
// Errors that are not about the data have no errs.Kind: ErrRunning if the server is running, or errors of the operating system.
func Import(ctx context.Context, o ImportOptions) (*ImportReport, error) {
	im := &importer{ctx: ctx, ImportOptions: o}
	im.Limits = o.Limits.WithDefaults()
	err := im.run()
	for i := len(im.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, im.closers[i]())
	}
	return im.report, errs.Locate(err, errs.At{Format: format})
}

// importer is one import.
type importer struct {
	ImportOptions
	ctx     context.Context
	closers []func() error
	report  *ImportReport // nil until there is a plan
	doubts  []string
	notes   []string
	steps   progress

	dirs    *reader.Dirs
	blocks  *reader.Blocks
	tablet  *reader.Tablet
	tree    arrowio.Tree
	set     *kuduwire.Set
	rowsets []*setRowSet // those that have rows
	fits    []int32      // column ids of the table, by column of the set
	filled  []FilledColumn
	plan    plan
}

// doubt refuses, unless Force is set.
func (im *importer) doubt(format string, args ...any) {
	im.doubts = append(im.doubts, sentence(format, args...))
}

func (im *importer) note(format string, args ...any) {
	im.notes = append(im.notes, sentence(format, args...))
}

func (im *importer) run() error {
	steps := []func() error{
		im.openTarget, im.openSet, im.matchSchema, im.openFiles,
		im.sumFiles, im.verifySet, im.checkPartition, im.checkOverlap, im.makePlan,
	}
	for _, step := range steps {
		if err := im.ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	im.report = im.makeReport()
	if len(im.doubts) > 0 && !im.Force {
		return refuse("%s; --force goes on nevertheless", strings.Join(im.doubts, "; "))
	}
	if im.DryRun {
		return nil
	}
	return im.carryOut()
}
