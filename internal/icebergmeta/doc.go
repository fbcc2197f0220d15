// Package icebergmeta finds and reads the current metadata of tables that no catalog keeps, for who reads tables and who writes them.
package icebergmeta
