package main

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/pathjson"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// describeRequest asks what is known of an open dataset.
type describeRequest struct {
	Call   string `json:"call"`
	Handle uint64 `json:"handle"`
	Rows   bool   `json:"rows"` // count them, which opens every file
	Info   bool   `json:"info"` // of every file
	Where  string `json:"where"`

	Columns []string `json:"columns"` // that are read, to be warned of; null = all
}

// description is the answer.
type description struct {
	Files    []pathjson.Path `json:"files"`
	Rows     *int64          `json:"rows"` // null = not known before reading
	Info     []*arrowio.Info `json:"info,omitempty"`
	Warnings []warning       `json:"warnings"`
}

func describeHandle(ctx context.Context, request string) (*description, error) {
	var r describeRequest
	if err := parse(request, &r); err != nil {
		return nil, err
	}
	h, err := take(r.Handle)
	if err != nil {
		return nil, err
	}
	defer h.release()
	f, err := filterOf(r.Where)
	if err != nil {
		return nil, err
	}
	d := &description{Files: pathjson.Of(h.names)}
	rows, known := int64(0), r.Rows
	for i, fr := range h.Fragments {
		if !r.Rows && !r.Info {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := h.look(ctx, fr, func(file arrowio.File) error {
			n := rowsOf(file)
			known = known && n >= 0
			rows += max(n, 0)
			if !r.Info {
				return nil
			}
			o := arrowio.InfoOptions{}
			if f != nil {
				b, err := expr.Bind(f, file.Schema())
				if err != nil {
					return err
				}
				o.Filter = b
			}
			info, err := file.Info(ctx, o)
			d.Info = append(d.Info, inWordsOfCaller(info))
			return err
		}); err != nil {
			return nil, about(h.names[i], err)
		}
	}
	if known {
		d.Rows = &rows
	}
	if r.Columns != nil {
		r.Columns = append(r.Columns, expr.Columns(f)...)
	}
	d.Warnings = []warning{}
	for _, w := range h.said() {
		if w, ok := w.For(r.Columns); ok {
			d.Warnings = append(d.Warnings, warning{w})
		}
	}
	return d, nil
}

// inWordsOfCaller returns info with notes that name options as the other language does.
func inWordsOfCaller(info *arrowio.Info) *arrowio.Info {
	if info == nil || len(info.Notes) == 0 {
		return info
	}
	own := *info // a file may keep the other one
	own.Notes = make([]string, len(info.Notes))
	for i, note := range info.Notes {
		own.Notes[i] = respelled(note)
	}
	return &own
}

// look opens a file for fn.
func (h *handle) look(ctx context.Context, fr arrowio.Fragment, fn func(arrowio.File) error) error {
	f, err := fr.Open(ctx)
	if err != nil {
		return err
	}
	err = fn(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// rowsOf returns how many rows a file has; arrowio.UnknownRows = only reading tells.
func rowsOf(f arrowio.File) int64 {
	n := int64(0)
	for _, s := range f.Splits() { // of a part not all
		if !s.Known() {
			return arrowio.UnknownRows
		}
		n += s.Rows.Len()
	}
	return n
}

// formatInfo describes a format.
type formatInfo struct {
	Name       string           `json:"name"`
	Reads      bool             `json:"reads"`
	Writes     bool             `json:"writes"`
	Extensions []string         `json:"extensions"`
	Reading    []arrowio.Option `json:"read_options"`
	Writing    []arrowio.Option `json:"write_options"`
}

func formats() []*formatInfo {
	var out []*formatInfo
	of := map[string]*formatInfo{}
	get := func(name string) *formatInfo {
		f := of[name]
		if f == nil {
			f = &formatInfo{Name: name, Extensions: []string{}, Reading: []arrowio.Option{}, Writing: []arrowio.Option{}}
			of[name], out = f, append(out, f)
		}
		return f
	}
	for _, f := range readers.All() {
		x := get(f.Name)
		x.Reads, x.Reading = true, append(x.Reading, f.Options...)
		x.Extensions = append(x.Extensions, f.Extensions...)
	}
	for _, f := range writers.All() {
		x := get(f.Name)
		x.Writes, x.Writing = true, append(x.Writing, f.Options...)
		if len(f.Extensions) > 0 {
			x.Extensions = append([]string{}, f.Extensions...)
		}
	}
	return out
}
