package main

import (
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// exportPlaces says to which table of an export a warning belongs. Each table is read by itself, and what is found then may be about others.
type exportPlaces struct {
	tables map[string]string            // by tablet, the id of its table, which is exported
	names  map[string]string            // by the name of a table that is exported, its id
	later  map[string][]arrowio.Warning // by table, what is known before it is read
	told   map[string]bool              // tablets without a table of which was told
	table  string                       // that is read
}

// name adds a table. Of several with one name nothing is known of what is told by the name.
func (p *exportPlaces) name(name, id string) {
	if _, twice := p.names[name]; twice {
		id = ""
	}
	p.names[name] = id
}

// list takes what is known before tables are read: what is about a table waits for it, and tell tells the rest.
func (p *exportPlaces) list(w arrowio.Warning, tell func(arrowio.Warning)) {
	if table := p.tableOf(w.Place); table != "" {
		p.later[table] = append(p.later[table], w)
		return
	}
	tell(w)
	p.told[tabletOf(w.Place)] = true
}

// tableOf returns the id of the table that a warning's place is of; "" = it is not known, or not exported.
func (p *exportPlaces) tableOf(place string) string {
	if name, ok := strings.CutPrefix(place, "table "); ok {
		return p.names[name]
	}
	return p.tables[tabletOf(place)]
}

// tabletOf returns the tablet of a warning's place; "" = it is of none.
func tabletOf(place string) string {
	id, ok := strings.CutPrefix(place, "tablet ")
	if !ok {
		return ""
	}
	id, _, _ = strings.Cut(id, ",")
	return id
}

// pass reports whether a warning is told elsewhere: of a tablet of another table, or of one whose table is not known.
func (p *exportPlaces) pass(w arrowio.Warning) bool {
	if table := p.tableOf(w.Place); table != "" {
		return table != p.table
	}
	tablet := tabletOf(w.Place)
	return tablet != "" && p.told[tablet]
}
