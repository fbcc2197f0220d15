// Package iceberg knows Iceberg's schemas: their JSON, the names that stand for ids, the values of fields that files do not
// have, and what a type is in Arrow and in the attributes of ORC's types (Iceberg table specification, "Schemas and Data
// Types", "Appendix A: ORC", "Appendix C: JSON serialization").
package iceberg
