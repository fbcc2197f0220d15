// Package icebergfile shows a data file under the schema of an Iceberg table. It finds the columns of the file by their ids, or by
// a mapping of names, gives them the names of the table's columns, checks the types, and checks that required columns have no nulls
// (Iceberg table specification, "Column Projection", "Schema Evolution"). It knows no file format: ids and attributes are metadata
// of Arrow fields.
package icebergfile
