package orctable

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/readers/orc"
)

// Bounds of an Info that does not list blocks.
const (
	infoFiles = 64   // files whose stripes are looked at
	infoDirs  = 4096 // directories that are listed
)

// Info describes the table: its write ids and delete events, every directory with whether it is read and why, and the columns of
// the rows as they are stored in the first 64 files, or in all files if o.Blocks is set. A plan says for each file which rows a
// filter leaves.
func (t *Table) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	info := &arrowio.Info{Format: orc.Name, Bytes: t.BytesStored(), Schema: t.schema, Notes: t.notes()}
	if n := len(t.splits); n > 0 {
		info.Rows = t.splits[n-1].Rows.End
	}
	for _, s := range t.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
	}
	b := infoBuilder{Table: t, Info: info, byPath: map[string]int{}}
	b.facts()
	b.members()
	if err := b.columns(ctx, o.Blocks); err != nil {
		return nil, err
	}
	if o.Filter != nil {
		if err := b.plan(ctx, o); err != nil {
			return nil, err
		}
	}
	return info, nil
}

// notes lists what a careful user should know.
func (t *Table) notes() []string {
	var notes []string
	for _, w := range t.warnings {
		notes = append(notes, w.String())
	}
	if t.ids == everything {
		notes = append(notes, "no list of write ids was given: rows of transactions that were aborted, or are not finished, are shown as long as their files are there (--orc-write-ids)")
	}
	if t.updated {
		notes = append(notes, "rows were updated in place, as Hive did before version 3: later versions do not read this right until it is compacted")
	}
	if t.opt.Events {
		notes = append(notes, "events are shown as they are stored: nothing is taken away")
	}
	return notes
}

// infoBuilder is one run of Info.
type infoBuilder struct {
	*Table
	*arrowio.Info
	byPath map[string]int // columns
}

func (b *infoBuilder) fact(name, format string, args ...any) {
	b.Facts = append(b.Facts, arrowio.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
}

// facts lists what is said of the table as a whole.
func (b *infoBuilder) facts() {
	events, raw, files := 0, 0, 0
	low, high := int64(0), int64(0)
	for _, p := range b.parts {
		for _, d := range p.chosen() {
			for _, f := range p.in(d) {
				files++
				switch {
				case f.events:
					events++
				case f.rows > 0:
					raw++
				}
			}
		}
		for _, d := range p.dirs {
			if d.max <= 0 {
				continue
			}
			if low == 0 || d.min < low {
				low = d.min
			}
			high = max(high, d.max)
		}
	}
	switch {
	case b.updated:
		b.fact("table", "Hive ACID, version 1: updated in place")
	case events == 0 && raw > 0:
		b.fact("table", "Hive ACID, no file has row ids: all rows were inserted, or loaded, as they are")
	default:
		b.fact("table", "Hive ACID")
	}
	if n := len(b.parts); n > 0 && len(b.parts[0].keys) > 0 {
		b.fact("partitions", "%d, by %s", n, strings.Join(b.parts[0].keys, ", "))
	}
	switch {
	case high == 0:
	case b.ids == everything:
		b.fact("write ids", "%d to %d, all taken for valid", low, high)
	default:
		b.fact("write ids", "%d to %d, read as of %s", low, high, b.ids.text())
	}
	b.fact("files", "%d read, of which %d have no row ids", files, raw)
	b.fact("deletes", "%d events; %d stored rows are not there", b.events, b.gone)
}

// members lists the directories.
func (b *infoBuilder) members() {
	left := 0
	add := func(m arrowio.MemberInfo) {
		if len(b.Members) == infoDirs {
			left++
			return
		}
		b.Members = append(b.Members, m)
	}
	for _, p := range b.parts {
		if len(p.loose) > 0 {
			m := arrowio.MemberInfo{Kind: notAcid.String(), Name: p.path, State: "read"}
			if !p.choice.originals {
				m.State, m.Detail = "hidden", p.dirs[p.choice.base].name+" stands for them"
			}
			sum(&m, p.loose, m.State == "read")
			add(m)
		}
		order := make([]int, len(p.dirs))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			x, y := &p.dirs[a].candidate, &p.dirs[b].candidate
			if x.kind == base && y.kind == base {
				return olderBase(x, y)
			}
			return cmp.Or(-cmp.Compare(btoi(x.kind == base), btoi(y.kind == base)), before(x, y))
		})
		for _, i := range order {
			d := p.dirs[i]
			m := arrowio.MemberInfo{Kind: d.kind.String(), Name: d.path, State: "read"}
			why, isHidden := p.choice.hidden[i]
			if isHidden {
				m.State, m.Detail = "hidden", why
			} else {
				m.Detail = about(d)
			}
			sum(&m, d.files, !isHidden)
			add(m)
		}
	}
	if left > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("%d directories more are not listed", left))
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sum adds up the files of a directory. The rows of files that are not read are not counted.
func sum(m *arrowio.MemberInfo, files []*dataFile, read bool) {
	m.Parts = int64(len(files))
	for _, f := range files {
		m.Rows += f.rows
		m.Bytes += f.size
	}
	if !read {
		m.Rows = arrowio.UnknownRows
	}
}

