package orctable

import (
	"context"
	"math"
	"strconv"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// Options are the options of this package. The zero value is the default of each.
type Options struct {
	WriteIDs     string // HIGHEST:OPEN,…:ABORTED,…: reads as of this list of write ids; "" = everything
	Transactions string // HIGHEST:OPEN,…:ABORTED,…: what other transactions have compacted does not count; "" = everything counts
	RowIDs       bool   // adds row__id: struct<writeid: int64, bucketid: int32, rowid: int64>
	Events       bool   // shows the events of the chosen directories as they are stored, without applying them
	ByPosition   bool   // matches the columns of files by position, not by name
	DeleteEvents int    // maximal number of delete events of one partition; 0 = DefaultDeleteEvents
}

// DefaultDeleteEvents is the default of Options.DeleteEvents. So many events take up to 768 MiB of memory, and usually a third of
// that.
const DefaultDeleteEvents = 32 << 20

const (
	optionWriteIDs     = "orc-write-ids"
	optionTransactions = "orc-transactions"
)

// Format returns the ORC reader, of files and of directories that are tables. The options of orc.Format apply to both.
func Format() arrowio.Format {
	f := orc.Format()
	open := f.Open
	f.Options = append(f.Options,
		arrowio.Option{Name: optionWriteIDs, Usage: "read an ACID table as of a list of write ids: HIGHEST:OPEN,...:ABORTED,...", Default: "all are valid"},
		arrowio.Option{Name: optionTransactions, Usage: "leave out what other transactions than these have compacted in an ACID table: HIGHEST:OPEN,...:ABORTED,...", Default: "all are valid"},
		arrowio.Option{Name: "orc-row-ids", Usage: "add the row ids of an ACID table as column row__id", Default: "false", Values: []string{"true", "false"}},
		arrowio.Option{Name: "orc-acid", Usage: "show the rows of an ACID table, or the events that its directories hold", Default: "rows", Values: []string{"rows", "raw"}},
		arrowio.Option{Name: "orc-delete-events", Usage: "delete events of a partition that are held at once, of 8 to 24 bytes each", Default: strconv.Itoa(DefaultDeleteEvents)},
	)
	f.Open = func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
		if _, err := parseOptions(o.Options); err != nil {
			return nil, err
		}
		return open(ctx, src, o)
	}
	f.MatchTree = Match
	f.OpenTree = func(ctx context.Context, t arrowio.Tree, o arrowio.OpenOptions) (arrowio.File, error) {
		opt, err := parseOptions(o.Options)
		if err != nil {
			return nil, err
		}
		files, err := orc.ParseOptions(o.Options)
		if err != nil {
			return nil, err
		}
		if files.Salvage != "" {
			return nil, errs.Errorf(errs.ErrOption, "%w is for single files: the rows of a Hive ACID table depend on several; name the files that are damaged", errs.Opt("salvage", ""))
		}
		table, err := Open(ctx, t, o.Limits, opt, files)
		if err != nil {
			return nil, err // not a File that is a nil *Table
		}
		asked := table.askedMicroseconds(o)
		if len(asked) == 0 || files.Unit != nil {
			return table, nil
		}
		if err := table.Close(); err != nil {
			return nil, err
		}
		table, err = Open(ctx, t, o.Limits, opt, files.Under(o, asked))
		if err != nil {
			return nil, err
		}
		return table, nil
	}
	return f
}

func parseOptions(m map[string]string) (o Options, err error) {
	o.WriteIDs, o.Transactions, o.ByPosition = m[optionWriteIDs], m[optionTransactions], m["orc-by"] == "position"
	for _, name := range []string{optionWriteIDs, optionTransactions} {
		if _, err := parseWriteIDs(name, m[name]); err != nil {
			return o, err
		}
	}
	switch v := m["orc-row-ids"]; v {
	case "", "false":
	case "true":
		o.RowIDs = true
	default:
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes true or false", errs.Opt("orc-row-ids", ""), v)
	}
	switch v := m["orc-acid"]; v {
	case "", "rows":
	case "raw":
		o.Events = true
	default:
		return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes rows or raw", errs.Opt("orc-acid", ""), v)
	}
	if v := m["orc-delete-events"]; v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 || n >= math.MaxUint32 || n > math.MaxInt/24 {
			return o, errs.Errorf(errs.ErrOption, "%w: %q is no number of events", errs.Opt("orc-delete-events", ""), v)
		}
		o.DeleteEvents = int(n)
	}
	return o, nil
}
