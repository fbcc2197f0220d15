// Package avro reads Avro container files (.avro): rows, one after another, in blocks that may be packed.
//
//	f, err := readers.OpenFile(ctx, "events.avro", readers.Options{})
//
// What Avro's types become in Arrow is what package readers/trevni makes of them, so that data go from one format to the other
// without loss. docs/formats/avro.md has the table.
//
//	File        header, schema, splits: the heads of all blocks are read once, when the file is opened
//	blocks.go   the way from block to block
//	split.go    a SplitReader: unpacks the blocks of its split one by one
//	build.go    the schema and a projection as a tree of nodes, and as what is passed over
//	node.go     Arrow buffers of one field
//	decode.go   values into nodes, skip.go past values
package avro
