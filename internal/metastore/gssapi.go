package metastore

import (
	"strings"

	krb "github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/spnego"
	"github.com/jcmturner/gokrb5/v8/types"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kerberos"
)

// gss is SASL's mechanism GSSAPI, with Kerberos (RFC 4752).
type gss struct {
	client *krb.Client
	ticket messages.Ticket
	key    types.EncryptionKey
}

// newKerberos gets a ticket for a server. _HOST in its principal is the host.
func newKerberos(principal, host string) (*gss, error) {
	client, err := kerberos.Login("--" + optionPrincipal)
	if err != nil {
		return nil, err
	}
	g := &gss{client: client}
	service, _, _ := strings.Cut(principal, "@")
	service = strings.Replace(service, "/_HOST", "/"+strings.ToLower(host), 1)
	if g.ticket, g.key, err = client.GetServiceTicket(service); err != nil {
		client.Destroy()
		return nil, errs.Errorf(errs.ErrOption, "Kerberos has no ticket for %s: %w", service, err)
	}
	return g, nil
}

func (*gss) name() string { return "GSSAPI" }

// first returns the ticket, for the server alone. The client is of no more use then.
func (g *gss) first() ([]byte, error) {
	defer g.client.Destroy() // it renews its ticket until then
	t, err := spnego.NewKRB5TokenAPREQ(g.client, g.ticket, g.key, []int{gssapi.ContextFlagInteg, gssapi.ContextFlagConf}, nil)
	if err != nil {
		return nil, err
	}
	return t.Marshal()
}

// authOnly is the layer of SASL in which calls are neither signed nor encrypted.
const authOnly = 1

// next chooses a layer among those that the server offers.
func (g *gss) next(challenge []byte) ([]byte, error) {
	if len(challenge) == 0 {
		return nil, nil
	}
	var offer gssapi.WrapToken
	if err := offer.Unmarshal(challenge, true); err != nil {
		return nil, errs.Errorf(errs.ErrCorrupt, "its answer is no token of Kerberos: %w", err)
	}
	if ok, err := offer.Verify(g.key, keyusage.GSSAPI_ACCEPTOR_SEAL); err != nil || !ok {
		return nil, errs.Errorf(errs.ErrCorrupt, "the signature of its answer is wrong: %v", err)
	}
	if len(offer.Payload) != 4 {
		return nil, errs.Errorf(errs.ErrCorrupt, "its offer has %d bytes, and not 4", len(offer.Payload))
	}
	if offer.Payload[0]&authOnly == 0 {
		return nil, errs.Errorf(errs.ErrUnsupported, "the server wants calls to be signed or encrypted (hadoop.rpc.protection or hive.metastore.sasl.qop is integrity or privacy), which is not supported; use TLS")
	}
	answer, err := gssapi.NewInitiatorWrapToken([]byte{authOnly, 0, 0, 0}, g.key)
	if err != nil {
		return nil, err
	}
	return answer.Marshal()
}
