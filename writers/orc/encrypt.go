package orc

import (
	"cmp"
	"crypto/rand"
	"io"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Encrypted columns are written twice (docs/formats/orc.md, "Encryption"): a node in clear encodes what the mask leaves,
// and a second node, node.secret, what is true. Each has streams, indexes, bloom filters, encodings and statistics of
// its own. What the second makes is encrypted when it is whole and compressed, just before it is written.

// encryption is what a plan says of the columns that are encrypted. nil = none is.
type encryption struct {
	keys   orcwire.KeyRing
	random io.Reader // of local keys
	// info is as the footer has it, but for what a file adds: local keys and statistics.
	info   orcwire.Encryption
	roots  map[int]int      // the variant by its root's type id
	masks  map[int]maskName // by type id, of whole subtrees
	hidden map[int]bool     // types that are null in clear
}

// planEncryption reads the options that name keys and columns.
func planEncryption(given map[string]string, types []*orcwire.Type) (*encryption, error) {
	if s := given["orc-encrypt"]; s == "" || s == "none" {
		return nil, nil
	}
	wants, err := parseEncrypt(given["orc-encrypt"])
	if err != nil {
		return nil, err
	}
	if k := given["orc-keys"]; k == "" || k == "none" {
		return nil, errs.Errorf(errs.ErrOption, "%w needs master keys, which %w gives", errs.Opt("orc-encrypt", ""), errs.Opt("orc-keys", ""))
	}
	text, err := options.JSON("orc-keys", given["orc-keys"])
	if err != nil {
		return nil, err
	}
	e := &encryption{random: rand.Reader, roots: map[int]int{}, masks: map[int]maskName{}, hidden: map[int]bool{}}
	if e.keys, err = orcwire.ParseKeys(text); err != nil {
		return nil, err
	}
	for _, w := range wants {
		if err := e.want(w, types); err != nil {
			return nil, err
		}
	}
	e.finish()
	return e, nil
}

// want adds the columns that one part of the option names.
func (e *encryption) want(w encrypted, types []*orcwire.Type) error {
	key, ok := e.keys.Newest(w.key)
	if !ok {
		return errs.Errorf(errs.ErrOption, "%w: there is no key %q, only %s", errs.Opt("orc-encrypt", ""), w.key, e.keys)
	}
	k := slices.Index(e.info.Keys, key)
	if k < 0 {
		k = len(e.info.Keys)
		e.info.Keys = append(e.info.Keys, key)
	}
	for _, path := range w.columns {
		found := false
		for _, t := range types {
			if !slices.Equal(namesTo(t), path) {
				continue
			}
			found = true
			if err := e.add(t, k, w.mask); err != nil {
				return err
			}
		}
		if !found {
			return errs.Errorf(errs.ErrOption, "%w: there is no column %q", errs.Opt("orc-encrypt", ""), strings.Join(path, "."))
		}
	}
	return nil
}

// namesTo returns the names from below the root down to a type: none for the root struct.
func namesTo(t *orcwire.Type) (names []string) {
	for ; t != nil && (t.Parent != nil || t.Kind != orcwire.Struct); t = t.Parent {
		names = append(names, t.Name())
	}
	slices.Reverse(names)
	return names
}

// add encrypts a type and all below it.
func (e *encryption) add(root *orcwire.Type, key int, mask maskName) error {
	for _, v := range e.info.Variants {
		if other := v.Root; root.ID <= other && other <= root.Last {
			return errs.Errorf(errs.ErrOption, "%w: column %s is encrypted twice, or a column in it", errs.Opt("orc-encrypt", ""), root.Path())
		}
	}
	for t := root.Parent; t != nil; t = t.Parent {
		if _, ok := e.roots[t.ID]; ok {
			return errs.Errorf(errs.ErrOption, "%w: column %s is in %s, which is encrypted whole", errs.Opt("orc-encrypt", ""), root.Path(), t.Path())
		}
	}
	if err := e.mask(root, mask, false); err != nil {
		return err
	}
	e.roots[root.ID] = 0 // until finish
	e.info.Variants = append(e.info.Variants, orcwire.Variant{Root: root.ID, Key: key})
	i := slices.IndexFunc(e.info.Masks, func(m orcwire.Mask) bool { return m.Name == string(mask) })
	if i < 0 {
		i = len(e.info.Masks)
		e.info.Masks = append(e.info.Masks, orcwire.Mask{Name: string(mask)})
	}
	e.info.Masks[i].Columns = append(e.info.Masks[i].Columns, root.ID)
	return nil
}

// mask decides what stands in clear for a type and all below it. hidden: its parent is null.
func (e *encryption) mask(t *orcwire.Type, m maskName, hidden bool) error {
	null, err := m.nulls(t)
	if err != nil {
		return errs.Locate(err, errs.At{Column: t.Path()})
	}
	if p := t.Parent; null && !hidden && p != nil && p.Kind == orcwire.Map && t == p.Children[0] {
		return errs.Errorf(errs.ErrOption, "%w: the mask %s leaves null keys in map %s, which few readers bear: encrypt the map whole, with nullify", errs.Opt("orc-encrypt", ""), m, p.Path())
	}
	e.masks[t.ID] = m
	e.hidden[t.ID] = null || hidden
	for _, child := range t.Children {
		if err := e.mask(child, m, null || hidden); err != nil {
			return err
		}
	}
	return nil
}

// finish puts keys, variants and masks in the order in which Java has them: by name, and by column.
func (e *encryption) finish() {
	keys := slices.Clone(e.info.Keys)
	slices.SortFunc(keys, func(a, b orcwire.Key) int { return cmp.Compare(a.Name, b.Name) })
	for i := range e.info.Variants {
		v := &e.info.Variants[i]
		v.Key = slices.Index(keys, e.info.Keys[v.Key])
	}
	e.info.Keys = keys
	slices.SortFunc(e.info.Variants, func(a, b orcwire.Variant) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Root, b.Root))
	})
	for i, v := range e.info.Variants {
		e.roots[v.Root] = i
	}
	slices.SortFunc(e.info.Masks, func(a, b orcwire.Mask) int { return cmp.Compare(a.Name, b.Name) })
	for _, m := range e.info.Masks {
		slices.Sort(m.Columns)
	}
	e.info.Provider = orcwire.ProviderHadoop
}

