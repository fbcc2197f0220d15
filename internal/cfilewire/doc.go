// Package cfilewire turns bytes of Kudu CFiles into Go values. It does no I/O; only arrow.go knows Arrow.
package cfilewire
