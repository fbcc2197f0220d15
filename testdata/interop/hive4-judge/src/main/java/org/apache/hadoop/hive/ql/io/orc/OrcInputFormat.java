package org.apache.hadoop.hive.ql.io.orc;

import org.apache.hadoop.hive.ql.io.AcidInputFormat;

/** Stands for Hive's own: see AcidInputFormat. */
public final class OrcInputFormat implements AcidInputFormat {}