// about tells what a chosen directory is.
func about(d *acidDir) string {
	var parts []string
	switch {
	case d.kind == base && d.compacted():
		parts = append(parts, fmt.Sprintf("compacted, up to write id %d", d.max))
	case d.kind == base:
		parts = append(parts, fmt.Sprintf("INSERT OVERWRITE, write id %d", d.max))
	case d.min == d.max:
		parts = append(parts, fmt.Sprintf("write id %d", d.max))
	default:
		parts = append(parts, fmt.Sprintf("write ids %d to %d", d.min, d.max))
	}
	if d.stmt > 0 {
		parts = append(parts, fmt.Sprintf("statement %d", d.stmt))
	}
	if slices.ContainsFunc(d.files, func(f *dataFile) bool { return !f.events && f.rows > 0 }) {
		parts = append(parts, "files without row ids")
	}
	if slices.ContainsFunc(d.files, func(f *dataFile) bool { return f.length < f.size }) {
		parts = append(parts, "not finished: read as far as it was flushed")
	}
	return strings.Join(parts, ", ")
}

// Names under which what is no column of the rows is counted.
const (
	eventPath  = "(events)"
	deletePath = "(delete events)"
)

// columns adds up the columns of files, under the names that they have in the table.
func (b *infoBuilder) columns(ctx context.Context, all bool) error {
	b.declare()
	read, files := 0, 0
	for _, p := range b.parts {
		for _, d := range p.chosen() {
			for _, f := range p.in(d) {
				if f.length == 0 {
					continue
				}
				if files++; files > infoFiles && !all {
					continue
				}
				read++
				if err := b.plain(ctx, f, func(o *orc.File) error { return b.addFile(ctx, f, o) }); err != nil {
					return err
				}
			}
		}
	}
	if read < files {
		b.Notes = append(b.Notes, fmt.Sprintf("bytes, encodings and codecs of columns are those of the first %d of %d files; arrowio inspect --blocks looks at all", read, files))
	}
	return nil
}

// declare lists the columns of the schema.
func (b *infoBuilder) declare() {
	for _, f := range b.schema.Fields() {
		c := arrowio.ColumnInfo{Path: f.Name, Type: f.Type.String()}
		if len(b.parts) > 0 && slices.Contains(b.parts[0].keys, f.Name) {
			c.Stored = "name of the directory"
		}
		b.byPath[strings.ToLower(f.Name)] = len(b.Columns)
		b.Columns = append(b.Columns, c)
	}
}

func (b *infoBuilder) addFile(ctx context.Context, f *dataFile, o *orc.File) error {
	info, err := o.Info(ctx, arrowio.InfoOptions{})
	if err != nil {
		return err
	}
	for _, n := range info.Notes {
		if strings.HasPrefix(n, "!") {
			b.Notes = append(b.Notes, "! "+f.path+": "+strings.TrimPrefix(n, "! "))
		}
	}
	names := b.names(f)
	for i := range info.Columns {
		c := &info.Columns[i]
		at := b.entry(f, c.Path, names)
		to := &b.Columns[at]
		to.Bytes += c.Bytes
		to.Blocks += c.Blocks
		if to.Stored == "" {
			to.Stored = c.Stored
		}
		for _, e := range c.Encodings {
			if !slices.Contains(to.Encodings, e) {
				to.Encodings = append(to.Encodings, e)
			}
		}
		if !slices.Contains(strings.Fields(to.Codec), c.Codec) {
			to.Codec = strings.TrimSpace(to.Codec + " " + c.Codec)
		}
	}
	return nil
}

// entry returns the column of the table that a type of a file is of: what is inside a column counts as that.
func (b *infoBuilder) entry(f *dataFile, path string, names map[string]string) int {
	name := path
	switch {
	case f.dir != nil && f.dir.kind == deleteDelta && !b.opt.Events:
		return b.extra(deletePath, "row ids that were deleted")
	case f.events && !b.opt.Events:
		var ok bool
		if name, ok = strings.CutPrefix(path, eventRowName+"."); !ok {
			return b.extra(eventPath, "row ids and write ids")
		}
	}
	top, _, _ := strings.Cut(name, ".")
	if shown, ok := names[top]; ok {
		if i, ok := b.byPath[strings.ToLower(shown)]; ok {
			return i
		}
	}
	if path == "(root)" {
		return b.extra(eventPath, "row ids and write ids")
	}
	if b.asked {
		return b.extra("("+top+")", "not a column of the schema")
	}
	return b.extra("("+top+")", "not a column of the table any more")
}

func (b *infoBuilder) extra(path, stored string) int {
	i, ok := b.byPath[path]
	if !ok {
		i = len(b.Columns)
		b.byPath[path] = i
		b.Columns = append(b.Columns, arrowio.ColumnInfo{Path: path, Stored: stored})
	}
	return i
}

// plan tells what a filter leaves of each file.
func (b *infoBuilder) plan(ctx context.Context, o arrowio.InfoOptions) error {
	for i, s := range b.splits {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows, err := b.Prune(ctx, s, o.Filter)
		if err != nil {
			return err
		}
		g := b.places[i].frag
		if i == 0 || b.places[i-1].frag != g {
			b.Plan = append(b.Plan, arrowio.PlanInfo{Unit: g.of.path, Rows: arrowio.RowRange{Start: s.Rows.Start}})
		}
		u := &b.Plan[len(b.Plan)-1]
		u.Rows.End = s.Rows.End
		u.Left += rows.Len()
		u.BytesOf += s.Bytes
		u.Bytes += int64(float64(s.Bytes) * float64(rows.Len()) / float64(s.Rows.Len()))
	}
	return nil
}
