package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/drawing"
)

// maxBytes is how large a report may be.
const maxBytes = 1_000_000

// Options says what a report is about.
type Options struct {
	Title   string // the inputs, as the user named them
	Version string // of this program
}

// File is one input of a report.
type File struct {
	Name     string
	Info     *arrowio.Info // with blocks and the statistics of groups, as far as they are not too many; nil = it could not be read
	Schema   *arrow.Schema // nil = not known
	Warnings []arrowio.Warning
	Blocks   int      // blocks that were too many to be listed; 0 = they are
	Error    string   // why it could not be read
	Verdict  *Verdict // nil = it was not verified
	Filter   *Filter  // what a filter leaves; nil = there is none
	Sample   *Sample  // nil = no rows were read
	Part     bool     // it is a table of the directory that was added before it, not a file of its own
	Unread   string   // what was not looked at for this report, in a sentence; "" = nothing
}

// Verdict is what verifying a file has shown.
type Verdict struct {
	OK       bool
	Said     string   // what was checked, or could not be
	Faults   []string // at most some
	FaultsOf int
}

// Filter says how much of a file a filter reads; see arrowio inspect --where.
type Filter struct {
	Text  string
	Reads string
	Units []arrowio.PlanInfo
	Names []string // columns that it is about
}

// Report collects files. It is not safe for concurrent use.
type Report struct {
	o     Options
	files []*file
}

// New returns a report without files.
func New(o Options) *Report { return &Report{o: o} }

// Add adds a file. It keeps nothing of f.Info but what the report shows.
func (r *Report) Add(f File) { r.files = append(r.files, condense(f)) }

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed style.css
var ownStyle string

var templates = sync.OnceValue(func() *template.Template {
	t := template.New("").Funcs(drawing.Funcs()).Funcs(template.FuncMap{"section": newSection, "dict": dict})
	return template.Must(drawing.AddTemplates(template.Must(t.ParseFS(templateFiles, "templates/*.html"))))
})

// section is the heading of a part of the report, and what the part shows.
type section struct {
	ID, Text string
	Inner    bool // it is a part of one of several files
}

func newSection(f *shown, id, text string) section { return section{f.ID + id, text, f.Inner} }

// dict gives a template several values.
func dict(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if k, ok := pairs[i].(string); ok {
			out[k] = pairs[i+1]
		}
	}
	return out
}

// level is how much a report shows; each has less than the one before.
type level struct {
	files   int // shown in full
	listed  int // in the list of files
	cells   int // of a picture
	strokes int // of a strip
	strips  int // columns that have one
	columns int
	groups  int
	schema  int // bytes of each notation
}

var levels = []level{
	{files: 12, listed: 500, cells: 400, strokes: 60, strips: 1000, columns: 1000, groups: 200, schema: 24_000},
	{files: 8, listed: 300, cells: 300, strokes: 30, strips: 1000, columns: 1000, groups: 100, schema: 12_000},
	{files: 4, listed: 200, cells: 200, strokes: 20, strips: 1000, columns: 1000, groups: 100, schema: 12_000},
	{files: 2, listed: 200, cells: 200, strokes: 16, strips: 400, columns: 1000, groups: 50, schema: 12_000},
	{files: 1, listed: 100, cells: 150, strokes: 16, strips: 200, columns: 600, groups: 50, schema: 8_000},
	{files: 1, listed: 50, cells: 100, strokes: 10, strips: 50, columns: 200, groups: 20, schema: 4_000},
	{files: 1, listed: 20, cells: 50, strokes: 10, strips: 10, columns: 50, groups: 10, schema: 1_000},
}

// Write writes the report: as much as fits.
func (r *Report) Write(w io.Writer) error {
	return writePage(w, "report.html", levels, func(l level) any { return r.page(l) })
}

// writePage writes the first level of a page that fits; the last one, if none does.
func writePage[L any](w io.Writer, name string, levels []L, page func(l L) any) error {
	var out bytes.Buffer
	for _, l := range levels {
		out.Reset()
		if err := templates().ExecuteTemplate(&out, name, page(l)); err != nil {
			return err
		}
		if out.Len() <= maxBytes {
			break
		}
	}
	_, err := w.Write(append(bytes.TrimRight(out.Bytes(), "\n"), '\n'))
	return err
}

// head is how a page begins.
type head struct {
	Title  string
	What   string // the page is
	Style  template.CSS
	Policy string
}

func newHead(title, what string) head {
	style := drawing.Style + ownStyle
	sum := sha256.Sum256([]byte(style))
	return head{
		Title: drawing.Clip(title, 300), What: what, Style: template.CSS(style), // it is ours
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
	}
}

// page is what the template shows.
type page struct {
	head

	Version string
	Dataset *dataset // nil = there is one file
	Files   []*shown
	Hidden  int // files that are only listed
}

func (r *Report) page(l level) *page {
	p := &page{head: newHead(r.o.Title, "report"), Version: r.o.Version}
	common := ""
	if len(r.files) != 1 {
		common = r.common()
		p.Dataset = r.dataset(l, common)
		if p.Dataset.Noun == "File" {
			p.Title = headed(p.Title, p.Dataset.Files)
		}
	}
	for i, f := range r.files {
		if i == l.files {
			p.Hidden = len(r.files) - i
			break
		}
		p.Files = append(p.Files, f.show(i, p.Dataset != nil, l, common))
	}
	return p
}

// headed is a title that says for how many files it stands, if they are several.
func headed(title string, files int) string {
	if files < 2 {
		return title
	}
	return title + ": " + drawing.Plural(files, "file")
}

// common returns the directory that all files are in, with a slash at its end; "" = there is none.
func (r *Report) common() string {
	if len(r.files) == 0 {
		return ""
	}
	dir := r.files[0].Name
	for _, f := range r.files {
		if f.Part {
			return ""
		}
		for dir != "" && !strings.HasPrefix(f.Name, dir) || dir == f.Name {
			dir = dir[:len(dir)-1]
		}
		dir = dir[:strings.LastIndexByte(dir, '/')+1]
	}
	return dir
}
