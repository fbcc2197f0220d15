// Package schematext writes an Arrow schema in the notations of others: as a tree, as a table of Hive, as an Avro schema, and as a
// table of SQL. What a notation has no place for is an error that names the columns.
package schematext
