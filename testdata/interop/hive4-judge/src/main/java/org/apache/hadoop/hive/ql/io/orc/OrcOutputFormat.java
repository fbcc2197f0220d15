package org.apache.hadoop.hive.ql.io.orc;

import org.apache.hadoop.hive.ql.io.AcidOutputFormat;

/** Stands for Hive's own: see AcidOutputFormat. */
public final class OrcOutputFormat implements AcidOutputFormat {}
