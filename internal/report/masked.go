package report

import (
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// Masked reports whether warnings say that a column is encrypted and shown masked, or what it is in. path is as expr.Quote writes it.
func Masked(warnings []arrowio.Warning, path string) bool {
	bare := strings.ReplaceAll(path, `"`, "")
	return slices.ContainsFunc(warnings, func(w arrowio.Warning) bool {
		return w.Kind == arrowio.WarnMasked && slices.ContainsFunc(w.Columns, func(c string) bool {
			c = strings.ReplaceAll(c, `"`, "")
			return bare == c || strings.HasPrefix(bare, c+".")
		})
	})
}

// maskedFinding tells of columns that are shown masked.
func maskedFinding(columns []string) Finding {
	return Finding{"advice", "encrypted, and shown masked: " + names(columns), "The keys are not here (--orc-keys). Values and statistics are those that stand in their place."}
}
