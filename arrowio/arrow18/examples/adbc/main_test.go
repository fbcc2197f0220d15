//go:build interop && cgo && (linux || darwin)

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The driver of Flight SQL that the judges' Python has puts rows into a server and reads them.
func TestRun(t *testing.T) {
	python, bin := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_BIN")
	if python == "" || bin == "" {
		t.Fatal("ARROWIO_PYTHON and ARROWIO_BIN must name Python with ADBC's driver, and the command: make interop")
	}
	driver, err := exec.CommandContext(t.Context(), python, "-c", "import adbc_driver_flightsql; print(adbc_driver_flightsql._driver_path(), end='')").Output()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), bin, "serve", "--json", "--log", "none", "--listen", "grpc://127.0.0.1:0", "--writable", "numbers="+t.TempDir())
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill() // it may have ended with the context
		_ = server.Wait()
	})
	var ready struct {
		Addresses []string `json:"addresses"`
	}
	if err := json.NewDecoder(out).Decode(&ready); err != nil || len(ready.Addresses) != 1 {
		t.Fatal(ready, err)
	}
	const file = "../../../../testdata/orc/java-2.3.1/pruning.orc"
	for range 2 { // the second one replaces the table
		var got strings.Builder
		if err := run(t.Context(), &got, string(driver), ready.Addresses[0], file); err != nil {
			t.Fatal(err)
		}
		if want := "1667 rows\n"; got.String() != want {
			t.Errorf("got %q, want %q", got.String(), want)
		}
	}
	if err := run(t.Context(), os.Stdout, string(driver), ready.Addresses[0], "main.go"); err == nil {
		t.Error("a file that cannot be read")
	}
	if err := run(t.Context(), os.Stdout, "no-such-driver.so", ready.Addresses[0], file); err == nil {
		t.Error("a driver that is not there")
	}
}
