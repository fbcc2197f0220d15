package arrowio.icebergjudge;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.orc.GenericOrcWriter;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.orc.ORC;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.StructLikeSet;
import org.apache.iceberg.util.StructProjection;

/** Data files of random schemas, files that delete by position and by values, and the rows that are left. */
final class RandomTables {
  private final Random r;
  private int ids;
  private boolean third; // types of format version 3

  RandomTables(long seed) {
    r = new Random(seed);
  }

  /** Makes types of format version 3, too. */
  void third() {
    third = true;
  }

  static void write(File dir, long seed, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      File d = new File(dir, "t" + i);
      Files.createDirectories(d.toPath());
      new RandomTables(seed * 1000 + i).table(d);
    }
  }

  private void table(File d) throws IOException {
    List<Types.NestedField> fields = new ArrayList<>();
    for (int i = 1 + r.nextInt(6); i > 0; i--) {
      fields.add(field("c" + i, r.nextInt(3)));
    }
    Schema schema = new Schema(fields);
    Files.writeString(new File(d, "schema.json").toPath(), SchemaParser.toJson(schema));
    int n = r.nextInt(3) == 0 ? r.nextInt(20) : 500 + r.nextInt(1500);
    List<Record> rows = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      rows.add(i > 0 && r.nextInt(4) == 0 ? rows.get(r.nextInt(i)) : record(schema.asStruct()));
    }
    File data = new File(d, "data.orc");
    try (FileAppender<Record> a =
        ORC.write(org.apache.iceberg.Files.localOutput(data))
            .schema(schema)
            .createWriterFunc(GenericOrcWriter::buildWriter)
            .set("orc.compress", r.nextBoolean() ? "ZLIB" : "ZSTD")
            .set("orc.row.index.stride", "1000")
            .set("orc.stripe.size", "20000")
            .build()) {
      for (Record row : rows) {
        a.add(row);
      }
    }
    Set<Integer> gone = new HashSet<>();
    if (n > 0 && r.nextInt(4) > 0) {
      positions(new File(d, "positions.orc"), data, n, gone);
    }
    if (n > 0 && r.nextInt(4) > 0) {
      values(new File(d, "values.orc"), schema, rows, gone);
    }
    try (BufferedWriter w = Files.newBufferedWriter(new File(d, "rows.jsonl").toPath(), StandardCharsets.UTF_8);
        CloseableIterable<Record> read = Rows.read(data, schema)) {
      int i = 0;
      for (Record row : read) {
        if (!gone.contains(i++)) {
          w.write(Rows.text(row, schema) + "\n");
        }
      }
    }
  }

  private void positions(File to, File data, int n, Set<Integer> gone) throws IOException {
    Set<Integer> chosen = new TreeSet<>();
    int k = r.nextInt(3) == 0 ? n : r.nextInt(1 + n / 3);
    for (int i = 0; i < k; i++) {
      chosen.add(r.nextInt(5) == 0 ? i : r.nextInt(n));
    }
    try (PositionDeleteWriter<Record> w =
        ORC.writeDeletes(org.apache.iceberg.Files.localOutput(to))
            .createWriterFunc(GenericOrcWriter::buildWriter)
            .overwrite()
            .rowSchema(null)
            .withSpec(PartitionSpec.unpartitioned())
            .buildPositionWriter()) {
      PositionDelete<Record> p = PositionDelete.create();
      w.write(p.set(new File(data.getParentFile(), "aaa.orc").getAbsolutePath(), 0, null));
      for (int i : chosen) {
        w.write(p.set(data.getAbsolutePath(), i, null));
      }
      w.write(p.set(new File(data.getParentFile(), "zzz.orc").getAbsolutePath(), 1, null));
    }
    gone.addAll(chosen);
  }

  /** Columns below structs alone, that values may delete by. */
  private static void plain(Types.StructType s, List<Integer> out) {
    for (Types.NestedField f : s.fields()) {
      if (f.type().isPrimitiveType()) {
        out.add(f.fieldId());
      } else if (f.type().isStructType()) {
        plain(f.type().asStructType(), out);
      }
    }
  }

  private void values(File to, Schema schema, List<Record> rows, Set<Integer> gone) throws IOException {
    List<Integer> all = new ArrayList<>();
    plain(schema.asStruct(), all);
    Set<Integer> chosen = new TreeSet<>();
    for (int i = all.isEmpty() ? 0 : 1 + r.nextInt(3); i > 0; i--) {
      chosen.add(all.get(r.nextInt(all.size())));
    }
    if (chosen.isEmpty()) {
      return;
    }
    Schema part = TypeUtil.select(schema, chosen);
    StructProjection projection = StructProjection.create(schema, part);
    InternalRecordWrapper wrapper = new InternalRecordWrapper(schema.asStruct());
    StructLikeSet set = StructLikeSet.create(part.asStruct());
    List<Record> deleted = new ArrayList<>();
    for (int i = r.nextInt(20); i > 0; i--) {
      Record row = r.nextInt(3) == 0 ? record(schema.asStruct()) : rows.get(r.nextInt(rows.size()));
      deleted.add(part(row, part.asStruct()));
      set.add(StructProjection.create(schema, part).wrap(new InternalRecordWrapper(schema.asStruct()).wrap(row)));
    }
    try (EqualityDeleteWriter<Record> w =
        ORC.writeDeletes(org.apache.iceberg.Files.localOutput(to))
            .createWriterFunc(GenericOrcWriter::buildWriter)
            .overwrite()
            .rowSchema(part)
            .withSpec(PartitionSpec.unpartitioned())
            .equalityFieldIds(new ArrayList<>(chosen))
            .buildEqualityWriter()) {
      for (Record row : deleted) {
        w.write(row);
      }
    }
    for (int i = 0; i < rows.size(); i++) {
      if (set.contains(projection.wrap(wrapper.wrap(rows.get(i))))) {
        gone.add(i);
      }
    }
  }

  private static Record part(Record row, Types.StructType part) {
    GenericRecord g = GenericRecord.create(part);
    for (Types.NestedField f : part.fields()) {
      Object v = row.getField(f.name());
      g.setField(f.name(), f.type().isStructType() && v != null ? part((Record) v, f.type().asStructType()) : v);
    }
    return g;
  }

  Types.NestedField field(String name, int depth) {
    int id = ++ids;
    Type t = type(depth);
    return r.nextInt(3) == 0 ? Types.NestedField.required(id, name, t) : Types.NestedField.optional(id, name, t);
  }

  private Type type(int depth) {
    if (depth > 0) {
      switch (r.nextInt(5)) {
        case 0 -> {
          int id = ++ids;
          Type t = type(depth - 1);
          return r.nextBoolean() ? Types.ListType.ofOptional(id, t) : Types.ListType.ofRequired(id, t);
        }
        case 1 -> {
          int key = ++ids;
          int value = ++ids;
          Type k = type(0);
          Type v = type(depth - 1);
          return r.nextBoolean() ? Types.MapType.ofOptional(key, value, k, v) : Types.MapType.ofRequired(key, value, k, v);
        }
        case 2 -> {
          List<Types.NestedField> fields = new ArrayList<>();
          for (int i = 1 + r.nextInt(3); i > 0; i--) {
            fields.add(field("f" + i, depth - 1));
          }
          return Types.StructType.of(fields);
        }
        default -> {}
      }
    }
    if (third && r.nextInt(6) == 0) {
      return r.nextBoolean() ? Types.TimestampNanoType.withZone() : Types.TimestampNanoType.withoutZone();
    }
    return switch (r.nextInt(15)) {
      case 0 -> Types.BooleanType.get();
      case 1 -> Types.IntegerType.get();
      case 2 -> Types.LongType.get();
      case 3 -> Types.FloatType.get();
      case 4 -> Types.DoubleType.get();
      case 5 -> Types.DateType.get();
      case 6 -> Types.TimeType.get();
      case 7 -> Types.TimestampType.withoutZone();
      case 8 -> Types.TimestampType.withZone();
      case 9 -> Types.UUIDType.get();
      case 10 -> Types.FixedType.ofLength(1 + r.nextInt(20));
      case 11 -> Types.BinaryType.get();
      case 12 -> {
        int p = 1 + r.nextInt(38);
        yield Types.DecimalType.of(p, r.nextInt(p + 1));
      }
      default -> Types.StringType.get();
    };
  }

  Record record(Types.StructType t) {
    GenericRecord g = GenericRecord.create(t);
    for (int i = 0; i < t.fields().size(); i++) {
      Types.NestedField f = t.fields().get(i);
      g.set(i, value(f.type(), f.isOptional()));
    }
    return g;
  }

  Object value(Type t, boolean optional) {
    if (optional && r.nextInt(6) == 0) {
      return null;
    }
    return switch (t.typeId()) {
      case BOOLEAN -> r.nextBoolean();
      case INTEGER -> r.nextInt(3) == 0 ? r.nextInt() : r.nextInt(100);
      case LONG -> r.nextInt(3) == 0 ? r.nextLong() : r.nextInt(100);
      case FLOAT -> r.nextInt(20) == 0 ? Float.NaN : r.nextInt(9) == 0 ? 0f : (float) r.nextInt(50) / 8;
      case DOUBLE -> r.nextInt(20) == 0 ? Double.NaN : r.nextInt(9) == 0 ? 0d : (double) r.nextInt(50) / 8;
      case DATE -> LocalDate.ofEpochDay(r.nextInt(10) == 0 ? -180000 - r.nextInt(9000) : r.nextInt(100));
      case TIME -> LocalTime.ofNanoOfDay(r.nextInt(86400) * 1000000000L + r.nextInt(1000000) * 1000L);
      case TIMESTAMP -> {
        long second = r.nextInt(10) == 0 ? -15000000000L + r.nextInt(900000000) : (long) (r.nextDouble() * 4e9) - 2000000000L;
        LocalDateTime at = LocalDateTime.ofEpochSecond(second, r.nextInt(1000000) * 1000, ZoneOffset.UTC);
        yield ((Types.TimestampType) t).shouldAdjustToUTC() ? (Object) at.atOffset(ZoneOffset.UTC) : at;
      }
      case TIMESTAMP_NANO -> {
        LocalDateTime at = LocalDateTime.ofEpochSecond(r.nextInt(), r.nextInt(1000000000), ZoneOffset.UTC);
        yield ((Types.TimestampNanoType) t).shouldAdjustToUTC() ? (Object) at.atOffset(ZoneOffset.UTC) : at;
      }
      case STRING -> {
        StringBuilder b = new StringBuilder();
        for (int i = r.nextInt(4); i > 0; i--) {
          b.append(r.nextInt(15) == 0 ? (char) (0x4e00 + r.nextInt(99)) : (char) ('a' + r.nextInt(4)));
        }
        yield b.toString();
      }
      case UUID -> new UUID(r.nextInt(9), r.nextInt(9));
      case FIXED -> {
        byte[] b = new byte[((Types.FixedType) t).length()];
        r.nextBytes(b);
        yield b;
      }
      case BINARY -> {
        byte[] b = new byte[r.nextInt(5)];
        r.nextBytes(b);
        yield ByteBuffer.wrap(b);
      }
      case DECIMAL -> {
        Types.DecimalType d = (Types.DecimalType) t;
        BigInteger x = new BigInteger(1 + r.nextInt(Math.min(120, d.precision() * 3)), r);
        yield new BigDecimal(r.nextBoolean() ? x : x.negate(), d.scale());
      }
      case LIST -> {
        List<Object> l = new ArrayList<>();
        for (int i = r.nextInt(4); i > 0; i--) {
          l.add(value(t.asListType().elementType(), t.asListType().isElementOptional()));
        }
        yield l;
      }
      case MAP -> {
        Map<Object, Object> m = new LinkedHashMap<>();
        for (int i = r.nextInt(3); i > 0; i--) {
          m.put(value(t.asMapType().keyType(), false), value(t.asMapType().valueType(), t.asMapType().isValueOptional()));
        }
        yield m;
      }
      case STRUCT -> record(t.asStructType());
      default -> throw new IllegalArgumentException(t.toString());
    };
  }
}
