//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stopTime is how long a process that was told to stop goes on at most.
const stopTime = 100 * time.Millisecond

// stopProcess stops the processes of the shell's job, and returns when the shell has woken them. The system stops none that no shell
// looks after, such as that of a window of tmux or of a container, or of a shell for one command.
func stopProcess() error {
	if leader, err := unix.Getsid(0); err == nil && leader == os.Getpid() {
		return errNoShell
	}
	woken := make(chan os.Signal, 1)
	signal.Notify(woken, syscall.SIGCONT)
	defer signal.Stop(woken)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	for range 2 { // the time is over at once where the process was stopped; the signal comes then
		select {
		case <-woken:
			return nil
		case <-time.After(stopTime):
		}
	}
	return errNoShell
}
