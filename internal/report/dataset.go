package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/drawing"
)

// dataset is what several files are together.
type dataset struct {
	Files    int
	Noun     string // "file", "table"
	Bytes    int64
	Rows     int64 // arrowio.UnknownRows = not all are known
	Formats  string
	Failed   int
	Findings []Finding
	Lines    []fileLine
	Drift    []driftLine
	DriftOf  int
	Keys     []keyLine
	KeysOf   int
}

// fileLine is a line of the list of files, which is sorted by size.
type fileLine struct {
	Name    string
	Format  string
	Rows    int64
	Bytes   int64
	Share   string
	Bar     string
	Groups  int
	Trouble string // "" = it can be read
	Notes   int    // warnings
}

// driftLine is a column that is not the same in all files.
type driftLine struct {
	Name  string
	Types []typeLine
	More  int // types that are left out
	Lacks int // files without it
}

// typeLine is a type, and files that have it.
type typeLine struct {
	Type  string
	Files int
	First string // one of them
}

// keyLine is a directory KEY=VALUE.
type keyLine struct {
	Text  string
	Files int
	Rows  int64
	Bytes int64
	Share string
}

const (
	smallFile = 16 << 20
	manyFiles = 8
	skewFiles = 8 // bytes of the largest by those of the one in the middle
	maxDrift  = 200
	maxTypes  = 6
	maxKeys   = 200
)

func (r *Report) dataset(l level, common string) *dataset {
	d := &dataset{Noun: "File"}
	formats := map[string]int{}
	var data []*file // files with rows, or that cannot be read
	for _, f := range r.files {
		if f.Part {
			d.Noun = "Table"
		}
		if f.Info == nil {
			d.Files++
			d.Failed++
			continue
		}
		formats[drawing.Clip(f.Info.Format, 40)]++
		if len(f.Info.Members) > 0 { // what is in it comes behind it, or in it
			continue
		}
		d.Files++
		if !f.Part { // tables of a directory have nothing to do with one another
			data = append(data, f)
		}
		d.Bytes += drawing.Bounded(f.Info.Bytes)
		if d.Rows != arrowio.UnknownRows && f.Info.Rows != arrowio.UnknownRows {
			d.Rows += f.Info.Rows
		} else {
			d.Rows = arrowio.UnknownRows
		}
	}
	d.Formats = counted(formats)
	d.lines(r.files, l, common)
	d.drift(data, common)
	d.keys(data)
	d.advice(data)
	return d
}

// counted lists names by how often they came.
func counted(n map[string]int) string {
	var keys []string
	for k := range n {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), strings.Compare(a, b)) })
	if len(keys) == 1 {
		return keys[0]
	}
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s (%d)", k, n[k])
	}
	return strings.Join(keys, ", ")
}

func (d *dataset) lines(files []*file, l level, common string) {
	for _, f := range files {
		if f.Info != nil && len(f.Info.Members) > 0 {
			continue
		}
		line := fileLine{Name: drawing.Clip(strings.TrimPrefix(f.Name, common), 200), Rows: arrowio.UnknownRows, Bytes: -1, Notes: len(f.warnings)}
		if f.Info != nil {
			line.Format, line.Rows, line.Bytes, line.Groups = drawing.Clip(f.Info.Format, 40), f.Info.Rows, f.Info.Bytes, len(f.groups)
			if len(f.Info.Members) == 0 {
				line.Share = drawing.Share(drawing.Bounded(f.Info.Bytes), d.Bytes)
				if d.Bytes > 0 {
					line.Bar = fmt.Sprint(100 * drawing.Bounded(f.Info.Bytes) / d.Bytes)
				}
			}
		}
		switch {
		case f.Error != "":
			line.Trouble = "cannot be read"
		case f.Verdict != nil && !f.Verdict.OK:
			line.Trouble = drawing.Plural(f.Verdict.FaultsOf, "fault")
		}
		d.Lines = append(d.Lines, line)
	}
	slices.SortStableFunc(d.Lines, func(a, b fileLine) int { return cmp.Compare(b.Bytes, a.Bytes) })
	d.Lines = d.Lines[:min(len(d.Lines), l.listed)]
}

