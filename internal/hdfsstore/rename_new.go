package hdfsstore

import (
	"reflect"
	"unsafe"

	"github.com/colinmarc/hdfs/v2"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// caller asks a namenode: what the library's connection does.
type caller interface {
	Execute(method string, request, answer proto.Message) error
}

// callerOf returns the connection of a client, which the library does not show; nil = this version of it has another one. Its own Rename always
// replaces what is there, and it has nothing else that is atomic.
func callerOf(c *hdfs.Client) caller {
	f := reflect.ValueOf(c).Elem().FieldByName("namenode")
	if !f.IsValid() || !f.CanAddr() {
		return nil
	}
	namenode, _ := reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Interface().(caller) //nolint:gosec // the comment says why
	return namenode
}

// RenameNew asks by ClientProtocol.rename2 with overwriteDest = false (Hadoop's ClientNamenodeProtocol.proto, Rename2RequestProto).
func (c client) RenameNew(from, to string) error {
	namenode := callerOf(c.Client)
	if namenode == nil {
		return errs.Errorf(errs.ErrUnsupported, "this program was built with a library for HDFS that cannot rename a file only where there is none")
	}
	const src, dst, overwrite = 1, 2, 3
	var b []byte
	b = protowire.AppendString(protowire.AppendTag(b, src, protowire.BytesType), from)
	b = protowire.AppendString(protowire.AppendTag(b, dst, protowire.BytesType), to)
	b = protowire.AppendVarint(protowire.AppendTag(b, overwrite, protowire.VarintType), 0)
	request := &emptypb.Empty{} // the library's own message is internal; fields that are not known are sent as they are
	request.ProtoReflect().SetUnknown(b)
	return namenode.Execute("rename2", request, &emptypb.Empty{})
}
