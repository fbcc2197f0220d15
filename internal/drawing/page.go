package drawing

import (
	"embed"
	"html/template"
)

// Style is the style sheet of every page.
//
//go:embed style.css
var Style string

//go:embed templates/*.html
var templateFiles embed.FS

// Funcs are the functions of templates.
func Funcs() template.FuncMap {
	return template.FuncMap{
		"text": Text, "short": Short, "bytes": Bytes, "count": Count, "number": Number, "plural": Plural, "exact": Exact, "ratio": Ratio, "px": Px,
	}
}

// AddTemplates adds the templates "figure" and "figure-table", which show a *Drawing, to t, which has the functions of Funcs.
func AddTemplates(t *template.Template) (*template.Template, error) {
	return t.ParseFS(templateFiles, "templates/*.html")
}
