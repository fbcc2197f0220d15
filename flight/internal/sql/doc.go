// Package sql answers Flight SQL: SELECT of one dataset, prepared statements, and what clients ask about the catalog.
//
//	message ──▶ sqltext.Parse ──▶ plan ──▶ Dataset.Select ──▶ endpoints, each with a ticket
//	ticket  ──▶ Server.Read ──▶ rows: offset, limit, children of structs, count ──▶ batches
//
// What a server has to do for that is the interface Server: this package knows neither catalogs nor files.
package sql
