// Package orciceberg reads ORC files as files of an Iceberg table: under the table's schema, with columns found by field id,
// and without the rows that delete files name. docs/formats/orc.md, "Iceberg", describes what it does with each part of the
// Iceberg table specification.
package orciceberg
