package main

import (
	"errors"
	"os"
	"runtime"
	"runtime/pprof"
)

// profiles writes the profiles of --cpuprofile and --memprofile.
type profiles struct {
	cpuFile, memFile string
	cpu              *os.File
}

// start begins the CPU profile.
func (p *profiles) start() error {
	if p.cpuFile == "" {
		return nil
	}
	f, err := os.Create(p.cpuFile)
	if err != nil {
		return inFile(p.cpuFile, err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return inFile(p.cpuFile, errors.Join(err, f.Close()))
	}
	p.cpu = f
	return nil
}

// stop writes both profiles. Call it once.
func (p *profiles) stop() error {
	var errs []error
	if p.cpu != nil {
		pprof.StopCPUProfile()
		errs = append(errs, inFile(p.cpuFile, p.cpu.Close()))
	}
	if p.memFile != "" {
		errs = append(errs, inFile(p.memFile, writeHeapProfile(p.memFile)))
	}
	return errors.Join(errs...)
}

func writeHeapProfile(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	runtime.GC() // live memory as of now, not as of the last collection
	return errors.Join(pprof.Lookup("heap").WriteTo(f, 0), f.Close())
}
