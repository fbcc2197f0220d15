package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/pathjson"
	"github.com/arrowio/arrowio/readers"
)

// openRequest says what is opened, and how.
type openRequest struct {
	Call       string            `json:"call"`
	Paths      []pathjson.Path   `json:"paths"`
	From       string            `json:"from"`
	Options    map[string]string `json:"options"`
	Columns    []string          `json:"columns"` // what all scans will read; null = anything
	Where      string            `json:"where"`   // what the filter of all scans will begin with
	Partitions string            `json:"partitions"`
	Types      string            `json:"partition_types"`
	Schema     string            `json:"schema,omitempty"` // what the files are read as, in the notation of ORC or as JSON
	SchemaIPC  []byte            `json:"schema_ipc,omitempty"`
	Cast       string            `json:"cast,omitempty"`
	Stores     storeRequest      `json:"stores"`
	Place      *placeRequest     `json:"place,omitempty"` // of the caller; it goes with the handle
}

// handle is an open dataset. Its references are the caller's and those of scans.
type handle struct {
	*dataset.Dataset
	request openRequest
	inputs  []dataset.Input
	shapes  shapes // of the files that were opened to make the dataset
	names   []string
	places  *stores.Stores // its own; nil = the shared ones

	mu       sync.Mutex
	refs     int
	first    arrowio.File // stays open
	firstAt  int
	warnings []arrowio.Warning
	counts   map[int]int64 // rows of the files that were opened
}

var handles = struct {
	sync.Mutex
	last uint64
	of   map[uint64]*handle
}{of: map[uint64]*handle{}}

// newHandle returns one that is not in use yet.
func newHandle(r openRequest) *handle { return &handle{refs: 1, firstAt: -1, request: r} }

// publish gives a handle its number.
func (h *handle) publish() uint64 {
	handles.Lock()
	defer handles.Unlock()
	handles.last++
	handles.of[handles.last] = h
	return handles.last
}

// take returns a handle with one reference more.
func take(id uint64) (*handle, error) {
	handles.Lock()
	defer handles.Unlock()
	h := handles.of[id]
	if h == nil {
		return nil, errClosed
	}
	h.retain()
	return h, nil
}

// retain adds a reference.
func (h *handle) retain() {
	h.mu.Lock()
	h.refs++
	h.mu.Unlock()
}

func closeHandle(id uint64) {
	handles.Lock()
	h := handles.of[id]
	delete(handles.of, id)
	handles.Unlock()
	if h != nil {
		h.release()
	}
}

// release gives a reference back; the last one closes the files.
func (h *handle) release() {
	h.mu.Lock()
	h.refs--
	last := h.refs == 0
	h.mu.Unlock()
	if last {
		_ = h.close() // files that were only read have nothing to lose
	}
}

func (h *handle) close() error {
	var all []error
	h.mu.Lock()
	f := h.first
	h.first = nil
	h.mu.Unlock()
	if f != nil {
		all = append(all, f.Close())
	}
	if h.places != nil {
		all = append(all, h.places.Close())
	}
	h.request.Place.close()
	return errors.Join(all...)
}

// opened is what open answers.
type opened struct {
	Handle   uint64          `json:"handle"`
	Files    []pathjson.Path `json:"files"`
	Warnings []warning       `json:"warnings"`
}

func open(ctx context.Context, request string) (*opened, error) {
	var r openRequest
	if err := parse(request, &r); err != nil {
		return nil, err
	}
	h, err := openHandle(ctx, r)
	if err != nil {
		return nil, err
	}
	return &opened{Handle: h.publish(), Files: pathjson.Of(h.names), Warnings: told(h.said())}, nil
}

