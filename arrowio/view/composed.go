package view

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// Composed is a File that consists of several files, whose columns may differ. Show and Explain match the columns of each of
// these files with the requested schema, not the columns of the Composed itself.
type Composed interface {
	arrowio.File
	// ShowFiles returns the same rows in the same splits under schema `to`, matched as o says. The result need not be closed. It
	// must not be used after the File is closed.
	ShowFiles(to *arrow.Schema, o Options) (arrowio.File, error)
	// MatchFiles returns how the files are matched with `to`: one FileMatch for all files of one schema.
	MatchFiles(to *arrow.Schema, o Options) []FileMatch
}

// fileRules are the rules of the files of a Composed: what is inside of their columns is matched by name in any case, as in Hive.
func (o Options) fileRules() rules {
	return rules{cast: o.Cast, fold: true, exactFirst: o.Match != ByNameFold}
}

// FileMatch says how the columns of files are matched with a schema.
type FileMatch struct {
	Schema  *arrow.Schema // schema of the files
	Columns []int         // for each column of the requested schema, the column of the files; -1 = none
	Files   int           // number of files
	Cast    Cast          // what converts their values; nil = Options.Cast
}

// composedIn returns the Composed that f is or wraps, unless f is shown under another schema already.
func composedIn(f arrowio.File) (Composed, bool) {
	if s, ok := arrowio.As[interface{ absent() Absent }](f); ok && s != nil {
		return nil, false
	}
	return arrowio.As[Composed](f)
}

// showFiles is Show for a file of several.
func showFiles(f arrowio.File, c Composed, to *arrow.Schema, o Options) (arrowio.File, error) {
	files, err := c.ShowFiles(to, o)
	if err != nil {
		return nil, err
	}
	return &shownFiles{File: f, files: files, match: c.MatchFiles(to, o), rules: o.fileRules(), facts: o.Facts, warnings: o.Warnings}, nil
}

// shownFiles is a Composed under another schema.
type shownFiles struct {
	arrowio.File              // under its own schema
	files        arrowio.File // under the other
	match        []FileMatch
	rules        rules
	facts        []arrowio.Fact
	warnings     []arrowio.Warning
}

// Unwrap returns the file as it is: see As.
func (s *shownFiles) Unwrap() arrowio.File { return s.File }

// Schema is the schema that the files are shown under.
func (s *shownFiles) Schema() *arrow.Schema { return s.files.Schema() }

// Splits are those of the file.
func (s *shownFiles) Splits() []arrowio.Split { return s.files.Splits() }

// Info describes the files as they are shown.
func (s *shownFiles) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	info, err := s.files.Info(ctx, o)
	if err != nil || len(s.facts) == 0 {
		return info, err
	}
	shown := *info
	shown.Facts = slices.Concat(info.Facts, s.facts)
	return &shown, nil
}

// Warnings implements Warner.
func (s *shownFiles) Warnings() []arrowio.Warning {
	return slices.Concat(arrowio.WarningsOf(s.files), s.warnings)
}

// Prune asks the files.
func (s *shownFiles) Prune(ctx context.Context, split arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	return s.files.Prune(ctx, split, pred)
}

// Read reads the files.
func (s *shownFiles) Read(ctx context.Context, split arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	return s.files.Read(ctx, split, rows, p, mem)
}

// absent lists the columns that are in none of the files.
func (s *shownFiles) absent() Absent {
	out := Absent{All: s.Schema().NumFields() > 0}
	files := map[string]int{} // schemas that lack a column
	var order []string
	lacks := make([][]string, len(s.match))
	for i, m := range s.match {
		lacks[i] = s.rules.lacking(m.Schema, s.Schema(), m.Columns)
		for _, path := range lacks[i] {
			if files[path]++; files[path] == 1 {
				order = append(order, path)
			}
		}
		out.All = out.All && m.Schema.NumFields() > 0 && !slices.ContainsFunc(m.Columns, func(k int) bool { return k >= 0 })
	}
	lacked := func(path string) bool {
		for i := range lacks {
			if !slices.ContainsFunc(lacks[i], func(p string) bool { return p == path || strings.HasPrefix(path, p+".") }) {
				return false
			}
		}
		return true
	}
	for _, path := range order {
		if lacked(path) && !slices.ContainsFunc(out.Columns, func(p string) bool { return strings.HasPrefix(path, p+".") }) {
			out.Columns = append(out.Columns, path)
		}
	}
	out.All = out.All && len(s.match) > 0
	if out.All {
		out.tell(s.File)
	}
	return out
}

// ExplainFile is Explain for an open file. For a Composed it says how the columns of its files are shown. If files differ in a
// field, the field is listed several times, each time with the number of files.
func ExplainFile(f arrowio.File, to *arrow.Schema, o Options) (fields []Field, ok bool, err error) {
	c, composed := composedIn(f)
	if !composed || o.Columns != nil {
		return Explain(f.Schema(), to, o)
	}
	ok = true
	m := merged{at: map[Field]int{}}
	for _, files := range c.MatchFiles(to, o) {
		x := explanation{rules: o.fileRules(), ok: true}
		if files.Cast != nil {
			x.cast = files.Cast
		}
		x.fields(files.Schema.Fields(), to.Fields(), files.Columns, "", "")
		m.add(x.out, files.Files)
		ok = ok && x.ok
	}
	return m.fields(), ok, nil
}

// merged is the explanations of several files.
type merged struct {
	out   []Field
	at    map[Field]int // what is in out, but for the numbers of files
	files int
}

// add takes the explanation that n files share. A field is put behind what is known of its path, and that behind the path before it.
func (m *merged) add(fields []Field, n int) {
	m.files += n
	last := -1 // where the field before stands
	for _, f := range fields {
		i, known := m.at[f]
		if !known {
			i = m.place(f, last)
			m.out = slices.Insert(m.out, i, f)
			for k, v := range m.at {
				if v >= i {
					m.at[k] = v + 1
				}
			}
			m.at[f] = i
		}
		m.out[i].Files += n
		last = i
	}
}

// place returns where a new field goes; last is where the one before it stands.
func (m *merged) place(f Field, last int) int {
	if f.Path == "" { // left out: behind all others
		return len(m.out)
	}
	for i := len(m.out) - 1; i >= 0; i-- {
		if m.out[i].Path == f.Path {
			return i + 1
		}
	}
	for last+1 < len(m.out) && last >= 0 && m.out[last+1].Path == m.out[last].Path {
		last++
	}
	return last + 1
}

// fields returns all, with numbers of files where these are not all.
func (m *merged) fields() []Field {
	for i := range m.out {
		if f := &m.out[i]; f.Files == m.files {
			f.Files = 0
		} else {
			f.FilesTotal = m.files
		}
	}
	return m.out
}
