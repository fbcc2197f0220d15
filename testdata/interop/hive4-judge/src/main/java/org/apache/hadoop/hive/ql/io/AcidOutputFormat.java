package org.apache.hadoop.hive.ql.io;

/** Stands for Hive's own, which the metastore looks up by its name before it takes an ACID table. */
public interface AcidOutputFormat {}