// drift lists the columns whose types differ between files, or that some files lack.
func (d *dataset) drift(files []*file, common string) {
	type seen struct {
		types []typeLine
		files int
	}
	columns := map[string]*seen{}
	var order []string
	for _, f := range files {
		mine := map[string]bool{}
		for _, t := range f.types {
			s := columns[t.name]
			if s == nil {
				s = &seen{}
				columns[t.name] = s
				order = append(order, t.name)
			}
			if !mine[t.name] {
				mine[t.name] = true
				s.files++
			}
			i := slices.IndexFunc(s.types, func(x typeLine) bool { return x.Type == t.text })
			if i < 0 {
				i = len(s.types)
				s.types = append(s.types, typeLine{Type: t.text, First: f.Name})
			}
			s.types[i].Files++
		}
	}
	for _, name := range order {
		s := columns[name]
		if len(s.types) == 1 && s.files == len(files) {
			continue
		}
		if d.DriftOf++; d.DriftOf > maxDrift {
			continue
		}
		line := driftLine{Name: drawing.Named(name), More: max(0, len(s.types)-maxTypes), Lacks: len(files) - s.files}
		for _, t := range s.types[:min(len(s.types), maxTypes)] {
			line.Types = append(line.Types, typeLine{drawing.Clip(t.Type, 120), t.Files, drawing.Clip(strings.TrimPrefix(t.First, common), 80)})
		}
		d.Drift = append(d.Drift, line)
	}
}

// keys adds up the files below directories KEY=VALUE.
func (d *dataset) keys(files []*file) {
	by := map[string]*keyLine{}
	var order []string
	for _, f := range files {
		for dir := range strings.SplitSeq(strings.ReplaceAll(path.Dir(strings.ReplaceAll(f.Name, `\`, "/")), `\`, "/"), "/") {
			if k, _, ok := strings.Cut(dir, "="); !ok || k == "" {
				continue
			}
			x := by[dir]
			if x == nil {
				x = &keyLine{Text: drawing.Clip(dir, 100)}
				by[dir] = x
				order = append(order, dir)
			}
			x.Files++
			x.Bytes += drawing.Bounded(f.Info.Bytes)
			if x.Rows != arrowio.UnknownRows && f.Info.Rows != arrowio.UnknownRows {
				x.Rows += f.Info.Rows
			} else {
				x.Rows = arrowio.UnknownRows
			}
		}
	}
	slices.Sort(order)
	d.KeysOf = len(order)
	for _, k := range order[:min(len(order), maxKeys)] {
		x := by[k]
		x.Share = drawing.Share(x.Bytes, d.Bytes)
		d.Keys = append(d.Keys, *x)
	}
}

func (d *dataset) advice(files []*file) {
	add := func(kind, what, why string) { d.Findings = append(d.Findings, Finding{kind, what, why}) }
	if d.Failed > 0 {
		add("bad", drawing.Plural(d.Failed, strings.ToLower(d.Noun))+" cannot be read", "They are in the list below, and what keeps them from being read is said of each.")
	}
	var sizes []int64
	empty := 0
	for _, f := range files {
		sizes = append(sizes, drawing.Bounded(f.Info.Bytes))
		if f.Info.Rows == 0 {
			empty++
		}
	}
	slices.Sort(sizes)
	if n := len(sizes); n >= manyFiles {
		if mean := d.Bytes / int64(n); mean < smallFile {
			add("advice", fmt.Sprintf("files are small: %s on average", drawing.Bytes(mean)),
				fmt.Sprintf("Each is opened and planned by itself; below %s that costs more than the data. arrowio convert makes one of them.", drawing.Bytes(smallFile)))
		}
		if middle := sizes[n/2]; middle > 0 && sizes[n-1] >= skewFiles*middle {
			add("advice", fmt.Sprintf("files are uneven: the largest has %s, the one in the middle %s", drawing.Bytes(sizes[n-1]), drawing.Bytes(middle)),
				"Workers that read a file each wait for the largest.")
		}
	}
	if d.DriftOf > 0 {
		add("advice", drawing.Plural(d.DriftOf, "column")+" differ between files",
			"Read together, a column that a file lacks is null there, and types are widened where nothing is lost; otherwise reading them together is an error.")
	}
	if empty > 0 {
		add("advice", drawing.Plural(empty, "file")+" without rows", "They are opened for nothing.")
	}
}
