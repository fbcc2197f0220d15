// Package icebergcatalog finds where the metadata of Iceberg tables are, in the catalogs that people have configured for their tools.
//
//	CATALOG ── catalogs.yaml, .pyiceberg.yaml, options ──▶ properties ── type ──▶ rest: asks the server (Iceberg's REST protocol)
//	                                                                       ├────▶ sql: asks a file of SQLite
//	                                                                       └────▶ hive: the URL of the table in the metastore
package icebergcatalog
