// Package fanout runs tasks side by side: columns of a batch that writers encode.
package fanout
