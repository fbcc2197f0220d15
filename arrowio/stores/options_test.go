package stores

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Every option reaches the client of its store.
func TestOptionsReachClients(t *testing.T) {
	retry := Retry{Attempts: 7, Wait: 8 * time.Second, MaxWait: 9 * time.Second, Stall: 10 * time.Second}
	s3 := S3Options{Endpoint: "e", Region: "r", PathStyle: true, Insecure: true, AccessKey: "a", SecretKey: "s", SessionToken: "t", Profile: "p", Anonymous: true, Requests: 3, PartBytes: 4, Retry: retry}
	hdfs := HDFSOptions{User: "u", Requests: 5, Retry: retry}
	for _, c := range []struct{ set, client any }{{s3, s3.client()}, {hdfs, hdfs.client()}} {
		v := reflect.ValueOf(c.client)
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%T.%s is not set", c.client, v.Type().Field(i).Name)
			}
		}
		set, client := fmt.Sprintf("%+v", c.set), fmt.Sprintf("%+v", c.client)
		if reflect.TypeOf(c.set).NumField() != v.NumField() || !strings.EqualFold(set, client) {
			t.Errorf("%s becomes %s", set, client)
		}
	}
}
