package orc

import (
	"context"
	"fmt"
	"strings"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// notes lists what a careful user should know.
func (b *infoBuilder) notes() {
	note := func(format string, args ...any) { b.Notes = append(b.Notes, fmt.Sprintf(format, args...)) }
	f := b.File
	if f.src.Size() == 0 {
		note("a file of no bytes stands for a table without rows and columns")
		return
	}
	if n := len(f.footer.Stripes); b.read < n {
		note("bytes, encodings and indexes of columns are those of the first %d of %d stripes; arrowio inspect --blocks reads all", b.read, n)
	}
	if b.damaged > 0 {
		note("%d of %d stripes cannot be read: nothing of them is in what is said of columns", b.damaged, b.read)
	}
	if b.noZone > 0 && f.has(orcwire.Timestamp) {
		zone := "UTC"
		if f.opt.Timezone != "" {
			zone = f.opt.Timezone
		}
		which := "no writer time zone"
		if b.noZone < b.read {
			which = fmt.Sprintf("%d of %d stripes name no writer time zone", b.noZone, b.read)
		}
		note("%s: timestamps are read as of %s (--orc-timezone)", which, zone)
	}
	if len(b.order) > 1 && f.has(orcwire.Timestamp) {
		note("stripes were written in different time zones: %s", strings.Join(b.order[:min(len(b.order), 8)], ", "))
	}
	if f.has(orcwire.Date, orcwire.Timestamp) && f.opt.Calendar == "" && f.footer.Calendar == orcwire.CalendarUnknown && f.hybrid {
		note("the file does not say its calendar: days before 1582-10-15 are taken for Julian (--orc-calendar)")
	}
	if !f.quirks.RealNames() && hiveNames(f.footer.Types[0]) {
		note("columns have the names that old Hive gave them: match them by position (--orc-by=position)")
	}
	if !f.quirks.StripeStatsTrusted() {
		note("statistics are not used: the writer, version %d, got some wrong", f.ps.WriterVersion)
	}
	for _, t := range f.footer.Types {
		if t.Kind == orcwire.Decimal && t.Precision == 0 {
			p, s := t.DecimalType()
			note("decimals without precision (Hive 0.11) are shown as decimal(%d, %d) (--%s)", p, s, optionDecimal)
			break
		}
	}
	if major, minor := f.ps.FileVersion(); major > 0 || minor > 12 {
		note("version %d.%d of the format is not released: the file is read as far as it is understood", major, minor)
	}
	if f.ps.Magic != orcwire.Magic {
		note("the postscript has no magic, the header has")
	}
	if f.ps.MetadataLength == 0 && len(f.footer.Stripes) > 0 {
		note("no statistics of stripes")
	}
	if f.footer.RowIndexStride == 0 && len(f.footer.Stripes) > 0 {
		note("no row index: filters leave out whole stripes only")
	}
}

// hiveNames reports whether the root's children are named _col0, _col1 and so on.
func hiveNames(root *orcwire.Type) bool {
	for i, n := range root.Names {
		if n != fmt.Sprintf("_col%d", i) {
			return false
		}
	}
	return len(root.Names) > 0
}

// encryption notes which columns are encrypted, and whether this reader has the key. If it has, the statistics are those
// of what it reads.
func (b *infoBuilder) encryption(ctx context.Context) error {
	f := b.File
	e := f.footer.Encryption
	if e == nil {
		return nil
	}
	masks := map[int]string{}
	for _, m := range e.Masks {
		for _, id := range m.Columns {
			masks[id] = m.Name
			if len(m.Params) > 0 {
				masks[id] += "(" + strings.Join(m.Params, ", ") + ")"
			}
		}
	}
	hidden := 0
	for i, v := range e.Variants {
		k := e.Keys[v.Key]
		text := fmt.Sprintf("key %q version %d", k.Name, k.Version)
		if f.secrets.has(i) {
			text += ", readable"
		} else {
			hidden++
			text += ", masked"
			if m := masks[v.Root]; m != "" {
				text += " by " + m
			}
		}
		root := f.footer.Types[v.Root]
		for id := root.ID; id <= root.Last; id++ {
			c := &b.Columns[id]
			if c.Secret != "" {
				c.Secret += "; "
			}
			c.Secret += text
		}
		if f.secrets.has(i) {
			if err := b.secretColumns(ctx, i, root); err != nil {
				return err
			}
		}
	}
	if hidden > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("%d of %d encrypted columns are shown masked, as their keys are not here (--orc-keys)", hidden, len(e.Variants)))
	}
	return nil
}

// secretColumns puts the statistics of a variant in place of those of the masked columns.
func (b *infoBuilder) secretColumns(ctx context.Context, variant int, root *orcwire.Type) error {
	x, err := b.secretStats(ctx, variant, false)
	if err != nil {
		return err
	}
	for id := root.ID; id <= root.Last; id++ {
		if used, ok := b.secrets.variant(id); !ok || used != variant {
			continue
		}
		s, err := x.column(id)
		if err != nil {
			return located(err, "encrypted statistics of the file", b.tail.footer.Off)
		}
		b.Columns[id].Stats = b.statsInfo(b.footer.Types[id], &s, b.footer.Rows)
	}
	return nil
}
