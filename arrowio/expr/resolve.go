package expr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Resolve finds the field that a dotted path names. It returns the position of the top-level field, then those of the children of
// structs that lead to the field. Lists and maps have no position of their own: the path goes through a list to the struct inside
// it (the path may name the element), and through a map to the struct that its values are.
//
// A path that equals the name of a top-level field names that field. Otherwise it is split at its dots. Since names may contain
// dots, the longest name is tried first at each level. A name in double quotes or backquotes is taken literally; a quote inside
// it is doubled. See Quote.
//
// If no field has exactly the given name, and the name is not quoted, it is compared without regard to case (Unicode simple
// folding): `price` finds the field Price, unless several fields have that name in some case. ResolveExact does not do that.
//
// A number chooses a column whose name is not unique: #2 is the second field of the schema, and #2.x a child of it. If a field
// has the name #2, the path names that field. Predicates do not take numbers.
//
// The key or the value of a map cannot be chosen alone: such a path is an error. A path into a union, a name that fits two
// fields, and a name that fits none are errors, too; the last one lists the fields that exist.
func Resolve(s *arrow.Schema, path string) ([]int, error) {
	r, err := resolve(s, path)
	if err == nil {
		return r.ids, nil
	}
	if i, rest, ok := numbered(s, path); ok {
		return resolveIn(s, i, rest)
	}
	return r.ids, chooseByNumber(err, s, path)
}

// Numbered reports whether a path begins with the number of a column, as in #2. Such a path names another column in another
// schema.
func Numbered(path string) bool {
	first, _, _ := strings.Cut(path, ".")
	n, err := strconv.Atoi(strings.TrimPrefix(first, "#"))
	return err == nil && first == "#"+strconv.Itoa(n)
}

// numbered returns the top-level field that the number at the front of a path stands for, and the path behind it.
func numbered(s *arrow.Schema, path string) (i int, rest string, ok bool) {
	if !Numbered(path) {
		return 0, "", false
	}
	first, rest, _ := strings.Cut(path[1:], ".")
	n, err := strconv.Atoi(first)
	return n - 1, rest, err == nil && n >= 1 && n <= s.NumFields()
}

// resolveIn follows a path in field i of a schema; "" = the field itself.
func resolveIn(s *arrow.Schema, i int, path string) ([]int, error) {
	if path == "" {
		return []int{i}, nil
	}
	f := s.Field(i)
	r, err := resolve(arrow.NewSchema([]arrow.Field{f}, nil), quoteAll([]string{f.Name})+"."+path)
	if err != nil {
		return nil, err
	}
	r.ids[0] = i
	return r.ids, nil
}

// chooseByNumber adds to the error of a name that several top-level fields have by which numbers lists of columns choose one.
func chooseByNumber(err error, s *arrow.Schema, path string) error {
	segs, bad := splitPath(path)
	if bad != nil || !errors.Is(err, errs.ErrSameName) {
		return err
	}
	ids := s.FieldIndices(path)
	for end := len(segs); end > 0 && len(ids) < 2; end-- {
		name, ok := (&resolver{path: path, segs: segs}).join(0, end)
		if ok {
			ids = s.FieldIndices(name)
		}
	}
	if len(ids) < 2 {
		return err
	}
	return fmt.Errorf("%w; a list of columns chooses one by its number: #%d or #%d", err, ids[0]+1, ids[1]+1)
}

// ResolveExact is Resolve, except that names must match including case. Use it for a schema that has only some of the columns, in
// which a field that differs in case may be another column.
func ResolveExact(s *arrow.Schema, path string) ([]int, error) {
	r, err := resolveNames(s, path, false)
	return r.ids, err
}

// resolved is what a path leads to.
type resolved struct {
	ids     []int
	through arrow.DataType // the list or map that the path goes through; nil = none
	folded  bool           // names were found without regard to case
}

// resolve finds names as they are written, and otherwise without regard to case.
func resolve(s *arrow.Schema, path string) (resolved, error) {
	r, err := resolveNames(s, path, false)
	if err == nil {
		return r, nil
	}
	folded, ferr := resolveNames(s, path, true)
	switch {
	case ferr == nil:
		folded.folded = true
		return folded, nil
	case errors.Is(ferr, errAmbiguous):
		return folded, ferr
	}
	return r, err
}

