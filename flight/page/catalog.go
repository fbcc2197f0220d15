package page

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/drawing"
)

// listed is a line of the catalog.
type listed struct {
	Name    string
	URL     string
	Format  string
	Columns int
	Files   int64 // -1 = the visitor may read only a part of it
	Rows    int64
	Bytes   int64
	Trouble string // why it cannot be opened
}

const maxSearch = 128 // bytes, the longest name

type catalogPage struct {
	Datasets []listed
	// Rows, Bytes and Files are those of all; negative where one does not say.
	Rows   int64
	Bytes  int64
	Files  int64
	Search string // of their names, in any case
}

func (p *Page) catalog(ctx context.Context, v *flight.Visit, r *http.Request) (*answer, error) {
	search := strings.TrimSpace(r.URL.Query().Get("name"))
	c := catalogPage{Search: search[:min(len(search), maxSearch)]}
	for _, name := range v.Names(ctx) {
		if !strings.Contains(strings.ToLower(name), strings.ToLower(c.Search)) {
			continue
		}
		d := listed{Name: name, URL: datasetURL(name)}
		e, err := v.Look(ctx, name)
		switch {
		case status.Code(err) == codes.NotFound:
			continue // taken out meanwhile
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			d.Trouble = drawing.Text(err.Error())
		default:
			d.Format, d.Columns, d.Files, d.Rows, d.Bytes = e.Format, e.Schema.NumFields(), int64(len(e.Fragments)), e.Rows, e.Bytes
			if !e.Whole() {
				d.Files = -1
			}
		}
		c.Datasets = append(c.Datasets, d)
		c.Rows, c.Bytes, c.Files = sum(c.Rows, d.Rows), sum(c.Bytes, d.Bytes), sum(c.Files, d.Files)
	}
	return &answer{template: "catalog.html", frame: frame{Title: "Datasets", At: "datasets"}, data: c}, nil
}

// sum adds numbers of which a negative one is not known.
func sum(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

// adbc is an address as ADBC's driver wants it.
func adbc(address string) string {
	if rest, ok := strings.CutPrefix(address, "grpc://"); ok {
		return "grpc+tcp://" + rest
	}
	return address
}

func datasetURL(name string) string { return "/datasets/" + url.PathEscape(name) }

// heading is what the pages of a dataset have in common.
type heading struct {
	Name   string
	URL    string
	At     string // "schema", "rows"
	Format string
	Entry  *flight.Entry
}

func headingOf(e *flight.Entry, at string) heading {
	return heading{Name: e.Name, URL: datasetURL(e.Name), At: at, Format: e.Format, Entry: e}
}

// field is a line of a schema.
type field struct {
	Name     string
	Depth    int // classes of the style sheet are for those up to maxDepth
	Type     string
	Nullable bool
	Metadata string
}

const (
	maxFields   = 1000
	maxDepth    = 12
	filesAtOnce = 200

	faultsAtOnce = 20
)

// fileLine is a line of the list of files.
type fileLine struct {
	Name     string
	URL      string
	Rows     int64
	Bytes    int64
	Splits   int
	Warnings int
}

type datasetPage struct {
	heading
	Fields   []field
	More     bool // fields
	Metadata []arrowio.Fact
	Files    []fileLine
	LeftOut  []flight.Fault // the first few
	pager
}

func (p *Page) dataset(ctx context.Context, v *flight.Visit, r *http.Request) (*answer, error) {
	e, err := v.Open(ctx, r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	d := datasetPage{heading: headingOf(e, "schema")}
	d.Fields, d.More = fieldsOf(nil, e.Schema.Fields(), 0)
	d.Metadata = facts(e.Schema.Metadata())
	d.LeftOut = e.LeftOut[:min(len(e.LeftOut), faultsAtOnce)]
	d.pager = newPager(r, "files", int64(len(e.Fragments)), filesAtOnce, d.URL+"#files")
	for _, f := range e.Fragments[d.From:d.To] {
		d.Files = append(d.Files, fileLine{drawing.Short(f.Name), fileURL(e, &f), f.Rows, f.Bytes, len(f.Splits), len(f.Warnings)})
	}
	return &answer{template: "dataset.html", frame: frame{Title: e.Name, At: "datasets"}, data: d}, nil
}

func fileURL(e *flight.Entry, f *flight.Fragment) string {
	return datasetURL(e.Name) + "/files/" + url.PathEscape(f.Identity)
}

func facts(md arrow.Metadata) (out []arrowio.Fact) {
	for i, k := range md.Keys() {
		if i == maxFacts {
			break
		}
		out = append(out, arrowio.Fact{Name: drawing.Short(k), Value: drawing.Clip(md.Values()[i], 400)})
	}
	return out
}

const maxFacts = 100

func fieldsOf(out []field, fields []arrow.Field, depth int) (_ []field, more bool) {
	for _, f := range fields {
		if len(out) == maxFields {
			return out, true
		}
		line := field{Name: drawing.Named(f.Name), Depth: min(depth, maxDepth), Nullable: f.Nullable, Type: typeName(f.Type)}
		for i, fact := range facts(f.Metadata) {
			if i > 0 {
				line.Metadata += ", "
			}
			line.Metadata = drawing.Clip(line.Metadata+fact.Name+" = "+fact.Value, 300)
		}
		out = append(out, line)
		if n, ok := f.Type.(arrow.NestedType); ok && depth < maxDepth {
			if out, more = fieldsOf(out, n.Fields(), depth+1); more {
				return out, true
			}
		}
	}
	return out, false
}

// typeName is a type without what its children are, which have lines of their own.
func typeName(t arrow.DataType) string {
	switch t := t.(type) {
	case arrow.UnionType:
		return t.Name()
	case *arrow.FixedSizeListType:
		return "list of " + strconv.Itoa(int(t.Len()))
	case arrow.NestedType:
		return t.Name()
	case *arrow.DictionaryType:
		return "dictionary of " + typeName(t.ValueType)
	}
	return drawing.Short(t.String())
}

// pager is a part of a long list, and the way to its neighbours.
type pager struct {
	From, To, Of   int64 // the part is From <= i < To
	Previous, Next string
}

// newPager reads the parameter of a request that says where a part begins; base is the address without it.
func newPager(r *http.Request, parameter string, of, size int64, base string) pager {
	p := pager{Of: of}
	if n, err := strconv.ParseInt(r.URL.Query().Get(parameter), 10, 64); err == nil && n > 0 {
		p.From = min(n, max(0, of-1))
	}
	p.To = min(of, p.From+size)
	to := func(n int64) string {
		u, err := url.Parse(base)
		if err != nil {
			return ""
		}
		q := u.Query()
		q.Set(parameter, strconv.FormatInt(n, 10))
		u.RawQuery = q.Encode()
		return u.String()
	}
	if p.From > 0 {
		p.Previous = to(max(0, p.From-size))
	}
	if p.To < p.Of {
		p.Next = to(p.To)
	}
	return p
}

// First counts from 1, for what has no numbers of its own.
func (p pager) First() int64 { return p.From + 1 }

// Final is the last one, counted from 0.
func (p pager) Final() int64 { return p.To - 1 }

// Partial reports whether there is more than this part.
func (p pager) Partial() bool { return p.From > 0 || p.To < p.Of }
