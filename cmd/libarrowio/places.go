package main

import (
	"os"
	"sync"

	"github.com/arrowio/arrowio/arrowio/stores"
)

// storeRequest says how stores are reached; what is not said the environment says.
type storeRequest struct {
	Endpoint     string `json:"s3-endpoint,omitempty"`
	Region       string `json:"s3-region,omitempty"`
	PathStyle    bool   `json:"s3-path-style,omitempty"`
	Insecure     bool   `json:"s3-insecure,omitempty"`
	AccessKey    string `json:"s3-access-key,omitempty"`
	SecretKey    string `json:"s3-secret-key,omitempty"`
	SessionToken string `json:"s3-session-token,omitempty"`
	Profile      string `json:"s3-profile,omitempty"`
	Anonymous    bool   `json:"s3-anonymous,omitempty"`
}

// withoutSecrets returns what may be kept in places that others read.
func (r storeRequest) withoutSecrets() storeRequest {
	r.AccessKey, r.SecretKey, r.SessionToken = "", "", ""
	return r
}

// common is the stores of all who say nothing of them.
var common struct {
	sync.Mutex
	*stores.Stores
}

// placeRequest names a place of the caller, and the schemes of the URLs that are there.
type placeRequest struct {
	Number  uint64   `json:"number"`
	Schemes []string `json:"schemes"`
}

// others returns the stores that only the caller reaches; nil = there are none.
func (r *placeRequest) others() (map[string]stores.Place, error) {
	if r == nil {
		return nil, nil
	}
	p := placeOf(r.Number)
	if p == nil {
		return nil, errPlaceClosed
	}
	out := map[string]stores.Place{}
	for _, scheme := range r.Schemes {
		out[scheme] = p
	}
	return out, nil
}

// close closes the place.
func (r *placeRequest) close() {
	if r != nil {
		closePlace(r.Number)
	}
}

// places returns where files are, others among them, and what is to be closed with it; nil = nothing.
func (r storeRequest) places(others map[string]stores.Place) (places, owned *stores.Stores) {
	if r == (storeRequest{}) && others == nil {
		common.Lock()
		defer common.Unlock()
		if common.Stores == nil {
			common.Stores = stores.New(stores.FromEnvironment())
		}
		return common.Stores, nil
	}
	o := stores.FromEnvironment()
	if r.Endpoint != "" {
		o.S3.Endpoint = r.Endpoint
	}
	if r.Region != "" {
		o.S3.Region = r.Region
	}
	o.S3.PathStyle, o.S3.Insecure = r.PathStyle, r.Insecure
	o.S3.AccessKey, o.S3.SecretKey, o.S3.SessionToken = r.AccessKey, r.SecretKey, r.SessionToken
	o.S3.Profile, o.S3.Anonymous = r.Profile, r.Anonymous
	o.Others = others
	s := stores.New(o)
	return s, s
}

// environmentRequest gives the library variables of the environment that were set since it was loaded, or, where they are null,
// removed: Go reads the environment only once.
type environmentRequest struct {
	Call      string             `json:"call"`
	Variables map[string]*string `json:"variables"`
}

// setEnvironment takes variables over. What is open keeps the stores that it was opened with.
func setEnvironment(request string) error {
	var r environmentRequest
	if err := parse(request, &r); err != nil {
		return err
	}
	for name, value := range r.Variables {
		var err error
		if value == nil {
			err = os.Unsetenv(name)
		} else {
			err = os.Setenv(name, *value)
		}
		if err != nil {
			return err
		}
	}
	common.Lock()
	defer common.Unlock()
	common.Stores = nil // others may be using them, and their connections end when they are idle
	return nil
}