var errAmbiguous = errors.New("write the name as it is spelled there")

var errNoField = errors.New("no field")

func resolveNames(s *arrow.Schema, path string, fold bool) (resolved, error) {
	top := schemaLevel{s}
	if ids := top.find(path); len(ids) == 1 {
		return resolved{ids: []int{ids[0]}}, nil
	} else if len(ids) > 1 {
		return resolved{}, fmt.Errorf("%q %w: there are %d", path, errs.ErrSameName, len(ids))
	}
	segs, err := splitPath(path)
	if err != nil {
		return resolved{}, fmt.Errorf("path %q: %w", path, err)
	}
	r := resolver{path: path, segs: segs, fold: fold, failed: map[failure]struct{}{}}
	ids, ok := r.fields(top, 0)
	if !ok {
		if len(segs) == 1 { // the error has the whole path
			return resolved{}, r.err
		}
		return resolved{}, fmt.Errorf("path %q: %w", path, r.err)
	}
	slices.Reverse(ids)
	return resolved{ids: ids, through: r.through}, nil
}

// findFold lists the fields of l whose names differ from name in case at most.
func (r *resolver) findFold(l level, name string) []int {
	index := r.folded[l]
	if index == nil {
		index = map[string][]int{}
		for i := range l.len() {
			key := string(appendFold(nil, l.field(i).Name))
			index[key] = append(index[key], i)
		}
		if r.folded == nil {
			r.folded = map[level]map[string][]int{}
		}
		r.folded[l] = index
	}
	return index[string(appendFold(nil, name))]
}

// namesOf lists names of fields.
func namesOf(l level, ids []int) string {
	var out []string
	for _, i := range ids[:min(len(ids), maxSuggestions)] {
		out = append(out, fmt.Sprintf("%.64q", l.field(i).Name))
	}
	return strings.Join(out, ", ")
}

// level is a set of sibling fields: a schema's or a struct's.
type level interface {
	find(name string) []int
	field(i int) arrow.Field
	len() int
}

type schemaLevel struct{ *arrow.Schema }

func (l schemaLevel) find(name string) []int  { return l.FieldIndices(name) }
func (l schemaLevel) field(i int) arrow.Field { return l.Field(i) }
func (l schemaLevel) len() int                { return l.NumFields() }

type structLevel struct{ *arrow.StructType }

func (l structLevel) find(name string) []int  { return l.FieldIndices(name) }
func (l structLevel) field(i int) arrow.Field { return l.Field(i) }
func (l structLevel) len() int                { return l.NumFields() }

// resolver walks a path with backtracking. It keeps the error of the attempt that got furthest.
type resolver struct {
	path    string
	segs    []segment
	fold    bool // names without quotes match in any case where none matches as it is written
	folded  map[level]map[string][]int
	failed  map[failure]struct{} // what was tried below a struct in vain: keeps backtracking linear
	through arrow.DataType
	err     error
	errAt   int
}

type failure struct {
	t  *arrow.StructType
	at int
}

func (r *resolver) fail(at int, format string, args ...any) ([]int, bool) {
	if r.err == nil || at > r.errAt {
		r.err, r.errAt = fmt.Errorf(format, args...), at
	}
	return nil, false
}

// fields resolves the names from at on among the fields of l, and returns the positions in reverse.
func (r *resolver) fields(l level, at int) ([]int, bool) {
	if s, ok := l.(structLevel); ok {
		if _, again := r.failed[failure{s.StructType, at}]; again {
			return nil, false
		}
		defer func() { r.failed[failure{s.StructType, at}] = struct{}{} }() // never asked again after success
	}
	found := false
	for end := len(r.segs); end > at; end-- {
		name, ok := r.join(at, end)
		if !ok {
			continue
		}
		ids := l.find(name)
		if len(ids) == 0 && r.fold && !r.segs[at].quoted {
			if ids = r.findFold(l, name); len(ids) > 1 {
				return r.fail(len(r.segs), "%q%s is not found, and several names differ from it in case only: %s; %w", name, r.in(at), namesOf(l, ids), errAmbiguous)
			}
		}
		switch {
		case len(ids) > 1:
			return r.fail(end, "%q %w: there are %d%s", name, errs.ErrSameName, len(ids), r.in(at))
		case len(ids) == 0:
			continue
		case end == len(r.segs):
			return []int{ids[0]}, true
		}
		found = true
		if below, ok := r.enter(l.field(ids[0]).Type, end); ok {
			return append(below, ids[0]), true
		}
	}
	if found {
		return nil, false // enter said why
	}
	name, _ := r.join(at, at+1)
	return r.fail(at, "%w %q%s; %s", errNoField, name, r.in(at), suggest(l, name))
}

