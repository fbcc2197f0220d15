package hivetable

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/options"
)

// Name is the name of the format.
const Name = "hive"

// Options of the format.
const (
	optionRelocate = "hive-relocate"
)

var formatOptions = append(metastore.ConnectionOptions(),
	arrowio.Option{Name: optionRelocate, Usage: "FROM=TO: directories whose paths in the metastore begin with FROM are written at TO", Default: "none", Repeated: true},
)

// Format returns the format for lists of formats. Its rows go to a table, which Open opens: its own Plan and Create are errors.
func Format() arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name: Name, Options: formatOptions, Directory: true,
		Create: func(context.Context, arrowio.Store, *arrowio.WritePlan) (arrowio.Writer, error) {
			return nil, errs.Errorf(errs.ErrInternal, "a table of Hive was not opened")
		},
	}
}

// tableOptions are the options of this package.
type tableOptions struct {
	metastore metastore.Options
	moves     []metastore.Move
}

func parseOptions(given map[string]string) (o tableOptions, err error) {
	if _, err = options.Check(formatOptions, given); err != nil {
		return o, err
	}
	if err = o.metastore.Read(given); err != nil {
		return o, err
	}
	o.moves, err = metastore.ParseMoves(optionRelocate, given[optionRelocate])
	return o, err
}
