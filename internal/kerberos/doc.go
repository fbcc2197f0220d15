// Package kerberos finds the tickets and keys with which servers are asked, as Hadoop's own tools find them.
package kerberos
