// Package pathjson writes paths of files into JSON, which is UTF-8, while the names of files are bytes.
package pathjson
