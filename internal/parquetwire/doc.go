// Package parquetwire has what reading and writing Parquet share: the text for logical types that Arrow's types do not tell. Its
// packages decode and encode have the rest of the format.
package parquetwire
