package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/internal/drawing"
)

// Finding is something that stands out: what it is, and why that matters or what to do.
type Finding struct {
	Kind string // "bad", "advice", "good"
	What string
	Why  string
}

// The thresholds of advice. Those of groups are about a tenth of what writers aim at by themselves, 64 MiB and more of a stripe.
const (
	smallGroup    = 8 << 20 // stored bytes of a group on average, and of a file below which it does not matter how it lies
	largeGroup    = 1 << 30 // stored bytes; a reader holds one at a time, and each worker another
	plainBytes    = 1 << 20 // without a codec, from which a codec would be worth it
	uselessCodec  = 1.05    // raw by stored bytes, below which a codec does nothing
	bigColumn     = 0.05    // share of the stored bytes, from which one column matters
	largeIndex    = 0.1     // share of the stored bytes
	largeIndexMin = 1 << 20
	skewGroups    = 4   // rows of the largest group by those of the one in the middle
	wideLookup    = 0.5 // share of groups that a lookup reads, from which statistics do not help
	fewGroups     = 4   // below which order and lookups tell nothing
	fewColumns    = 8   // below which it is no news that few columns hold most bytes
	most          = 0.9
)

// advice lists what stands out in a file.
func (k *file) advice() (out []Finding) {
	add := func(kind, what, why string) { out = append(out, Finding{kind, what, why}) }
	k.adviseGroups(add)
	k.adviseBytes(add)
	k.adviseFilters(add)
	k.adviseValues(add)
	order := map[string]int{"bad": 0, "advice": 1, "good": 2}
	slices.SortStableFunc(out, func(a, b Finding) int { return order[a.Kind] - order[b.Kind] })
	return out
}

// unit is what the format calls a group of rows.
func (k *file) unit() string { return drawing.Unit(k.Info.Format) }

func (k *file) adviseGroups(add func(kind, what, why string)) {
	n := len(k.groups)
	if n == 0 || k.Info.Format == "kudu" {
		return
	}
	var total, largest int64
	var rows []int64
	for _, g := range k.groups {
		b := drawing.Bounded(g.Bytes)
		total += b
		largest = max(largest, b)
		rows = append(rows, g.Rows.Len())
	}
	if mean := total / int64(n); n > 1 && mean < smallGroup && total > smallGroup {
		less := max(1, (total+(64<<20)-1)>>26)
		add("advice", fmt.Sprintf("%ss are small: %s on average", k.unit(), drawing.Bytes(mean)),
			fmt.Sprintf("Each is opened, planned and decompressed by itself. Below %s that costs more than the data. arrowio convert would put the %s into about %s.",
				drawing.Bytes(smallGroup), drawing.Plural(n, k.unit()), drawing.Plural(int(less), k.unit())))
	}
	if largest > largeGroup {
		add("advice", fmt.Sprintf("the largest %s has %s", k.unit(), drawing.Bytes(largest)), "A reader works on a whole one at a time, so memory and the least piece of parallel work are that large. --row-group-bytes of arrowio convert makes smaller ones.")
	}
	slices.Sort(rows)
	if middle := rows[n/2]; n >= fewGroups && middle > 0 && rows[n-1] >= skewGroups*middle {
		add("advice", fmt.Sprintf("%ss are uneven: the largest has %s rows, the one in the middle %s", k.unit(), drawing.Count(rows[n-1]), drawing.Count(middle)),
			"Workers that read them side by side wait for the largest.")
	}
	if k.index > largeIndexMin && float64(k.index) > largeIndex*float64(total) {
		add("advice", "indexes are "+drawing.Share(k.index, total)+" of the bytes", "They pay off only if filters use them. Larger row groups, or bloom filters on fewer columns, make them smaller.")
	}
}

func (k *file) adviseBytes(add func(kind, what, why string)) {
	if k.stored <= 0 {
		return
	}
	var plain int64
	var useless []string
	text, dictionary := 0, false
	for _, c := range k.columns {
		none := c.codec == "" || strings.EqualFold(c.codec, "none") || strings.EqualFold(c.codec, "null") || strings.EqualFold(c.codec, "uncompressed")
		big := float64(c.bytes) >= bigColumn*float64(k.stored) && c.bytes >= plainBytes
		if none {
			plain += drawing.Bounded(c.bytes)
		} else if big && c.raw > 0 && float64(c.raw) < uselessCodec*float64(c.bytes) {
			useless = append(useless, c.path)
		}
		for _, e := range c.encodings {
			dictionary = dictionary || strings.Contains(strings.ToLower(e), "dict")
		}
		if c.kind == "text" && len(c.encodings) > 0 && big && !c.inside {
			text++
		}
	}
	if plain >= plainBytes && plain*2 > k.stored {
		add("advice", "no codec: "+drawing.Share(plain, k.stored)+" of the bytes are stored as they are",
			"Reading is then bound by the disk or the network. arrowio convert --compression zstd tells what a codec makes of it.")
	}
	if len(useless) > 0 {
		add("advice", "a codec that does nothing: "+names(useless), fmt.Sprintf("Stored they are as large as raw (less than %.2f : 1), and are decompressed for it.", uselessCodec))
	}
	if text > 0 && !dictionary {
		add("advice", "no dictionary is used, and "+drawing.Plural(text, "column")+" of text hold "+few(text)+" of the bytes",
			"Either the values differ nearly all, or the writer made no dictionaries. --sample shows how many differ.")
	}
	var sum int64
	var large []string
	for _, c := range k.columns {
		if float64(sum) >= most*float64(k.stored) {
			break
		}
		sum += drawing.Bounded(c.bytes)
		large = append(large, c.path)
	}
	if n := len(k.columns); n >= fewColumns && len(large)*5 <= n {
		add("good", fmt.Sprintf("%d of %d columns hold %s of the bytes: %s", len(large), n, drawing.Share(sum, k.stored), names(large)),
			"A reader that selects columns reads little without these.")
	}
}

