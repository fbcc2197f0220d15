//go:build !unix

package main

func stopProcess() error { return errNoShell }
