// Package jsontext reads lines of JSON token by token.
package jsontext