// says adds how a column is protected to what a plan says of its encoding.
func (e *encryption) says(t *orcwire.Type, encoding string) string {
	if e == nil {
		return encoding
	}
	for r := t; r != nil; r = r.Parent {
		v, ok := e.roots[r.ID]
		if !ok {
			continue
		}
		if encoding != "" {
			encoding += "; "
		}
		key := e.info.Keys[e.info.Variants[v].Key]
		return encoding + "encrypted with key " + key.Name + ", in clear " + e.masks[t.ID].leaves(t, e.hidden[t.ID])
	}
	return encoding
}

// protect gives a node in clear its mask, and its secret where a variant begins with it.
func (w *writer) protect(n *node) {
	e := w.d.crypt
	if e == nil || n.variant >= 0 {
		return
	}
	n.hidden = e.hidden[n.typ.ID]
	if m := e.masks[n.typ.ID]; !n.hidden {
		n.mask = m.of(n.typ)
		n.find.Dictionaries = n.mask == nil // else strings come one by one
	} else {
		n.bloom = nil // it would hold nothing
	}
	if v, ok := e.roots[n.typ.ID]; ok {
		n.secret = w.newNode(n.typ, n.arrow, v)
		n.below = append(slices.Clone(n.below), n.secret)
	}
}

// writeHidden encodes nulls in place of n slots.
func (n *node) writeHidden(slots int) {
	n.present.PutAll(slots, false)
	n.nulls = n.nulls || slots > 0
	n.stats.count(0, slots > 0)
}

// secrets are what a file keeps of its variants until it ends.
type secrets struct {
	e       *encryption
	local   []*orcwire.LocalKey // by variant
	wrapped [][]byte
	stats   [][][]*orcwire.ColumnStats // of stripes, by variant and by column from its root on
}

// open makes the local keys of a new file: no two files have the same.
func (e *encryption) open(types []*orcwire.Type) (*secrets, error) {
	if e == nil {
		return nil, nil
	}
	x := &secrets{e: e}
	for _, v := range e.info.Variants {
		k := &e.info.Keys[v.Key]
		wrapped := make([]byte, orcwire.Algorithm(k.Algorithm).KeyBytes())
		if _, err := io.ReadFull(e.random, wrapped); err != nil {
			return nil, errs.Errorf(errs.ErrInternal, "no random numbers for a key: %w", err)
		}
		local, err := e.keys.Unwrap(k, wrapped)
		if err != nil {
			return nil, errs.Errorf(errs.ErrInternal, "a local key for %q: %w", k.Name, err)
		}
		x.local = append(x.local, local)
		x.wrapped = append(x.wrapped, wrapped)
		x.stats = append(x.stats, make([][]*orcwire.ColumnStats, types[v.Root].Last-v.Root+1))
	}
	return x, nil
}

