package main

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// planRequest asks for the parts that a scan can be divided into.
type planRequest struct {
	Call   string    `json:"call"`
	Handle uint64    `json:"handle"`
	Where  string    `json:"where"`
	Rows   *[2]int64 `json:"rows"`
	Parts  int       `json:"parts"` // about so many; 0 = by size
}

// planned is the answer: parts that hold all rows of the scan, each once, in order.
type planned struct {
	Whole whole  `json:"whole"`
	Parts []part `json:"parts"`
}

// part is a part of a scan: see dataset.Part.
type part struct {
	Files []partFile `json:"files"`
	Rows  *[2]int64  `json:"rows,omitempty"` // of these files together; null = all of them
	Count *int64     `json:"count"`          // how many rows there are; null = not known before reading
	Bytes int64      `json:"bytes"`          // stored
}

const maxParts = 1 << 20

func planHandle(ctx context.Context, request string) (*planned, error) {
	var r planRequest
	if err := parse(request, &r); err != nil {
		return nil, err
	}
	if r.Parts < 0 || r.Parts > maxParts {
		return nil, errs.Errorf(errs.ErrOption, "parts is %d; it may be 1 to %d", r.Parts, maxParts)
	}
	h, err := take(r.Handle)
	if err != nil {
		return nil, err
	}
	defer h.release()
	o := dataset.PartOptions{Parts: r.Parts}
	if r.Rows != nil {
		o.Rows = &arrowio.RowRange{Start: r.Rows[0], End: r.Rows[1]}
	}
	f, err := filterOf(r.Where)
	if err != nil {
		return nil, err
	}
	if f != nil {
		if o.Filter, err = expr.Bind(f, h.Schema); err != nil {
			return nil, err
		}
	}
	out := &planned{Parts: []part{}}
	if out.Whole, err = h.whole(); err != nil {
		return nil, err
	}
	parts, err := h.Parts(ctx, o)
	if err != nil {
		return nil, h.locate(err)
	}
	for _, p := range parts {
		x, err := h.part(p)
		if err != nil {
			return nil, err
		}
		out.Parts = append(out.Parts, x)
	}
	return out, nil
}

// part returns p with what another process needs to open its files.
func (h *handle) part(p dataset.Part) (part, error) {
	out := part{Bytes: p.Bytes}
	if p.Rows != arrowio.UnknownRows {
		out.Count = &p.Rows
	}
	if r := p.Range; r != nil {
		out.Rows = &[2]int64{r.Start, r.End}
	}
	for _, f := range p.Files {
		x := partFile{FilePart: f, Input: h.inputs[f.Fragment], Schema: h.shapes.of(f.Fragment)}
		if x.Schema < 0 {
			return out, about(x.Input.Path, errs.Errorf(errs.ErrUnsupported, "the file was not looked at when the dataset was opened: open it without a filter, and plan with one"))
		}
		out.Files = append(out.Files, x)
	}
	return out, nil
}

// whole returns what parts of h say of it.
func (h *handle) whole() (whole, error) {
	w := whole{Open: h.request, Schema: dataset.SchemaHash(h.Schema)}
	w.Open.Call, w.Open.Paths, w.Open.Stores = "", nil, h.request.Stores.withoutSecrets()
	w.Open.Place = nil // of this process
	for k, s := range h.shapes.all {
		b, err := schemaBytes(s)
		if err != nil {
			return w, err
		}
		w.Schemas = append(w.Schemas, fileSchema{h.inputs[h.shapes.first[k]], b})
	}
	if h.request.Partitions == "none" {
		return w, nil
	}
	keys := h.inputs[0].Keys() // of all of them, or there were no dataset
	for i, key := range keys {
		t := h.Schema.Field(h.Schema.NumFields() - len(keys) + i).Type
		for name, x := range columnTypes {
			if x.ID() == t.ID() {
				if w.Types == nil {
					w.Types = map[string]string{}
				}
				w.Types[key] = name
			}
		}
	}
	return w, nil
}
