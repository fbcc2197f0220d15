// Package orciceberg reads ORC files as what they are in an Iceberg table: under the table's schema, whose fields are found
// by id, without the rows that delete files name. docs/formats/orc.md, "Iceberg", says what is done with what; the Iceberg
// table specification is what it rests on.
package orciceberg
