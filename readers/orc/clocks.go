package orc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// From 1900 on Java and the C++ library agree on what clocks showed. In milliseconds since 1970, with what bounds may be off by.
const clocksAgree = -2_208_988_800_000 + 25*3_600_000

// noteClocks notes the column t of a stripe whose writer's clocks are zone's, if C++ wrote it and the statistics show times before 1900.
func (f *File) noteClocks(t *orcwire.Type, zone *orcwire.Zone) {
	if _, fixed := zone.Fixed(); fixed || f.quirks.Writer != orcwire.WriterCPP {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Contains(f.oldTimes, t.Path()) {
		return
	}
	s, err := f.footer.Stats.At(t.ID) // who reads the statistics for their own sake reports what is wrong
	if err != nil || s.Timestamp == nil {
		return
	}
	least := s.Timestamp.MinUTC
	if least == nil {
		least = s.Timestamp.Min
	}
	if least != nil && *least < clocksAgree {
		f.oldTimes, f.clocks = append(f.oldTimes, t.Path()), zone.String()
	}
}

// twoClocks is the warning about such columns, of which something has been read.
func (f *File) twoClocks() []arrowio.Warning {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.oldTimes) == 0 {
		return nil
	}
	columns := slices.Sorted(slices.Values(f.oldTimes))
	return []arrowio.Warning{{
		Kind: arrowio.WarnDoubt, Columns: columns,
		Text: fmt.Sprintf("times before 1900 in %s are read as Java reads them; the C++ writer, in the zone %s, may have meant times up to 24½ hours away", strings.Join(columns, ", "), f.clocks),
	}}
}
