package page

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/internal/drawing"
	"github.com/arrowio/arrowio/internal/extsort"
)

// shown is what an address says of the rows of a dataset: which, of which columns, in which order.
//
//	where=FILTER   only rows for which it holds
//	show=COLUMN    a column to show, once for each; none = all
//	sort=COLUMN    or -COLUMN, descending; none = the order of the dataset
//	find=TEXT      the form lists columns whose names have it, in any case; it changes no row
//
// COLUMN is a name, or #2 for the second column, whose name cannot be written in an address; see columnKeys.
type shown struct {
	Where      string
	Trouble    string // what is wrong with it; the rest is fit to be shown
	Sorted     int    // column; -1 = none
	Descending bool
	Find       string

	e       *flight.Entry
	filter  expr.Expr
	keys    []string // of all columns
	columns []int    // that are shown
	chosen  bool     // columns are not all
}

// showing reads the query of an address.
func showing(e *flight.Entry, q url.Values) *shown {
	d := &shown{e: e, Where: strings.TrimSpace(q.Get("where")), Sorted: -1, keys: columnKeys(e)}
	find := strings.TrimSpace(q.Get("find"))
	d.Find = find[:min(len(find), maxSearch)]
	at := make(map[string]int, len(d.keys))
	for i, k := range d.keys {
		at[k] = i
	}
	for _, k := range q["show"] {
		i, ok := at[k]
		if !ok {
			d.wrong(fmt.Sprintf("There is no column %s.", drawing.Named(k)))
			continue
		}
		d.columns = append(d.columns, i)
	}
	slices.Sort(d.columns)
	d.columns = slices.Compact(d.columns)
	d.chosen = len(d.columns) > 0 && len(d.columns) < len(d.keys)
	if !d.chosen {
		d.columns = make([]int, len(d.keys))
		for i := range d.columns {
			d.columns[i] = i
		}
	}
	d.order(at, q.Get("sort"))
	d.filterBy()
	return d
}

func (d *shown) wrong(what string) {
	if d.Trouble == "" {
		d.Trouble = what
	}
}

// order reads by which column rows are sorted.
func (d *shown) order(at map[string]int, sort string) {
	if sort == "" {
		return
	}
	key, descending := strings.CutPrefix(sort, "-")
	i, ok := at[key]
	if !ok {
		d.wrong(fmt.Sprintf("There is no column %s.", drawing.Named(key)))
		return
	}
	if err := d.sortable(i); err != nil {
		d.wrong("Rows cannot be sorted so: " + drawing.Text(strings.TrimPrefix(err.Error(), "--sort: ")))
		return
	}
	d.Sorted, d.Descending = i, descending
}

// sortable returns an error if rows have no order by column i.
func (d *shown) sortable(i int) error {
	s, err := extsort.New(d.e.Schema, []extsort.Key{{Column: d.path(i)}}, extsort.Options{Memory: sortMemory})
	if err != nil {
		return err
	}
	return s.Close()
}

func (d *shown) filterBy() {
	if len(d.Where) > maxWhere {
		d.Where = ""
		d.wrong(fmt.Sprintf("The filter is longer than %d characters.", maxWhere))
	}
	if d.Where == "" {
		return
	}
	f, err := expr.Parse(d.Where)
	if err == nil {
		_, err = expr.Bind(f, d.e.Schema)
	}
	if err != nil {
		d.wrong(drawing.Text(err.Error()))
		return
	}
	d.filter = f
}

// columnKeys returns by what addresses and forms name the columns of a dataset: the name, or the number of those whose name is
// long, not unique, or would not come back from a form as it is.
func columnKeys(e *flight.Entry) []string {
	fields := e.Schema.Fields()
	times := make(map[string]int, len(fields))
	for _, f := range fields {
		times[f.Name]++
	}
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Name
		if n := f.Name; n == "" || len(n) > maxKey || times[n] > 1 || n[0] == '#' || n[0] == '-' || !utf8.ValidString(n) || strings.ContainsFunc(n, celltext.Unprintable) {
			keys[i] = "#" + strconv.Itoa(i+1)
		}
	}
	return keys
}

// maxKey is how long a name in an address may be, in bytes.
const maxKey = 64

