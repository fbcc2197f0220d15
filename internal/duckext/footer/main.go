// Footer makes an extension of DuckDB of a shared library: it appends what DuckDB reads at the end of the file before it
// loads it.
//
//	footer -version v0.9.0 -platform linux_amd64 libarrowio.so arrowio.duckdb_extension
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
)

// The footer of an extension: eight fields of 32 bytes, the first three of them empty, and room for a signature.
//
//	… | ABI | version of the extension | version of the API | platform | "4" | 256 bytes of signature
const (
	fieldBytes     = 32
	signatureBytes = 256
	magic          = "4"
	abi            = "C_STRUCT"
	apiVersion     = "v1.2.0" // as DUCKEXT_API_VERSION
)

func footer(platform, version string) ([]byte, error) {
	var b bytes.Buffer
	for _, text := range []string{"", "", "", abi, version, apiVersion, platform, magic} {
		if len(text) > fieldBytes {
			return nil, fmt.Errorf("%q has more than %d bytes", text, fieldBytes)
		}
		b.WriteString(text)
		b.Write(make([]byte, fieldBytes-len(text)))
	}
	b.Write(make([]byte, signatureBytes))
	return b.Bytes(), nil
}

// platformOf returns DuckDB's name of a platform of Go.
func platformOf(system, machine string) string {
	if system == "darwin" {
		system = "osx"
	}
	return system + "_" + machine
}

func run(platform, version, in, out string) error {
	end, err := footer(platform, version)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	part := out + ".part"
	if err := os.WriteFile(part, append(b, end...), 0o755); err != nil {
		return err
	}
	return os.Rename(part, out) // a new file: a process may have the old one loaded
}

func main() {
	version := flag.String("version", "dev", "version of the extension")
	platform := flag.String("platform", platformOf(runtime.GOOS, runtime.GOARCH), "DuckDB's name of the platform")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: footer [-version V] [-platform P] LIBRARY EXTENSION")
		os.Exit(2)
	}
	if err := run(*platform, *version, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "footer:", err)
		os.Exit(1)
	}
}
