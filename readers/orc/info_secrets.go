package orc

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// secretStats are the statistics of the columns that one encryption variant holds: those in clear are of what stands in
// their place.
type secretStats struct {
	root int               // the first of the columns
	file orcwire.StatsList // by column, from root on

	stripes []orcwire.StatsList // by column, from root on, and then by stripe; nil = not read
}

// column returns what is known of a column in the whole file.
func (x *secretStats) column(id int) (orcwire.ColumnStats, error) { return x.file.At(id - x.root) }

// stripe returns what is known of a column in a stripe.
func (x *secretStats) stripe(id, stripe int) (orcwire.ColumnStats, error) {
	if i := id - x.root; i < len(x.stripes) {
		return x.stripes[i].At(stripe)
	}
	return orcwire.ColumnStats{}, nil
}

// secretStats reads the statistics of a variant whose key is at hand; those of stripes too if they are asked for.
func (f *File) secretStats(ctx context.Context, variant int, stripes bool) (*secretStats, error) {
	e := f.footer.Encryption
	v := &e.Variants[variant]
	key, err := f.secrets.keys.Unwrap(&e.Keys[v.Key], v.EncryptedKey)
	if err != nil {
		return nil, err
	}
	x := &secretStats{root: v.Root}
	tail := int64(len(f.footer.Stripes)) + 1
	raw, err := f.decrypt(key, v.Root, orcwire.FileStatistics, tail, v.FileStats)
	if err == nil {
		x.file, err = orcwire.ParseFileStats(raw, f.limits)
	}
	if err != nil || !stripes {
		return x, located(err, "encrypted statistics of the file", f.tail.footer.Off)
	}
	off := f.tail.stats.Off // variants lie there one behind the other
	for _, before := range e.Variants[:variant] {
		for _, s := range before.StripeStats {
			if off += s.Length; off < 0 || off > f.tail.stats.End() {
				return nil, located(errs.Errorf(errs.ErrCorrupt, "they are longer than their part of the file"), "encrypted statistics of stripes", f.tail.stats.Off)
			}
		}
	}
	for _, s := range v.StripeStats {
		if s.Length > f.tail.stats.End()-off {
			return nil, located(errs.Errorf(errs.ErrCorrupt, "they are longer than their part of the file"), "encrypted statistics of stripes", off)
		}
		packed, err := f.readPart(ctx, arrowio.ByteRange{Off: off, Len: s.Length}, "encrypted statistics of stripes")
		if err != nil {
			return nil, err
		}
		raw, err := f.decrypt(key, s.Column, orcwire.StripeStatistics, tail, packed)
		if err != nil {
			return nil, located(err, "encrypted statistics of stripes", off)
		}
		list, err := orcwire.ParseFileStats(raw, f.limits)
		if err != nil {
			return nil, located(err, "encrypted statistics of stripes", off)
		}
		x.stripes = append(x.stripes, list)
		off += s.Length
	}
	return x, nil
}

// decrypt decrypts and unpacks what stands in the tail.
func (f *File) decrypt(key *orcwire.LocalKey, column int, kind orcwire.StreamKind, stripe int64, b []byte) ([]byte, error) {
	c, err := key.Stream(column, kind, stripe)
	if err != nil {
		return nil, err
	}
	plain := make([]byte, len(b))
	c.XOR(plain, b, 0)
	return f.unpack(plain)
}
