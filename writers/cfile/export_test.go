package cfile

import "github.com/arrowio/arrowio/arrowio"

// SetVersion makes a plan write files of a version of the format.
func SetVersion(p *arrowio.WritePlan, version int) { p.Driver.(*driver).version = version }

// SetMaxRows makes a plan end rowsets at so many rows, as at 1<<32 - 1.
func SetMaxRows(p *arrowio.WritePlan, rows int64) { p.Driver.(*driver).maxRows = rows }
