package arrowio

import "fmt"

// PlannedKey says what becomes of something that belongs to no column: a key of the schema's metadata or, without a key,
// the file as a whole.
type PlannedKey struct {
	Key    string `json:"key,omitempty"`    // "" = the file as a whole
	Stored string `json:"stored,omitempty"` // where the target keeps it, in its own words
	Loss   string `json:"loss,omitempty"`   // what reading back will not show; "" = nothing
}

// What a Loss is of.
const (
	LossOfColumn   = "column"
	LossOfMetadata = "metadata"
	LossOfFile     = "file"
)

// Loss is one thing that reading back will not show.
type Loss struct {
	Of   string `json:"of"`             // LossOfColumn, LossOfMetadata (a key of the schema's metadata) or LossOfFile (all of it)
	Path string `json:"path,omitempty"` // of the column
	Key  string `json:"key,omitempty"`  // of the schema's metadata, or of a column's where it is all that is lost
	Text string `json:"loss"`
}

// String says what is lost, and of what.
func (l Loss) String() string {
	switch {
	case l.Of == LossOfMetadata && l.Key == "":
		return `metadata "": ` + l.Text
	case l.Of == LossOfMetadata:
		return fmt.Sprintf("metadata %s: %s", l.Key, l.Text)
	case l.Of == LossOfFile:
		return "the file: " + l.Text
	case l.Path == "":
		return `column "": ` + l.Text
	}
	return l.Path + ": " + l.Text
}

// Losses returns everything that reading back will not show: of the file, of its metadata, and of each column. Nil means
// that the schema, its metadata and all values come back as they were.
func (p *WritePlan) Losses() []Loss {
	var out []Loss
	for _, k := range p.Metadata {
		switch {
		case k.Loss == "":
		case k.Key == "":
			out = append(out, Loss{Of: LossOfFile, Text: k.Loss})
		default:
			out = append(out, Loss{Of: LossOfMetadata, Key: k.Key, Text: k.Loss})
		}
	}
	for _, c := range p.Columns {
		if c.Loss != "" {
			out = append(out, Loss{Of: LossOfColumn, Path: c.Path, Text: c.Loss})
		}
	}
	return out
}
