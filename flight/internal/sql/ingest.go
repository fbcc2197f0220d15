package sql

import (
	"bytes"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// ingestMessage is the name of CommandStatementIngest, which is newer than the messages of Arrow 15.
const ingestMessage = prefix + "CommandStatementIngest"

// Ingestion is a CommandStatementIngest: the rows that follow are put into a table.
//
//	message CommandStatementIngest {
//	  TableDefinitionOptions table_definition_options = 1;  // if_not_exist = 1, if_exists = 2
//	  string table = 2;
//	  optional string schema = 3;
//	  optional string catalog = 4;
//	  bool temporary = 5;
//	  optional bytes transaction_id = 6;
//	  map<string, string> options = 1000;
//	}
type Ingestion struct {
	Table   string
	Options map[string]string
	// Temporary is of a table of the client's session. Transaction is the id of the session's; "" = none is named.
	Temporary   bool
	Transaction string

	notExist, exists uint64
	schema, catalog  string
}

// Values of TableDefinitionOptions. 0 is not specified.
const (
	ifNotExistFail = 2

	ifExistsFail    = 1
	ifExistsAppend  = 2
	ifExistsReplace = 3
)

// ParseIngestion reads the command of a DoPut; nil = it is no CommandStatementIngest.
func ParseIngestion(command []byte) (*Ingestion, error) {
	if len(command) > maxMessageBytes || !bytes.Contains(command, []byte(ingestMessage)) {
		return nil, nil
	}
	var a anypb.Any
	if proto.Unmarshal(command, &a) != nil || a.MessageName() != ingestMessage {
		return nil, nil
	}
	in := &Ingestion{Options: map[string]string{}}
	err := eachField(a.GetValue(), func(n protowire.Number, v uint64, b []byte) error {
		switch n {
		case 1:
			return eachField(b, func(n protowire.Number, v uint64, _ []byte) error {
				switch n {
				case 1:
					in.notExist = v
				case 2:
					in.exists = v
				}
				return nil
			})
		case 2:
			in.Table = string(b)
		case 3:
			in.schema = string(b)
		case 4:
			in.catalog = string(b)
		case 5:
			in.Temporary = v != 0
		case 6:
			in.Transaction = string(b)
		case 1000:
			return in.option(b)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return in, in.check()
}

var errIngestion = errs.Errorf(errs.ErrOption, "Flight SQL: not a CommandStatementIngest")

// eachField calls use with the fields of a message: a number, or bytes.
func eachField(b []byte, use func(n protowire.Number, v uint64, b []byte) error) error {
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errIngestion
		}
		b = b[n:]
		var v uint64
		var inner []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			inner, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(num, kind, b)
		}
		if n < 0 {
			return errIngestion
		}
		b = b[n:]
		if err := use(num, v, inner); err != nil {
			return err
		}
	}
	return nil
}

// option reads an entry of the map of options.
func (in *Ingestion) option(b []byte) error {
	var key, value string
	err := eachField(b, func(n protowire.Number, _ uint64, b []byte) error {
		switch n {
		case 1:
			key = string(b)
		case 2:
			value = string(b)
		}
		return nil
	})
	in.Options[key] = value
	return err
}

func (in *Ingestion) check() error {
	if in.notExist > ifNotExistFail || in.exists > ifExistsReplace {
		return errIngestion
	}
	if in.Temporary { // whether there are any is the first question
		return nil
	}
	return in.Within(Catalog)
}

// Within returns an error where the client names another catalog than the table's, or another schema.
func (in *Ingestion) Within(catalog string) error {
	if in.catalog != "" && !strings.EqualFold(in.catalog, catalog) || in.schema != "" && !strings.EqualFold(in.schema, Schema) {
		return rpcerr.Errorf(codes.NotFound, "Flight SQL: the table is in %s.%s, not in %q.%q", catalog, Schema, in.catalog, in.schema)
	}
	return nil
}

// Creates reports whether the table is made if there is none.
func (in *Ingestion) Creates() bool { return in.notExist != ifNotExistFail }

// Appends and Replaces report what is done if there is one; if neither, that is an error.
func (in *Ingestion) Appends() bool { return in.exists == ifExistsAppend }

// Replaces is described with Appends.
func (in *Ingestion) Replaces() bool { return in.exists == ifExistsReplace }

// IngestionResult is a DoPutUpdateResult of so many rows.
func IngestionResult(rows int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(rows))
}
