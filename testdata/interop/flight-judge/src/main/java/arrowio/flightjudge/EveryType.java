package arrowio.flightjudge;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Arrow's Flight client for Java before a server of the dataset "types", which is an IPC stream that Java reads itself, too: by
 * every way of asking the columns have the types and the values that they have in the file.
 */
final class EveryType {
  private EveryType() {}

  /** A column: its type, and a checksum of its values, however they are cut into batches. */
  private static final class Column {
    String type;
    int rows;
    int nulls;
    final MessageDigest digest = sha256();

    void add(FieldVector v) {
      String t = typeOf(v.getField());
      same(type == null ? t : type, t, v.getName() + " changes its type");
      type = t;
      for (int i = 0; i < v.getValueCount(); i++) {
        Object o = v.getObject(i);
        rows++;
        nulls += o == null ? 1 : 0;
        digest.update((canonical(o) + "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  static void judge(String address, String file) throws Exception {
    try (BufferAllocator memory = new RootAllocator()) {
      Map<String, String> want = new LinkedHashMap<>();
      try (ArrowStreamReader r = new ArrowStreamReader(new FileInputStream(file), memory, CommonsCompressionFactory.INSTANCE)) {
        Map<String, Column> columns = new LinkedHashMap<>();
        while (r.loadNextBatch()) {
          add(columns, r.getVectorSchemaRoot(), r);
        }
        want.putAll(summary(columns));
      }
      String[] host = address.split(":");
      try (FlightClient client = FlightClient.builder(memory, Location.forGrpcInsecure(host[0], Integer.parseInt(host[1]))).build()) {
        for (String more : new String[] {
          "", ",\"compression\":\"lz4\"", ",\"compression\":\"zstd\"", ",\"batch_rows\":7", ",\"batch_rows\":100,\"compression\":\"zstd\"", ",\"endpoints\":3"
        }) {
          differences(read(client, "{\"dataset\":\"types\"" + more + "}"), want, more);
        }
        for (String name : want.keySet()) {
          differences(read(client, "{\"dataset\":\"types\",\"columns\":[\"" + name + "\"]}"), Map.of(name, want.get(name)), "alone");
        }
        // A stream that is not read to its end.
        try (FlightStream s = client.getStream(info(client, "{\"dataset\":\"types\",\"batch_rows\":1}").getEndpoints().get(0).getTicket())) {
          same(s.next(), true, "a first batch");
          s.cancel("enough", null);
        }
      }
      System.out.println(want.size() + " columns");
    }
  }

  private static FlightInfo info(FlightClient client, String command) {
    return client.getInfo(FlightDescriptor.command(command.getBytes(StandardCharsets.UTF_8)));
  }

  private static Map<String, String> read(FlightClient client, String command) throws Exception {
    Map<String, Column> columns = new LinkedHashMap<>();
    for (FlightEndpoint e : info(client, command).getEndpoints()) {
      try (FlightStream s = client.getStream(e.getTicket())) {
        while (s.next()) {
          same(s.getLatestMetadata() != null, true, "app_metadata");
          add(columns, s.getRoot(), s.getDictionaryProvider());
        }
      }
    }
    return summary(columns);
  }

  private static void add(Map<String, Column> columns, VectorSchemaRoot root, DictionaryProvider dictionaries) throws IOException {
    for (FieldVector v : root.getFieldVectors()) {
      Column c = columns.computeIfAbsent(v.getName(), name -> new Column());
      if (v.getField().getDictionary() == null) {
        c.add(v);
        continue;
      }
      try (ValueVector plain = DictionaryEncoder.decode(v, dictionaries.lookup(v.getField().getDictionary().getId()))) {
        c.add((FieldVector) plain);
      }
    }
  }

  private static Map<String, String> summary(Map<String, Column> columns) {
    Map<String, String> out = new LinkedHashMap<>();
    columns.forEach((name, c) -> out.put(name, c.type + ", " + c.rows + " rows, " + c.nulls + " null, " + HexFormat.of().formatHex(c.digest.digest())));
    return out;
  }

  private static void differences(Map<String, String> got, Map<String, String> want, String what) {
    same(List.copyOf(got.keySet()), List.copyOf(want.keySet()), "columns" + what);
    want.forEach((name, w) -> same(got.get(name), w, name + what));
  }

  /** Names of children of lists and maps are the reader's own, and do not count. */
  private static String typeOf(Field f) {
    List<String> children = new ArrayList<>();
    f.getChildren().forEach(c -> children.add(typeOf(c)));
    return f.getType() + children.toString();
  }

  private static String canonical(Object o) {
    StringBuilder b = new StringBuilder();
    if (o instanceof byte[] bytes) {
      return "bytes " + HexFormat.of().formatHex(bytes);
    } else if (o instanceof List<?> list) {
      list.forEach(e -> b.append(canonical(e)).append(','));
      return "[" + b + "]";
    } else if (o instanceof Map<?, ?> map) {
      map.forEach((k, v) -> b.append(k).append(':').append(canonical(v)).append(','));
      return "{" + b + "}";
    }
    return o == null ? "null" : o.getClass().getSimpleName() + " " + o;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static void same(Object got, Object want, String what) {
    if (!want.equals(got)) {
      throw new AssertionError(what + ": " + got + ", want " + want);
    }
  }
}
