package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Tables writes a random table in every format that takes it, reads each output back, and returns those outputs as
// inputs. Columns of which the plan says that nothing is lost must come back as they were; errs tells where they do not.
func Tables(ctx context.Context, rng *rand.Rand, formats []arrowio.Format, outputs []arrowio.OutputFormat) (made []*Input, all []error) {
	recs := randomTable(rng)
	defer func() {
		for _, r := range recs {
			r.Release()
		}
	}()
	for _, out := range outputs {
		f, ok := formatOf(formats, out.Name)
		if !ok {
			continue
		}
		in, err := written(ctx, out, f, recs)
		if err != nil {
			all = append(all, fmt.Errorf("%s: %w\n%v", out.Name, err, recs[0].Schema()))
		}
		if in != nil && len(in.Bytes) <= mostBytes {
			made = append(made, in)
		}
	}
	return made, all
}

// randomTable returns one to three batches of a random schema, the first rows of some of them with nothing in them.
func randomTable(rng *rand.Rand) []arrow.Record {
	types := conformance.Types()
	if rng.Intn(2) == 0 {
		types = conformance.FlatTypes()
	}
	var fields []arrow.Field
	for i := range 1 + rng.Intn(5) {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: types[rng.Intn(len(types))], Nullable: rng.Intn(3) > 0})
	}
	s := arrow.NewSchema(fields, nil)
	g := conformance.Generator{Rand: rng, Mem: memory.NewGoAllocator(), Nulls: []float64{0, 0.2, 1}[rng.Intn(3)]}
	var recs []arrow.Record
	for range 1 + rng.Intn(3) {
		recs = append(recs, g.Record(s, 1+rng.Intn(1<<rng.Intn(10))))
	}
	return recs
}

// refusal reports whether a writer may answer a table so: the schema, or a value, has no place in the format, or
// an option must choose one.
func refusal(err error) bool {
	return errors.Is(err, errs.ErrSchema) || errors.Is(err, errs.ErrUnsupported) || errors.Is(err, errs.ErrLimit) || errors.Is(err, errs.ErrOption)
}

// indexed are options that make writers write indexes, which there are none of by default.
var indexed = map[string]map[string]string{
	"parquet": {"parquet-page-index": "yes", "parquet-page-rows": "20", "parquet-bloom": "*"},
}

// written writes recs and reads them back. in is nil where the format does not take them, or makes a directory of them.
func written(ctx context.Context, out arrowio.OutputFormat, f arrowio.Format, recs []arrow.Record) (in *Input, err error) {
	var mem meter
	p, err := out.Plan(recs[0].Schema(), arrowio.WriteOptions{Allocator: &mem, Options: indexed[out.Name]})
	if err != nil {
		if refusal(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("plan: %w", err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(ctx, out, st, p)
	if err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	for _, r := range recs {
		if err = w.Write(r); err != nil {
			break
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		_ = w.Abort() // the error of Write is the one to tell
	}
	if n := mem.used.Load(); n != 0 {
		return nil, fmt.Errorf("%d bytes are not given back: %w", n, errors.Join(err, errors.New("leak")))
	}
	if err != nil {
		if refusal(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("write: %w", err)
	}
	objects := st.Objects()
	if out.Directory || len(objects) != 1 {
		return nil, nil
	}
	for _, b := range objects {
		in = &Input{Name: "written " + out.Name, Format: f, Bytes: b}
	}
	if err := in.prepare(ctx); err != nil {
		if out.Name == "csv" || out.Name == "jsonl" || errors.Is(err, errs.ErrSchema) {
			return nil, nil // types of text are guessed anew; an option must choose a type that holds all values
		}
		return nil, fmt.Errorf("read back: %w", err)
	}
	return in, kept(p, recs, in.rows)
}

// kept compares the columns of which nothing is lost.
func kept(p *arrowio.WritePlan, recs []arrow.Record, got arrow.Record) error {
	want, err := arrowbuf.Concat(recs, memory.NewGoAllocator())
	if err != nil {
		return nil // more than one array holds
	}
	defer want.Release()
	if got == nil || got.NumRows() != want.NumRows() {
		return errors.New("other rows come back than were written")
	}
	for i, f := range want.Schema().Fields() {
		lost := false
		for _, c := range p.Columns {
			if c.Loss != "" && (c.Path == f.Name || strings.HasPrefix(c.Path, f.Name+".")) {
				lost = true
			}
		}
		at := got.Schema().FieldIndices(f.Name)
		switch {
		case lost:
		case len(at) != 1:
			return fmt.Errorf("column %s does not come back", f.Name)
		case !arrow.TypeEqual(f.Type, got.Schema().Field(at[0]).Type): // types are the business of the plan's own tests
		default:
			if err := conformance.EqualArrays(want.Column(i), got.Column(at[0])); err != nil {
				return fmt.Errorf("column %s, of which nothing was to be lost: %w", f.Name, err)
			}
		}
	}
	return nil
}
