package page

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/drawing"
)

const (
	maxColumns = 1000 // listed
	maxNotes   = 200
)

// columnLine is a line of the list of stored columns.
type columnLine struct {
	Path, Type, Stored string
	Encodings, Codec   string
	Checksum           string
	Bytes              int64
	Share, Ratio       string
	Nulls              string
	Min, Max           string
	Blocks             int
	Index, Secret      string
}

// groupLine is a line of the list of groups.
type groupLine struct {
	Number int64
	Rows   int64
	Off    int64
	Bytes  int64
	Index  int64
	Detail string
}

type filePage struct {
	heading
	File     string // without the dataset's name
	Info     *arrowio.Info
	Facts    []arrowio.Fact
	Notes    []string
	Warnings []string
	More     int // notes and warnings left out
	Drawing  *drawing.Drawing
	Colours  []colourChoice
	Blocks   int
	TooMany  bool // blocks for the picture
	Columns  []columnLine
	All      int   // columns
	Most     int64 // bytes of a column
	Unit     string
	Groups   []groupLine
	pager    // of groups and of the picture
	Has      struct{ Checksum, Codec, Index, Secret, Stats, Ratio, Detail, Offset, Encodings, Blocks bool }
}

func (p *Page) file(ctx context.Context, v *flight.Visit, r *http.Request) (*answer, error) {
	e, err := v.Open(ctx, r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(e.Fragments, func(f flight.Fragment) bool { return f.Identity == r.PathValue("file") })
	if i < 0 {
		return nil, errGone
	}
	f := &e.Fragments[i]
	known, err := p.infos.get(ctx, e, i)
	if err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() == nil {
			err = context.DeadlineExceeded // reading was given up, not the request
		}
		return nil, err
	}
	d := &filePage{heading: headingOf(e, ""), Info: known.info, Blocks: known.blocks, TooMany: known.blocks > maxBlocks}
	_, d.File, _ = strings.Cut(drawing.Short(f.Name), "/")
	d.facts(known)
	d.columns(known)
	d.picture(known, r, fileURL(e, f))
	return &answer{template: "file.html", frame: frame{Title: d.File, At: "datasets"}, data: d}, nil
}

func (d *filePage) facts(known *described) {
	for _, f := range known.info.Facts[:min(len(known.info.Facts), maxFacts)] {
		d.Facts = append(d.Facts, arrowio.Fact{Name: drawing.Short(f.Name), Value: drawing.Clip(f.Value, 400)})
	}
	for i, k := range slices.Sorted(maps.Keys(known.info.Metadata)) {
		if i == maxFacts {
			break
		}
		d.Facts = append(d.Facts, arrowio.Fact{Name: drawing.Short(k), Value: drawing.Clip(string(known.info.Metadata[k]), 400)})
	}
	warnings := make([]string, len(known.warnings))
	for i, w := range known.warnings {
		warnings[i] = w.String()
	}
	for _, list := range []struct {
		from []string
		to   *[]string
	}{{warnings, &d.Warnings}, {known.info.Notes, &d.Notes}} {
		for _, s := range list.from[:min(len(list.from), maxNotes)] {
			*list.to = append(*list.to, drawing.Text(s))
		}
		d.More += max(0, len(list.from)-maxNotes)
	}
}

func (d *filePage) columns(known *described) {
	var total int64
	for i := range known.info.Columns {
		total += drawing.Bounded(known.info.Columns[i].Bytes)
	}
	for i := range known.info.Columns {
		d.Most = max(d.Most, known.info.Columns[i].Bytes)
	}
	d.All = len(known.info.Columns)
	for i := range known.info.Columns[:min(d.All, maxColumns)] {
		c := &known.info.Columns[i]
		line := columnLine{
			Path: drawing.Named(c.Path), Type: drawing.Clip(c.Type, 80), Stored: drawing.Clip(c.Stored, 80), Encodings: drawing.Clip(strings.Join(c.Encodings, ", "), 200),
			Codec: drawing.Clip(c.Codec, 40), Checksum: drawing.Clip(c.Checksum, 40), Bytes: c.Bytes, Share: drawing.Share(c.Bytes, total), Ratio: drawing.Ratio(c.Bytes, c.RawBytes),
			Blocks: c.Blocks, Index: drawing.Clip(c.Index, 100), Secret: drawing.Clip(c.Secret, 100),
		}
		if s := c.Stats; s != nil {
			line.Min, line.Max = drawing.Clip(brief(c.Type, s.Min), 36), drawing.Clip(brief(c.Type, s.Max), 36)
			if n := known.layout.Nulls(i); n >= 0 {
				line.Nulls = drawing.Share(s.Nulls, s.Nulls+s.Values)
			}
		}
		d.Has.Checksum = d.Has.Checksum || line.Checksum != ""
		d.Has.Codec = d.Has.Codec || line.Codec != ""
		d.Has.Index = d.Has.Index || line.Index != ""
		d.Has.Secret = d.Has.Secret || line.Secret != ""
		d.Has.Stats = d.Has.Stats || line.Min != "" || line.Max != "" || line.Nulls != ""
		d.Has.Ratio = d.Has.Ratio || line.Ratio != ""
		d.Has.Encodings = d.Has.Encodings || line.Encodings != ""
		d.Has.Blocks = d.Has.Blocks || line.Blocks > 0
		d.Columns = append(d.Columns, line)
	}
}

// colourChoice is a way to colour the picture.
type colourChoice struct {
	Label, URL string
	On         bool
}

// bandsAtOnce is how many bands a picture has.
const bandsAtOnce = 100

// picture draws the part that the request asks for, and lists its groups.
func (d *filePage) picture(known *described, r *http.Request, base string) {
	by := r.URL.Query().Get("colour")
	if !slices.ContainsFunc(drawing.Colours, func(c struct{ Name, Label string }) bool { return c.Name == by }) {
		by = known.layout.Telling()
	}
	d.Unit = known.layout.Unit
	d.pager = newPager(r, "from", int64(known.layout.Bands()), bandsAtOnce, base+"?colour="+by+"#layout")
	if d.Drawing = known.layout.Draw(drawing.Options{By: by, From: int(d.From), To: int(d.To)}); d.Drawing != nil {
		for _, c := range drawing.Colours {
			to := base + "?colour=" + c.Name + "&from=" + strconv.FormatInt(d.From, 10) + "#layout"
			d.Colours = append(d.Colours, colourChoice{c.Label, to, c.Name == by})
		}
	}
	if int64(len(known.info.Groups)) != d.Of {
		return
	}
	for i, g := range known.info.Groups[d.From:d.To] {
		d.Groups = append(d.Groups, groupLine{d.From + int64(i), g.Rows.Len(), g.Off, g.Bytes, g.Index, drawing.Clip(g.Detail, 200)})
		d.Has.Detail = d.Has.Detail || g.Detail != ""
		d.Has.Offset = d.Has.Offset || g.Off >= 0
	}
}

// Plural is the heading of the groups.
func (d *filePage) Plural() string { return strings.ToUpper(d.Unit[:1]) + d.Unit[1:] + "s" }
