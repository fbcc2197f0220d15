package main

import (
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// kuduFlag is a flag for Kudu as the commands that read tables have it, which is how readers spell options in messages.
var kuduFlag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`--kudu-[a-z]+(?:-[a-z]+)*`) })

// kuduSpelling returns what makes messages name the flags that a command has: those below `arrowio kudu` have short ones. Of other
// flags the text stays.
func kuduSpelling(cmd *cobra.Command) func(text string) string {
	has := func(name string) bool { return cmd.Flags().Lookup(name) != nil }
	return func(text string) string {
		return kuduFlag().ReplaceAllStringFunc(text, func(flag string) string {
			long := strings.TrimPrefix(flag, "--")
			short := strings.TrimPrefix(long, "kudu-")
			switch {
			case has(long) || short == "key": // --kudu-key is that of a table, --key that of encrypted files
			case long == "kudu-server" && has("replica"):
				return "further DIRs"
			case long == "kudu-encryption-key" && has("key"):
				return "--key"
			case has(short):
				return "--" + short
			case long == "kudu-salvage": // of a command that only lists
				return "arrowio kudu export --salvage"
			}
			return flag
		})
	}
}

// spelled returns a text with the flags of the command that runs.
func (a *app) spelled(text string) string {
	if a.spelling == nil {
		return text
	}
	return a.spelling(text)
}
