package flight

import (
	"bytes"
	"encoding/json"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/strict"
)

// Ticket names the rows of one endpoint: the command, and the part of the dataset that the endpoint covers. It is written
// as JSON, so that a client can set Resume. A ticket without Parts covers the whole dataset; every command is such a ticket.
//
// A ticket holds everything that a server needs to answer it. It comes from a client, so ParseTicket checks it as
// ParseCommand checks a command.
type Ticket struct {
	Command
	Parts  []Part `json:"parts,omitzero"`   // read in this order; nil = the whole dataset in its state when it is read
	Schema string `json:"schema,omitempty"` // dataset.SchemaHash of the records; the ticket is refused if it has changed
	Query  string `json:"query,omitempty"`  // id of the FlightInfo, for CancelFlightInfo
}

// Part is a range of splits of one file. Fragment is the number that the file had in the dataset when the ticket was made;
// app_metadata repeats it. ID stands for the name and the content of the file. The ticket is refused if no file of the dataset
// has this ID any more.
type Part = dataset.FilePart

// Bounds on tickets.
const (
	maxParts    = dataset.MaxPartFiles // of a ticket
	identityLen = 24
)

// ParseTicket parses a ticket and checks it against the limits. Errors are of kind ErrOption.
func ParseTicket(b []byte) (*Ticket, error) {
	if len(b) > MaxTicketBytes {
		return nil, errs.Errorf(errs.ErrOption, "a ticket of %d bytes; the most is %d", len(b), MaxTicketBytes)
	}
	t := &Ticket{}
	if err := strict.Decode(b, t); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "ticket: %w", err)
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	if len(t.Parts) > maxParts {
		return nil, errs.Errorf(errs.ErrOption, "a ticket of %d parts; the most is %d", len(t.Parts), maxParts)
	}
	if len(t.Query) > 64 || len(t.Schema) > 64 {
		return nil, errs.Errorf(errs.ErrOption, "a ticket that was not made here")
	}
	for i, p := range t.Parts {
		if !p.Valid() || len(p.ID) != identityLen {
			return nil, errs.Errorf(errs.ErrOption, "part %d of the ticket is not one of ours", i)
		}
	}
	return t, nil
}

// Bytes returns the ticket as JSON, for ParseTicket.
func (t *Ticket) Bytes() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(t); err != nil {
		panic(err) // a struct of numbers and text
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// resolve finds the parts of a ticket among the files of a dataset: the fragment that each part is of now. A part whose
// file is not there any more, or has changed, makes the ticket stale.
func (t *Ticket) resolve(e *Entry) ([]int, error) {
	numbered := e.Numbered()
	e = e.whole()
	at := make([]int, len(t.Parts))
	for i, p := range t.Parts {
		if !numbered && (p.Start != 0 || p.End != 0) {
			return nil, (&guard{full: e}).refuse("rows cannot be counted in %s")
		}
		k, ok := e.at[p.ID]
		if !ok {
			return nil, changed(e.Name)
		}
		if p.To > len(e.Fragments[k].Splits) {
			return nil, errs.Errorf(errs.ErrOption, "part %d of the ticket is of splits that the file does not have", i)
		}
		if rows := e.Fragments[k].Rows; rows != arrowio.UnknownRows && p.Start > rows {
			return nil, errs.Errorf(errs.ErrOption, "part %d of the ticket, or where it resumes, is row %d of a file of %d", i, p.Start, rows)
		}
		at[i] = k
	}
	return at, nil
}

// resumed returns the parts from a place on. The place is one that the stream of this ticket has named.
func (t *Ticket) resumed() ([]Part, error) {
	r := t.Resume
	if r == nil {
		return t.Parts, nil
	}
	for i, p := range t.Parts {
		rows := p.Rows()
		if p.Fragment != r.Fragment || r.Row < rows.Start || r.Row > rows.End || r.Split < p.From || r.Split >= p.To {
			continue
		}
		parts := append([]Part{}, t.Parts[i:]...)
		parts[0].From, parts[0].Start = r.Split, r.Row
		if parts[0].End != 0 && parts[0].Start == parts[0].End {
			parts = parts[1:]
		}
		return parts, nil
	}
	return nil, errs.Errorf(errs.ErrOption, "the ticket does not hold what it is to resume at: row %d in split %d of fragment %d", r.Row, r.Split, r.Fragment)
}
