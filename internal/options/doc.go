// Package options checks the options that a format was given against those that it has.
package options