// few says how much a number of columns hold at least.
func few(n int) string { return fmt.Sprintf("%.0f\u00a0%% or more", 100*bigColumn*float64(n)) }

func (k *file) adviseFilters(add func(kind, what, why string)) {
	groups := len(k.groups)
	var sorted, nearly, wide, doubts []string
	bloom, ordered, bare := false, 0, 0
	for _, c := range k.columns {
		bloom = bloom || strings.Contains(c.index, "bloom")
		if c.inside { // no filter is about it
			continue
		}
		if c.doubt != "" && c.kind != "structure" {
			doubts = append(doubts, c.path+": "+c.doubt)
		}
		if c.typ == "" || c.kind == "structure" || c.kind == "booleans" || c.kind == "bytes" {
			continue
		}
		ordered++
		if c.min == "" && c.max == "" && c.values != 0 {
			bare++
		}
		r := c.ranges
		if r == nil || r.Groups < fewGroups {
			continue
		}
		switch {
		case r.Order == drawing.Ascending || r.Order == drawing.Descending:
			sorted = append(sorted, c.path)
		case r.Order == drawing.NearlyUp || r.Order == drawing.NearlyDown:
			nearly = append(nearly, c.path)
		case r.Order == drawing.Unordered && r.Lookup >= wideLookup && (c.kind == "text" || c.kind == "whole numbers") && !strings.Contains(c.index, "bloom"):
			wide = append(wide, c.path)
		}
	}
	if k.Filter != nil {
		k.adviseFilter(add)
	}
	if ordered > 0 && bare == ordered && groups > 0 && k.Info.Format != "kudu" {
		add("advice", "no statistics", "No filter leaves anything out: the least and the greatest value of no column are known. Files that arrowio convert writes have them.")
	}
	if len(doubts) > 0 {
		add("advice", "statistics that filters do not trust: "+names(doubts), "They are read as if these columns had none.")
	}
	if len(sorted) > 0 {
		add("good", "sorted by "+names(sorted), fmt.Sprintf("The ranges of %ss do not overlap, so a filter on it reads only what it needs.", k.unit()))
	}
	if len(nearly) > 0 && len(sorted) == 0 && k.stored > smallGroup {
		add("advice", "nearly sorted by "+names(nearly), fmt.Sprintf("Some ranges of %ss overlap. arrowio convert --sort makes them follow one another, and filters read less.", k.unit()))
	}
	if len(wide) > 0 && !bloom && groups >= fewGroups && k.stored > smallGroup {
		add("advice", "no bloom filters, and statistics do not help to look up "+names(wide),
			fmt.Sprintf("A value lies in the ranges of half of the %ss or more. Sorted by such a column, or with a bloom filter on it, a lookup reads few.", k.unit()))
	}
}

// adviseFilter says what would help the filter that was asked about.
func (k *file) adviseFilter(add func(kind, what, why string)) {
	for _, name := range k.Filter.Names {
		i := slices.IndexFunc(k.columns, func(c *column) bool { return c.path == drawing.Named(name) })
		if i < 0 {
			continue
		}
		c := k.columns[i]
		if c.ranges != nil && c.ranges.Lookup >= wideLookup && c.ranges.Groups >= fewGroups && !strings.Contains(c.index, "bloom") {
			add("advice", "no bloom filter on "+c.path+", which the filter is about", "Its statistics leave "+lookupText(c.ranges)+" to a lookup of one value.")
		}
	}
}

func (k *file) adviseValues(add func(kind, what, why string)) {
	var empty, constant, masked, bad []string
	for _, c := range k.columns {
		switch {
		case c.inside: // it cannot be left out alone
		case c.values == 0 && c.nullCount > 0 && c.typ != "":
			empty = append(empty, c.path)
		case c.kind != "structure" && c.min != "" && c.min == c.max && c.nullCount == 0 && c.values > 1 && c.doubt == "" && !strings.HasSuffix(c.min, "…"):
			constant = append(constant, c.path)
		}
		if strings.Contains(c.secret, "masked") {
			masked = append(masked, c.path)
		}
		if c.verdict != "" && !strings.HasPrefix(c.verdict, "ok") {
			bad = append(bad, c.path+": "+c.verdict)
		}
	}
	if len(bad) > 0 {
		add("bad", "checksums do not match: "+names(bad), "The file has changed since it was written.")
	}
	if len(masked) > 0 {
		f := maskedFinding(masked)
		add(f.Kind, f.What, f.Why)
	}
	if len(empty) > 0 {
		add("good", "only nulls: "+names(empty), "Nothing is lost without them.")
	}
	if len(constant) > 0 {
		add("good", "one value in all rows: "+names(constant), "A partition could say it once.")
	}
}

// names lists the first names of many.
func names(list []string) string {
	const shown = 5
	if n := len(list); n > shown {
		return strings.Join(list[:shown], ", ") + " and " + drawing.Number(n-shown) + " more"
	}
	return strings.Join(list, ", ")
}
