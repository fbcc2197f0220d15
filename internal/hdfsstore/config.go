package hdfsstore

import (
	"context"
	"net"
	"os"
	"os/user"
	"sort"
	"strings"
	"time"

	"github.com/colinmarc/hdfs/v2"
	"github.com/colinmarc/hdfs/v2/hadoopconf"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kerberos"
	"github.com/arrowio/arrowio/internal/remote"
)

// Options says how clusters are reached. The zero value takes what Hadoop's own tools would: the configuration in
// HADOOP_CONF_DIR, the user of HADOOP_USER_NAME or of this process, tickets and keys of Kerberos where it is asked for.
type Options struct {
	User     string        // "" = see above; not where there is Kerberos
	Requests int           // at once; default 16
	Retry    remote.Policy //
}

const (
	defaultPort = "8020"
	dialTime    = 20 * time.Second
	dialTries   = 3
)

// clientOptions says how to reach the cluster of a URL's authority.
func (o *Options) clientOptions(authority string) (hdfs.ClientOptions, error) {
	conf, err := hadoopconf.LoadFromEnvironment()
	if err != nil {
		return hdfs.ClientOptions{}, errs.Errorf(errs.ErrOption, "the configuration of Hadoop: %w", err)
	}
	c := hdfs.ClientOptionsFromConf(conf)
	switch {
	case authority == "" && len(c.Addresses) == 0:
		return c, errs.Errorf(errs.ErrOption, "no file system is configured: set HADOOP_CONF_DIR, or name one: hdfs://HOST:PORT/PATH")
	case authority != "":
		c.Addresses = addresses(conf, authority)
	}
	for i, a := range c.Addresses {
		c.Addresses[i] = withPort(a)
	}
	if c.KerberosClient != nil {
		if c.KerberosClient, err = kerberos.Login("the cluster"); err != nil {
			return c, err
		}
	} else if c.User, err = o.user(); err != nil {
		return c, err
	}
	dialer := &net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second}
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &impatient{Conn: conn, stall: o.Retry.Stall}, nil
	}
	c.NamenodeDialFunc, c.DatanodeDialFunc = dial, dial
	return c, nil
}

// addresses returns the namenodes of an authority: those of a name service, if it is one, or the host itself.
func addresses(conf hadoopconf.HadoopConf, authority string) []string {
	nodes := conf["dfs.ha.namenodes."+authority]
	if nodes == "" {
		return []string{authority}
	}
	var out []string
	for _, n := range strings.Split(nodes, ",") {
		if a := conf["dfs.namenode.rpc-address."+authority+"."+strings.TrimSpace(n)]; a != "" {
			out = append(out, a)
		}
	}
	sort.Strings(out)
	return out
}

func withPort(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(strings.Trim(address, "[]"), defaultPort)
}

func (o *Options) user() (string, error) {
	if o.User != "" {
		return o.User, nil
	}
	if name := os.Getenv("HADOOP_USER_NAME"); name != "" {
		return name, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.Username, nil
}

// impatient is a connection on which nothing may take longer than stall, and which is of no use after any trouble: what
// is on its way may be half of an answer.
type impatient struct {
	net.Conn
	stall time.Duration
}

func (c *impatient) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	if err != nil {
		_ = c.Conn.Close() // the error of reading tells more
	}
	return n, err
}

func (c *impatient) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	if err != nil {
		_ = c.Conn.Close()
	}
	return n, err
}
