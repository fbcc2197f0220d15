// Package partitiontext writes values as Hive and Spark name the directories of partitions.
package partitiontext
