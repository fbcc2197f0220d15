package schemadiff

import "strings"

// Path returns the path of a field from the names that lead to it: "item" is what lists hold, "key" and "value" what maps do. Names
// that are empty, begin or end with blanks, or have dots or quotes, stand in quotes, so that two fields never have one path.
func Path(names ...string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		if quoted[i] = n; n == "" || strings.TrimSpace(n) != n || strings.ContainsAny(n, ".\"`") {
			quoted[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ".")
}

// Below returns the path of a child of the field of a path.
func Below(path, name string) string { return path + "." + Path(name) }