// join is the name made of the segments from at to end.
func (r *resolver) join(at, end int) (string, bool) {
	if end == at+1 {
		return r.segs[at].name, true
	}
	for _, s := range r.segs[at:end] {
		if s.quoted {
			return "", false
		}
	}
	return r.path[r.segs[at].start:r.segs[end-1].end], true
}

// in says where the names before at lead.
func (r *resolver) in(at int) string {
	if at == 0 {
		return ""
	}
	return " in " + r.path[:r.segs[at-1].end]
}

// enter resolves the names from at on inside a value of type t. The empty result with true is t itself.
func (r *resolver) enter(t arrow.DataType, at int) ([]int, bool) {
	if at == len(r.segs) {
		return nil, true
	}
	switch t := t.(type) {
	case *arrow.StructType:
		return r.fields(structLevel{t}, at)
	case *arrow.MapType:
		if ids, ok := r.via(t, t.ItemType(), at); ok {
			return ids, true
		}
		switch r.segs[at].name {
		case "value", t.ItemField().Name:
			if at+1 < len(r.segs) {
				return r.via(t, t.ItemType(), at+1)
			}
			fallthrough
		case "key", t.KeyField().Name:
			return r.fail(at+1, "half of the map%s cannot be had; it is whole, or narrowed inside the struct that its values are", r.in(at))
		}
		return nil, false
	case *arrow.ListType:
		return r.element(t, t.ElemField(), at)
	case *arrow.LargeListType:
		return r.element(t, t.ElemField(), at)
	case *arrow.FixedSizeListType:
		return r.element(t, t.ElemField(), at)
	case arrow.UnionType:
		return r.fail(at, "%s is a union, which cannot be entered", r.path[:r.segs[at-1].end])
	}
	return r.fail(at, "%s is of type %v, which has no fields", r.path[:r.segs[at-1].end], t)
}

func (r *resolver) element(list arrow.DataType, elem arrow.Field, at int) ([]int, bool) {
	if ids, ok := r.via(list, elem.Type, at); ok {
		return ids, true
	}
	if r.segs[at].name == elem.Name {
		return r.via(list, elem.Type, at+1)
	}
	return nil, false
}

// via is enter for what a list or map holds.
func (r *resolver) via(outer, inner arrow.DataType, at int) ([]int, bool) {
	ids, ok := r.enter(inner, at)
	if ok {
		r.through = outer
	}
	return ids, ok
}

const maxSuggestions = 20

// suggest lists the names of l that are close to name, or else the first ones.
func suggest(l level, name string) string {
	var near, all []string
	for i := range l.len() {
		f := l.field(i).Name
		if len(all) < maxSuggestions {
			all = append(all, fmt.Sprintf("%.64q", f))
		}
		if isClose(f, name) && len(near) < maxSuggestions {
			near = append(near, fmt.Sprintf("%.64q", f))
		}
	}
	switch n := l.len(); {
	case n == 0:
		return "there are none"
	case len(near) > 0:
		return "close names: " + strings.Join(near, ", ")
	case n > len(all):
		return fmt.Sprintf("there are %s and %d more", strings.Join(all, ", "), n-len(all))
	}
	return "there are " + strings.Join(all, ", ")
}

// isClose reports whether one or two edits, or a change of case, turn a into b.
func isClose(a, b string) bool {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return false
	}
	if strings.EqualFold(a, b) {
		return true
	}
	allowed := min(2, len(b)/3)
	if d := len(a) - len(b); d > allowed || -d > allowed {
		return false
	}
	var row [longest + 1]int // of the Levenshtein matrix
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)] <= allowed
}
