package salvage

import (
	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Mode says what becomes of damaged rows.
type Mode uint8

// The modes.
const (
	Off     Mode = iota // damage is an error
	Rows                // rows of which a column is damaged are left out
	Columns             // damaged columns are null; rows of which no column is intact are left out
)

// Option is the name of the option of all formats that have this.
const Option = "salvage"

// Options returns the option, for arrowio.Format.Options.
func Options() arrowio.Option {
	return arrowio.Option{
		Name:    Option,
		Usage:   "go on past damage and report what is lost: leave out the damaged rows, or show only their damaged columns as null",
		Default: "damage is an error",
		Values:  []string{"rows", "columns"},
	}
}

// Parse reads a value of the option.
func Parse(text string) (Mode, error) {
	switch text {
	case "":
		return Off, nil
	case "rows":
		return Rows, nil
	case "columns":
		return Columns, nil
	}
	return Off, errs.Errorf(errs.ErrOption, "%w is %q; it takes rows or columns", errs.Opt(Option, ""), text)
}