// seal encrypts a stream of a variant in place; -1 is what stays in clear.
func (x *secrets) seal(variant, column int, kind orcwire.StreamKind, stripe int64, parts ...[]byte) error {
	if variant < 0 {
		return nil
	}
	c, err := x.local[variant].Stream(column, kind, stripe)
	if err != nil {
		return errs.Errorf(errs.ErrInternal, "%w", err)
	}
	c.Apply(parts...)
	return nil
}

// number gives a new stripe its number and its keys.
func (x *secrets) number(s *orcwire.StripeInfo, before int) error {
	if x == nil {
		return nil
	}
	if before >= orcwire.MostEncryptStripes {
		return errs.Errorf(errs.ErrLimit, "over %d stripes in a file with encrypted columns: write larger stripes", before)
	}
	s.EncryptStripeID, s.EncryptedLocalKeys = int64(before)+1, x.wrapped
	return nil
}

// keep remembers the statistics of a stripe, by variant.
func (x *secrets) keep(variants []copied) {
	for v, c := range variants {
		for i, s := range c.stats {
			x.stats[v][i] = append(x.stats[v][i], s)
		}
	}
}

// sealedTail returns what the footer says, and the statistics of stripes that stand before the metadata.
func (f *file) sealedTail() (*orcwire.Encryption, []byte, error) {
	x := f.secrets
	if x == nil {
		return nil, nil, nil
	}
	e := x.e.info
	e.Variants = slices.Clone(e.Variants)
	id := int64(len(f.stripes)) + 1
	var all []byte
	for i, c := range f.w.copies()[1:] {
		v := &e.Variants[i]
		v.EncryptedKey = x.wrapped[i]
		for k, stripes := range x.stats[i] {
			b, err := f.chunks(orcwire.AppendFileStats(nil, orcwire.StatsOf(stripes)))
			if err == nil {
				err = x.seal(i, v.Root+k, orcwire.StripeStatistics, id, b)
			}
			if err != nil {
				return nil, nil, err
			}
			v.StripeStats = append(v.StripeStats, orcwire.Stream{Kind: orcwire.StripeStatistics, Column: v.Root + k, Length: int64(len(b))})
			all = append(all, b...)
		}
		var stats []*orcwire.ColumnStats
		for _, n := range c.nodes {
			stats = append(stats, n.stats.file())
		}
		b, err := f.chunks(orcwire.AppendFileStats(nil, orcwire.StatsOf(stats)))
		if err == nil {
			err = x.seal(i, v.Root, orcwire.FileStatistics, id, b)
		}
		if err != nil {
			return nil, nil, err
		}
		v.FileStats = b
	}
	return &e, all, nil
}

// copied is one form of columns in a stripe: all of them in clear, or those of an encryption variant.
type copied struct {
	variant     int     // -1 = in clear
	nodes       []*node // by type id
	index, data []orcwire.Stream
	encodings   []orcwire.Encoding
	stats       []*orcwire.ColumnStats
}

// copies returns the form in clear and then those of the variants, in order.
func (w *writer) copies() []copied {
	all := []copied{{variant: -1}}
	if e := w.d.crypt; e != nil {
		all = make([]copied, 1+len(e.info.Variants))
		for i := range all {
			all[i].variant = i - 1
		}
	}
	w.eachNode(func(n *node) {
		all[0].nodes = append(all[0].nodes, n)
		if n.secret != nil {
			c := &all[1+n.secret.variant]
			n.secret.each(func(s *node) { c.nodes = append(c.nodes, s) })
		}
	})
	return all
}

// directory is the stripe footer of what has been written: what is encrypted shows as one stream of each area.
func directory(all []copied) *orcwire.StripeFooter {
	foot := &orcwire.StripeFooter{Timezone: "UTC", Encodings: all[0].encodings}
	add := func(streams []orcwire.Stream, hole orcwire.StreamKind, of func(*copied) []orcwire.Stream) {
		foot.Streams = append(foot.Streams, streams...)
		n := int64(0)
		for i := range all[1:] {
			for _, s := range of(&all[1+i]) {
				n += s.Length
			}
		}
		if n > 0 {
			foot.Streams = append(foot.Streams, orcwire.Stream{Kind: hole, Length: n})
		}
	}
	add(all[0].index, orcwire.EncryptedIndex, func(c *copied) []orcwire.Stream { return c.index })
	add(all[0].data, orcwire.EncryptedData, func(c *copied) []orcwire.Stream { return c.data })
	for _, c := range all[1:] {
		foot.Encryption = append(foot.Encryption, orcwire.StripeVariant{Streams: slices.Concat(c.index, c.data), Encodings: c.encodings})
	}
	return foot
}
