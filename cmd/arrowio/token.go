package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/arrowio/arrowio/flight"
)

// tokenCommand is how the file of serve --tokens is made.
func (a *app) tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list and remove the tokens of arrowio serve",
		Long: `Commands for the file that arrowio serve --tokens reads. It holds hashes: a token is shown once, when it is made. A
server reads the file again when it changes; tokens that are gone are refused from then on.`,
		Example:               "  arrowio token add --file tokens alice",
		DisableFlagsInUseLine: true,
		RunE:                  a.noCommand,
	}
	cmd.AddCommand(a.tokenAddCommand(), a.tokenListCommand(), a.tokenRemoveCommand())
	return cmd
}

func addTokenFile(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "file", "", "the `FILE` of tokens")
}

// tokenArgs checks what comes with --file: a NAME, or nothing.
func tokenArgs(file *string, names int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case *file == "":
			return usagef("token %s: --file is missing", cmd.Name())
		case len(args) != names && names == 1:
			return usagef("token %s: NAME is missing", cmd.Name())
		case len(args) != names:
			return usagef("token %s takes no arguments", cmd.Name())
		}
		return nil
	}
}

func (a *app) tokenAddCommand() *cobra.Command {
	var file string
	var password bool
	var expires time.Duration
	cmd := &cobra.Command{
		Use:   "add [flags] --file FILE NAME",
		Short: "Make a token, or store a password, for NAME",
		Long: `Add makes a token of 256 random bits for NAME, prints it, and stores its SHA-256. With --password it reads a password from
standard input and stores it as argon2id, for clients that send a name and a password. A NAME may have several.`,
		Example: `  arrowio token add --file tokens --expires 2160h alice
  arrowio token add --file tokens --password bob < password.txt`,
		Args: tokenArgs(&file, 1),
		RunE: func(_ *cobra.Command, args []string) (err error) {
			var until time.Time
			if expires < 0 {
				return usagef("token add: --expires %s is in the past", expires)
			}
			if expires > 0 {
				until = time.Now().Add(expires)
			}
			var secret string
			var t flight.Token
			if password {
				if secret, err = a.readPassword(); err != nil {
					return err
				}
				t, err = flight.NewPassword(args[0], secret, until)
			} else {
				secret, t, err = flight.NewToken(args[0], until)
			}
			if err != nil {
				return err
			}
			if err := flight.AddToken(file, t); err != nil {
				return inFile(file, err)
			}
			if password {
				return nil
			}
			return a.printf("%s\n", secret)
		},
	}
	addTokenFile(cmd, &file)
	cmd.Flags().BoolVar(&password, "password", false, "store a password, read from standard input")
	cmd.Flags().DurationVar(&expires, "expires", 0, "how long it is good, a `DURATION` such as 720h (default: until it is removed)")
	return cmd
}

// readPassword reads a line; from a terminal without showing it.
func (a *app) readPassword() (string, error) {
	if in, ok := a.stdin.(*interruptibleReader); ok {
		if f, ok := in.r.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			fmt.Fprint(a.stderr, "Password: ")
			b, err := term.ReadPassword(int(f.Fd()))
			fmt.Fprintln(a.stderr)
			return string(b), err
		}
	}
	line, err := bufio.NewReader(io.LimitReader(a.stdin, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func (a *app) tokenListCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "list --file FILE",
		Short:   "List names, what they have and until when; no hashes",
		Example: "  arrowio token list --file tokens",
		Args:    tokenArgs(&file, 0),
		RunE: func(*cobra.Command, []string) error {
			tokens, err := flight.ReadTokens(file)
			if err != nil {
				return inFile(file, err)
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, t := range tokens {
				until := "-"
				switch {
				case t.Expires.IsZero():
				case time.Now().After(t.Expires):
					until = "expired " + t.Expires.Format(time.RFC3339)
				default:
					until = t.Expires.Format(time.RFC3339)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, t.Kind, until)
			}
			return w.Flush()
		},
	}
	addTokenFile(cmd, &file)
	return cmd
}

func (a *app) tokenRemoveCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "remove --file FILE NAME",
		Short:   "Remove every token and password of NAME",
		Example: "  arrowio token remove --file tokens alice",
		Args:    tokenArgs(&file, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			n, err := flight.RemoveTokens(file, args[0])
			if err != nil {
				return inFile(file, err)
			}
			if n == 0 {
				return usagef("token remove: %s has nothing of %q", file, args[0])
			}
			return nil
		},
	}
	addTokenFile(cmd, &file)
	return cmd
}
