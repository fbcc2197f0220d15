package errs

import (
	"cmp"
	"slices"
	"strings"
)

// Option is an option that the text of an error or a warning names, such as the one that helps. In the text it is a flag of the
// command. Programs that give users another way to set options spell it in their own way; see Respell.
//
// It implements error, so that %w puts it into an error, where OptionsOf finds it:
//
//	errs.Errorf(errs.ErrCorrupt, "a string is not UTF-8: %w shows its bytes", errs.Opt("orc-strings", "binary"))
type Option struct {
	Name  string // of a format's option, or of a flag of the command, without dashes in front
	Value string // "" = the text names no value
}

// Opt returns the option of a name and a value; "" = no value.
func Opt(name, value string) Option { return Option{name, value} }

// Error returns the flag of the command: "--orc-strings=binary".
func (o Option) Error() string {
	if o.Value == "" {
		return "--" + o.Name
	}
	return "--" + o.Name + "=" + o.Value
}

// OptionsOf returns the options that err and the errors wrapped in it name.
func OptionsOf(err error) (out []Option) {
	if err == nil {
		return nil
	}
	switch x := err.(type) { //nolint:errorlint // every error of the chain is looked at
	case Option:
		return []Option{x}
	case interface{ Unwrap() error }:
		return OptionsOf(x.Unwrap())
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			out = append(out, OptionsOf(e)...)
		}
	}
	return out
}

// Respell returns text with the options as spell writes them. The text is that of an error or a warning that names them.
func Respell(text string, options []Option, spell func(Option) string) string {
	if len(options) == 0 {
		return text
	}
	options = slices.Clone(options)
	slices.SortFunc(options, func(a, b Option) int { return cmp.Compare(len(b.Error()), len(a.Error())) }) // --a=b before --a
	pairs := make([]string, 0, 2*len(options))
	for _, o := range options {
		pairs = append(pairs, o.Error(), spell(o))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
