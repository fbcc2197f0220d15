package orcwire

// Shapes of messages, for showing them.
var (
	ShapePostScript   = &postScriptTable.Shape
	ShapeFooter       = &footerTable.Shape
	ShapeMetadata     = &metadataTable.Shape
	ShapeStripeFooter = &stripeFooterTable.Shape
	ShapeRowIndex     = &rowIndexTable.Shape
	ShapeBloomIndex   = &bloomIndexTable.Shape
)
