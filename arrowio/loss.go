package arrowio

import "fmt"

// PlannedKey says what becomes of a key of the schema's metadata or, without a key, of the file as a whole.
type PlannedKey struct {
	Key    string `json:"key,omitempty"`    // "" = the file as a whole
	Stored string `json:"stored,omitempty"` // where the output keeps it, as its format names the place
	Loss   string `json:"loss,omitempty"`   // what is lost; "" = nothing
}

// Values of Loss.Of.
const (
	LossOfColumn   = "column"
	LossOfMetadata = "metadata"
	LossOfFile     = "file"
)

// Loss is one thing that is lost in writing: reading the output back does not show it.
type Loss struct {
	Of   string `json:"of"`             // LossOfColumn, LossOfMetadata (a key of the schema's metadata) or LossOfFile (the file as a whole)
	Path string `json:"path,omitempty"` // of the column
	Key  string `json:"key,omitempty"`  // key of the schema's metadata, or of the column's if only this key is lost
	Text string `json:"loss"`
	// LeftOut says that the whole column, with all its values, is left out, since the schema that was asked for does not have it.
	LeftOut bool `json:"left_out,omitzero"`
}

// String returns one line: what has lost something, and what is lost.
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

// Losses returns everything that reading the output back does not show: of the file, of its metadata, and of each column. nil =
// the schema, its metadata and all values can be read back unchanged.
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
