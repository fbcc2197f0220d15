package hdfsstore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/colinmarc/hdfs/v2"
	krb "github.com/jcmturner/gokrb5/v8/client"

	"github.com/arrowio/arrowio/internal/remote"
)

// namesystem is what is asked of a cluster: what an *hdfs.Client does, as far as it is used.
type namesystem interface {
	Stat(name string) (os.FileInfo, error)
	ReadDir(name string) ([]os.FileInfo, error)
	Open(name string) (reader, error)
	// Create makes a file of blocks of so many bytes.
	Create(name string, block int64) (io.WriteCloser, error)
	// Blocks returns the size that blocks have by default, and the bytes between two checksums, of which sizes are multiples.
	Blocks() (size, chunk int64, err error)
	Mkdir(name string) error
	Rename(from, to string) error
	// RenameNew renames a file if there is nothing at to: otherwise the error is fs.ErrExist.
	RenameNew(from, to string) error
	Remove(name string) error
	RemoveAll(name string) error
	Close() error
}

// reader is an open file, for one goroutine at a time.
type reader interface {
	io.ReadSeekCloser
	Stat() os.FileInfo
}

// client is a namesystem over the library's.
type client struct {
	*hdfs.Client
	kerberos *krb.Client // nil = without
}

func (c client) Close() error {
	err := c.Client.Close()
	if c.kerberos != nil {
		c.kerberos.Destroy() // it renews its ticket until then
	}
	return err
}

func (c client) Open(name string) (reader, error) {
	f, err := c.Client.Open(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (c client) Create(name string, block int64) (io.WriteCloser, error) {
	d, err := c.ServerDefaults()
	if err != nil {
		return nil, err
	}
	f, err := c.CreateFile(name, d.Replication, block, 0o644)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (c client) Blocks() (size, chunk int64, err error) {
	d, err := c.ServerDefaults()
	return d.BlockSize, int64(d.BytesPerChecksum), err
}

func (c client) Mkdir(name string) error { return c.Client.MkdirAll(name, 0o755) }

// cluster is one file system; it is connected to when it is first asked.
type cluster struct {
	o    *Options
	dial func() (namesystem, error)

	mu sync.Mutex
	ns namesystem // nil = not connected
}

func (c *cluster) connect() (namesystem, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ns == nil {
		ns, err := c.dial()
		if err != nil {
			return nil, err
		}
		c.ns = ns
	}
	return c.ns, nil
}

func (c *cluster) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ns == nil {
		return nil
	}
	ns := c.ns
	c.ns = nil
	return ns.Close()
}

// do asks the cluster, several times if that may help. url and op are for messages.
func (c *cluster) do(ctx context.Context, op, url string, f func(ns namesystem) error) error {
	p, tries := c.o.Retry, 0
	attempts, err := p.Retry(ctx, func() (int64, bool, error) {
		ns, err := c.connect()
		if err != nil {
			tries++ // the library's own waiting is long enough
			return 0, tries < dialTries && isTransient(err), err
		}
		err = f(ns)
		return 0, isTransient(err), err
	})
	if err == nil || errors.Is(err, errOption) { // which may be about a file that does not exist, on this machine
		return err
	}
	why := classify(err)
	why.Attempts = attempts
	return remote.Wrap(op, url, why)
}

// interpret returns what an exception of the cluster means, where the library does not say it: in the midst of reading.
func interpret(err error) error {
	var e hdfs.Error
	if !errors.As(err, &e) {
		return err
	}
	for name, is := range map[string]error{
		"java.io.FileNotFoundException":                            fs.ErrNotExist,
		"org.apache.hadoop.security.AccessControlException":        fs.ErrPermission,
		"org.apache.hadoop.fs.FileAlreadyExistsException":          fs.ErrExist,
		"org.apache.hadoop.fs.ParentNotDirectoryException":         fs.ErrInvalid,
		"org.apache.hadoop.hdfs.protocol.QuotaExceededException":   errQuota,
		"org.apache.hadoop.hdfs.protocol.NSQuotaExceededException": errQuota,
		"org.apache.hadoop.hdfs.protocol.DSQuotaExceededException": errQuota,
	} {
		if e.Exception() == name {
			return is
		}
	}
	return err
}

var errQuota = errors.New("the quota of the directory is used up")

// classify tells what an error of the library is.
func classify(err error) *remote.Failure {
	err = interpret(err)
	f := &remote.Failure{Off: -1, Err: err}
	for _, is := range []error{fs.ErrNotExist, fs.ErrPermission, fs.ErrExist, remote.ErrChanged, remote.ErrIsDirectory} {
		if errors.Is(err, is) {
			f.Is, f.Err = is, nil
			return f
		}
	}
	var pe *fs.PathError // names a path without its cluster, and the caller names it anyway
	if errors.As(err, &pe) {
		f.Err = pe.Err
	}
	if text, ok := remoteText(f.Err); ok {
		f.Err = errors.New(text)
	}
	if isTransient(err) {
		f.Is = remote.ErrUnavailable
	}
	return f
}

// remoteText is what a namenode says in its answer, without the stack that comes with it.
func remoteText(err error) (string, bool) {
	var e hdfs.Error
	if !errors.As(err, &e) {
		return "", false
	}
	text, _, _ := strings.Cut(e.Message(), "\n")
	return "the cluster answers " + e.Exception() + ": " + text, true
}

// isTransient tells whether another attempt may go better: trouble with connections, and a namenode that is starting.
func isTransient(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errOption) {
		return false
	}
	for _, is := range []error{fs.ErrNotExist, fs.ErrPermission, fs.ErrExist, fs.ErrInvalid, errQuota, syscall.ENOTEMPTY, remote.ErrChanged, remote.ErrIsDirectory} {
		if errors.Is(err, is) {
			return false
		}
	}
	var e hdfs.Error
	if errors.As(err, &e) {
		for _, name := range []string{"RetriableException", "StandbyException", "SafeModeException", "RetryStartFileException"} {
			if strings.HasSuffix(e.Exception(), name) {
				return true
			}
		}
		return false
	}
	return true
}

// finish ends a file that was written. The namenode may ask to be asked again, until the blocks are where they should be.
func finish(w io.Closer, within time.Duration) error {
	wait := 50 * time.Millisecond
	for end := time.Now().Add(within); ; {
		err := w.Close()
		if !hdfs.IsErrReplicating(err) || time.Now().After(end) {
			return err
		}
		time.Sleep(wait)
		wait = min(2*wait, 2*time.Second)
	}
}
