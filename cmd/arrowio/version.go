package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is what `arrowio version` tells.
type version struct {
	Version  string `json:"version"`            // of this module; "(devel)" outside of a released build
	Revision string `json:"revision,omitempty"` // of the source it was built from
	Modified bool   `json:"modified,omitempty"` // built from changed source
	Arrow    string `json:"arrow,omitempty"`    // version of the Arrow library
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// released is the version that a released build was given by the linker.
var released string

func buildVersion() version {
	v := version{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	if released != "" {
		v.Version = released
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	for _, d := range info.Deps {
		if d.Path == "github.com/apache/arrow/go/v15" {
			v.Arrow = d.Version
		}
	}
	return v
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version [--json]",
		Short:   "The version of this program",
		Example: "  arrowio version --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(a.stdout, buildVersion())
			}
			return a.printVersion()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON object")
	return cmd
}

// printVersion prints version, commit and Go's version in one line.
func (a *app) printVersion() error {
	v := buildVersion()
	commit := ""
	if v.Revision != "" {
		commit = fmt.Sprintf("commit %.12s, ", v.Revision)
		if v.Modified {
			commit = fmt.Sprintf("commit %.12s with changes, ", v.Revision)
		}
	}
	return a.printf("arrowio %s (%s%s, %s)\n", v.Version, commit, v.Go, v.Platform)
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments", cmd.Name())
	}
	return nil
}

// printJSON prints v as an indented object.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
