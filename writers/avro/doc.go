// Package avro writes Avro container files (.avro).
//
//	w, err := writers.Create(ctx, "events.avro", schema, writers.Options{})
//
// What Arrow's types become in Avro is what package writers/trevni makes of them. Data that were read from Avro, or from Trevni's
// records, are written under the Avro schema that they had, if it still fits.
//
// The package has a node for each part of the Avro schema. For each batch a node is bound to an array, and then rows are appended one
// after another: node.load, node.append.
package avro