// path returns the path that leads to column i and to no other; see expr.Resolve.
func (d *shown) path(i int) string {
	name, number := d.e.Schema.Field(i).Name, "#"+strconv.Itoa(i+1)
	for _, p := range []string{expr.Quote(name), expr.ExactPath(name)} {
		if ids, err := expr.Resolve(d.e.Schema, p); err == nil && slices.Equal(ids, []int{i}) {
			return p
		}
	}
	return number
}

// scan says what to read for some of the columns that are shown, and for sorting, whose column is read last where it is not among them.
func (d *shown) scan(columns []int) arrowio.ScanOptions {
	o := arrowio.ScanOptions{Filter: d.filter}
	if len(columns) == len(d.keys) {
		return o
	}
	if d.Sorted >= 0 && !slices.Contains(columns, d.Sorted) {
		columns = append(slices.Clone(columns), d.Sorted)
	}
	o.Columns = make([]string, len(columns))
	for k, i := range columns {
		o.Columns[k] = d.path(i)
	}
	return o
}

// asked says for the logs what a visitor has asked for, also where that is wrong.
func (d *shown) asked(v *flight.Visit) {
	v.Asks(d.e.Name, d.scan(d.columns).Columns, d.Where)
}

// by is the order for a sorter of what scan reads of columns.
func (d *shown) by(columns []int) []extsort.Key {
	if d.Sorted < 0 {
		return nil
	}
	name := d.path(d.Sorted)
	if strings.HasPrefix(name, "#") { // a number is of the schema that is sorted
		k := slices.Index(columns, d.Sorted)
		if k < 0 {
			k = len(columns)
		}
		name = "#" + strconv.Itoa(k+1)
	}
	return []extsort.Key{{Column: name, Descending: d.Descending}}
}

// Plain reports whether rows are shown as they lie: all, in the order of the dataset.
func (d *shown) Plain() bool { return d.Where == "" && d.Sorted < 0 }

// Order is the value of sort in an address.
func (d *shown) Order() string {
	switch {
	case d.Sorted < 0:
		return ""
	case d.Descending:
		return "-" + d.keys[d.Sorted]
	}
	return d.keys[d.Sorted]
}

// turned is the order by column i that is not the present one.
func (d *shown) turned(i int) string {
	if d.Sorted == i && !d.Descending {
		return "-" + d.keys[i]
	}
	return d.keys[i]
}

// query returns that of an address of the same, with what else is in more.
func (d *shown) query(more ...string) string {
	q := url.Values{}
	if d.Where != "" {
		q.Set("where", d.Where)
	}
	if d.chosen {
		for _, i := range d.columns {
			q.Add("show", d.keys[i])
		}
	}
	if o := d.Order(); o != "" {
		q.Set("sort", o)
	}
	for i := 0; i < len(more); i += 2 {
		if q.Del(more[i]); more[i+1] != "" && more[i+1] != "0" {
			q.Set(more[i], more[i+1])
		}
	}
	return q.Encode()
}

// choice is a column that can be chosen.
type choice struct {
	Key, Name string
	On        bool
}

// choices are the columns that a form lists: those that are chosen, and the first of those that can be.
type choices struct {
	List  []choice
	Found int // columns that could be listed, or that have what is looked for in their names; List has the first maxChoices of them
}

// Choices returns the columns that can be chosen.
func (d *shown) Choices() (out choices) {
	find := strings.ToLower(d.Find)
	for i, k := range d.keys {
		name := d.e.Schema.Field(i).Name
		found := strings.Contains(strings.ToLower(name), find)
		on := d.chosen && slices.Contains(d.columns, i)
		if on || found && out.Found < maxChoices {
			out.List = append(out.List, choice{k, drawing.Named(name), on})
		}
		if found {
			out.Found++
		}
	}
	return out
}

// maxChoices is how many columns a form lists, besides those that are chosen.
const maxChoices = 60

// MaxChoices is how many columns are listed of those that can be.
func (d *shown) MaxChoices() int { return maxChoices }

// Chosen is how many columns are shown.
func (d *shown) Chosen() int { return len(d.columns) }

// AllColumns is how many there are.
func (d *shown) AllColumns() int { return len(d.keys) }

// Partly reports whether not all columns are shown.
func (d *shown) Partly() bool { return d.chosen }

// ByName is the name of the column that rows are sorted by.
func (d *shown) ByName() string { return drawing.Named(d.e.Schema.Field(d.Sorted).Name) }
