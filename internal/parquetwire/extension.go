package parquetwire

// Extension types of Arrow for which Parquet has logical types, beside geometries.
const (
	ExtensionUUID = "arrow.uuid"
	ExtensionJSON = "arrow.json"
)
