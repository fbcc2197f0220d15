package browse

import (
	"io"

	tea "charm.land/bubbletea/v2"
)

// suspend stops the program until the shell wakes it.
func (m *Model) suspend(string) tea.Cmd {
	m.note = "stopping …"
	return tea.Exec(suspension{m.stopped}, func(err error) tea.Msg { return woken{err} })
}

// woken is the message that the program is back from the shell, or could not stop.
type woken struct{ err error }

// suspension stops the program. tea.Suspend is not used: where the process was not stopped, it waits for the end of that all the same.
type suspension struct{ stopped func() error }

func (s suspension) Run() error        { return s.stopped() }
func (suspension) SetStdin(io.Reader)  {}
func (suspension) SetStdout(io.Writer) {}
func (suspension) SetStderr(io.Writer) {}
