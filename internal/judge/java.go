package judge

import (
	"context"
	"os/exec"
)

// Java returns a command that runs a program with so much memory ("1g"). Programs run for seconds, so that only the quick compiler and no
// threads of the collector's own are worth their time: that halves it. Derby, in which Hive's metastore keeps its tables, waits for no disk.
func Java(ctx context.Context, memory, jar string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "java", append([]string{"-Xmx" + memory, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dderby.system.durability=test", "-jar", jar}, args...)...)
}
