package iceberg

import (
	"regexp"
	"strconv"
	"sync"
)

// TransformKind is how a value of a partition follows from the value of a column.
type TransformKind uint8

// The kinds of transforms (Iceberg table specification, "Partition Transforms").
const (
	OtherTransform TransformKind = iota // one that is not known
	Identity
	Bucket
	Truncate
	Year
	Month
	Day
	Hour
	Void
)

// Transform is a kind, with the width of truncate or the number of buckets.
type Transform struct {
	Kind  TransformKind
	Width int64
}

var widthForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(bucket|truncate)\[(\d{1,18})\]$`) })

// ParseTransform reads a transform. Unknown ones are OtherTransform, as the specification demands.
func ParseTransform(text string) Transform {
	switch text {
	case "identity":
		return Transform{Kind: Identity}
	case "year":
		return Transform{Kind: Year}
	case "month":
		return Transform{Kind: Month}
	case "day":
		return Transform{Kind: Day}
	case "hour":
		return Transform{Kind: Hour}
	case "void":
		return Transform{Kind: Void}
	}
	m := widthForm().FindStringSubmatch(text)
	if m == nil {
		return Transform{}
	}
	n, err := strconv.ParseInt(m[2], 10, 64)
	if err != nil || n < 1 {
		return Transform{}
	}
	if m[1] == "bucket" {
		return Transform{Bucket, n}
	}
	return Transform{Truncate, n}
}

// String returns the transform as metadata have it; of one that is not known they have another name.
func (t Transform) String() string {
	name := [...]string{"unknown", "identity", "bucket", "truncate", "year", "month", "day", "hour", "void"}[t.Kind]
	if t.Kind == Bucket || t.Kind == Truncate {
		return name + "[" + strconv.FormatInt(t.Width, 10) + "]"
	}
	return name
}