// openHandle opens what a request names. The caller releases the handle.
func openHandle(ctx context.Context, r openRequest) (_ *handle, err error) {
	h := newHandle(r)
	defer func() {
		if err != nil {
			err = errors.Join(h.locate(err), h.close())
		}
	}()
	o, err := h.options(r)
	if err != nil {
		return nil, err
	}
	inputs, err := list(ctx, r.Paths, o)
	if err != nil {
		return nil, err
	}
	for _, in := range inputs {
		h.names = append(h.names, in.Path)
	}
	h.inputs = inputs
	for i, in := range inputs {
		if s := in.Schema(); s != nil {
			h.shapes.add(i, s)
		}
	}
	h.Dataset, err = dataset.New(ctx, inputs, o, func(ctx context.Context, i int) (arrowio.File, error) {
		f, err := h.open(ctx, i, inputs[i], o)
		if err == nil {
			h.shapes.add(i, dataset.SchemaOf(f))
			h.count(i, f)
		}
		return f, err
	})
	if err != nil {
		return nil, err
	}
	for _, w := range h.Dataset.Warnings(o.Columns) {
		h.note(w)
	}
	h.shapes.end()
	return h, nil
}

// options makes the options of readers of those of a request.
func (h *handle) options(r openRequest) (o readers.Options, err error) {
	others, err := r.Place.others()
	if err != nil {
		return o, err
	}
	var places *stores.Stores
	places, h.places = r.Stores.places(others)
	o = readers.Defaults(readers.Options{Format: r.From, Options: r.Options, Identified: true, Stores: places, Warn: h.note})
	if o.Match, err = dataset.Match(r.Options); err != nil {
		return o, err
	}
	switch r.Partitions {
	case "", "hive":
	case "none":
		o.Partitions.Off = true
	default:
		return o, errs.Errorf(errs.ErrOption, "partitions is hive or none, not %q", r.Partitions)
	}
	if r.Types != "" {
		if o.Partitions.Types, err = dataset.PartitionTypes(r.Types); err != nil {
			return o, err
		}
	}
	if err = r.show(&o); err != nil {
		return o, err
	}
	if o.Filter, err = filterOf(r.Where); err != nil {
		return o, err
	}
	if r.Columns != nil {
		o.Columns = append(slices.Clone(r.Columns), expr.Columns(o.Filter)...)
	}
	return o, nil
}

// list returns the files that paths stand for.
func list(ctx context.Context, paths []pathjson.Path, o readers.Options) (out []dataset.Input, err error) {
	for _, p := range paths {
		in, err := dataset.List(ctx, string(p), o)
		if err != nil {
			return nil, about(string(p), err)
		}
		out = append(out, in...)
	}
	return out, nil
}

// open opens file i. The first one stays open for all that comes.
func (h *handle) open(ctx context.Context, i int, in dataset.Input, o readers.Options) (arrowio.File, error) {
	h.mu.Lock()
	f, at := h.first, h.firstAt
	h.mu.Unlock()
	if f != nil && at == i {
		return view.WithClose(f, nil), nil
	}
	opened, err := dataset.OpenInput(ctx, in, o)
	if err != nil {
		return nil, err
	}
	f = opened
	for _, w := range arrowio.WarningsOf(f) {
		w.File = in.Path
		h.note(w)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.firstAt >= 0 {
		return f, nil
	}
	h.first, h.firstAt = f, i
	return view.WithClose(f, nil), nil
}

const maxWarnings = 10000

// note keeps a warning, once.
func (h *handle) note(w arrowio.Warning) {
	w.Text = errs.Respell(w.Text, w.Options, keyword)
	h.mu.Lock()
	defer h.mu.Unlock()
	known := func(o arrowio.Warning) bool { return o.File == w.File && o.Text == w.Text }
	if len(h.warnings) < maxWarnings && !slices.ContainsFunc(h.warnings, known) {
		h.warnings = append(h.warnings, w)
	}
}

// said returns the warnings so far.
func (h *handle) said() []arrowio.Warning {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]arrowio.Warning{}, h.warnings...)
}

// count notes how many rows file i has.
func (h *handle) count(i int, f arrowio.File) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.counts == nil {
		h.counts = map[int]int64{}
	}
	h.counts[i] = rowsOf(f)
}

// locate returns err with its file where there is only one that it can be.
func (h *handle) locate(err error) error {
	if len(h.names) == 1 {
		return about(h.names[0], err)
	}
	return err
}

// filterOf reads a predicate; "" = none.
func filterOf(text string) (expr.Expr, error) {
	if text == "" {
		return nil, nil
	}
	return expr.Parse(text)
}
