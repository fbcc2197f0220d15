// Package gonerows counts the rows of a split that are left where some are deleted, as in Hive's ACID tables and Iceberg's
// tables.
package gonerows
