package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arrowio/arrowio/arrowio"
)

// groupAnnotation is the annotation of a flag with the format that it belongs to; help lists such flags in a section.
const groupAnnotation = "arrowio_group"

// severalFormats is the section of options that several formats have.
const severalFormats = "several formats"

// optionFlags are flags made from the options of formats, for reading or for writing. If an option for reading and one for
// writing have the same name, they share a flag.
type optionFlags struct {
	values  map[string]*optionValue // by flag name, both directions
	formats map[string][]string     // option name -> formats of this direction that take it
}

func newOptionFlags() *optionFlags {
	return &optionFlags{values: map[string]*optionValue{}, formats: map[string][]string{}}
}

// sibling returns the flags of the same command for the other direction.
func (o *optionFlags) sibling() *optionFlags {
	return &optionFlags{values: o.values, formats: map[string][]string{}}
}

// add adds flags for the options of a format.
func (o *optionFlags) add(cmd *cobra.Command, format string, options []arrowio.Option) {
	for _, opt := range options {
		if !slices.Contains(o.formats[opt.Name], format) {
			o.formats[opt.Name] = append(o.formats[opt.Name], format)
		}
		if v := o.values[opt.Name]; v != nil {
			o.merge(cmd, v, format, opt)
			continue
		}
		v := &optionValue{words: slices.Clone(opt.Values), repeated: opt.Repeated}
		o.values[opt.Name] = v
		usage := opt.Usage
		if opt.Repeated {
			usage += "; may be given several times"
		}
		if opt.Default != "" {
			usage += " (default: " + opt.Default + ")"
		}
		f := cmd.Flags().VarPF(v, opt.Name, "", usage)
		if v.isBool() {
			f.NoOptDefVal = "true"
		}
		f.Annotations = map[string][]string{groupAnnotation: {format}}
	}
}

// merge adds the values and the usage of an option to a flag that exists already.
func (o *optionFlags) merge(cmd *cobra.Command, v *optionValue, format string, opt arrowio.Option) {
	v.repeated = v.repeated && opt.Repeated
	if len(opt.Values) == 0 {
		v.words = nil
	}
	if len(v.words) > 0 {
		for _, w := range opt.Values {
			if !slices.Contains(v.words, w) {
				v.words = append(v.words, w)
			}
		}
	}
	f := cmd.Flags().Lookup(opt.Name)
	if f.Annotations[groupAnnotation][0] != format {
		f.Annotations[groupAnnotation] = []string{severalFormats}
	}
}

// forFormat returns the options that were set and that format has.
func (o *optionFlags) forFormat(format string) map[string]string {
	out := map[string]string{}
	for name, formats := range o.formats {
		if v := o.values[name]; v.set && slices.Contains(formats, format) {
			out[name] = v.text
		}
	}
	return out
}

// all returns the options that were set and that some format of this direction has.
func (o *optionFlags) all() map[string]string {
	out := map[string]string{}
	for name := range o.formats {
		if v := o.values[name]; v.set {
			out[name] = v.text
		}
	}
	return out
}

// given lists the options that were set, sorted.
func (o *optionFlags) given() []string {
	var names []string
	for name, v := range o.values {
		if v.set {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// check returns an error for options that were set but that none of the used formats has, since they would have no effect.
func (o *optionFlags) check(used ...usedFormat) error {
	for _, name := range o.given() {
		if o.values[name].chosen {
			continue
		}
		taken := false
		var takers, sides []string
		for k, u := range used {
			formats := u.flags.formats[name]
			taken = taken || slices.Contains(formats, u.format)
			takers = append(takers, formats...)
			switch {
			case len(formats) == 0: // of reading, and this side is written, or the other way round
			case k > 0 && used[k-1].side == u.side:
				sides = append(sides, u.format)
			default:
				sides = append(sides, u.side+" is "+u.format)
			}
		}
		if !taken {
			slices.Sort(takers)
			hint := ""
			for _, u := range used {
				if own := u.format + "-" + name; slices.Contains(u.flags.formats[own], u.format) {
					hint = fmt.Sprintf("; that of %s is --%s", u.format, own)
				}
			}
			return usagef("--%s is an option of %s, but %s%s", name, strings.Join(slices.Compact(takers), " and "), strings.Join(sides, " and "), hint)
		}
	}
	return nil
}

// usedFormat is a format that a command reads or writes.
type usedFormat struct {
	flags        *optionFlags
	format, side string
}

// optionValue is the value of a format option's flag.
type optionValue struct {
	text     string
	words    []string // what it takes; nil = free text
	repeated bool     // it takes several, which text has one a line
	set      bool
	chosen   bool // by the command itself, for what it has found in a file
}

var _ pflag.Value = (*optionValue)(nil)

// choices implements chooser.
func (v *optionValue) choices() []string { return v.words }

func (v *optionValue) String() string { return v.text }

func (v *optionValue) Type() string {
	switch {
	case v.isBool():
		return ""
	case len(v.words) > 0 && len(v.words) <= 4:
		return strings.Join(v.words, "|")
	case len(v.words) > 0:
		return "WORD"
	}
	return "TEXT"
}

func (v *optionValue) Set(s string) error {
	if len(v.words) > 0 && !slices.Contains(v.words, s) {
		return fmt.Errorf("want one of %s", strings.Join(v.words, ", "))
	}
	if v.repeated {
		if s == "" || strings.Contains(s, "\n") {
			return fmt.Errorf("want text of one line")
		}
		if v.set {
			s = v.text + "\n" + s
		}
	}
	v.text, v.set = s, true
	return nil
}

// isBool reports whether an option is true or false, so that its flag needs no value.
func (v *optionValue) isBool() bool {
	return len(v.words) == 2 && slices.Contains(v.words, "true") && slices.Contains(v.words, "false")
}
