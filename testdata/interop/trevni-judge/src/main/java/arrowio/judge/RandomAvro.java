package arrowio.judge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.Schema.Type;
import org.apache.avro.generic.GenericData;
import org.apache.trevni.ValueType;

/** Random Avro schemas that Trevni can hold (not recursive), and random data of any such schema. */
final class RandomAvro {
  private static final Type[] PRIMITIVES = {
    Type.NULL, Type.BOOLEAN, Type.INT, Type.LONG, Type.FLOAT, Type.DOUBLE, Type.STRING, Type.BYTES
  };

  private final RandomData data;
  private final Random random;
  private int named;

  RandomAvro(long seed) {
    data = new RandomData(seed);
    random = data.random();
  }

  Schema record(int depth) {
    int id = named++;
    List<Schema.Field> fields = new ArrayList<>();
    int n = 1 + random.nextInt(5);
    for (int i = 0; i < n; i++) {
      fields.add(new Schema.Field("f" + i, schema(depth), null, (Object) null));
    }
    return Schema.createRecord("R" + id, null, id % 3 == 0 ? null : "test.n" + id % 3, false, fields);
  }

  private Schema schema(int depth) {
    if (depth == 0) {
      return Schema.create(PRIMITIVES[random.nextInt(PRIMITIVES.length)]);
    }
    return switch (random.nextInt(10)) {
      case 0 -> record(depth - 1);
      case 1, 2 -> Schema.createArray(schema(depth - 1));
      case 3 -> Schema.createMap(schema(depth - 1));
      case 4 -> Schema.createUnion(random.nextBoolean()
          ? List.of(Schema.create(Type.NULL), notUnion(depth - 1))
          : List.of(notUnion(depth - 1), Schema.create(Type.NULL)));
      case 5 -> union(depth - 1);
      case 6 -> enumeration();
      case 7 -> Schema.createFixed("F" + named++, null, "test", 1 + random.nextInt(9));
      default -> schema(0);
    };
  }

  private Schema notUnion(int depth) {
    Schema s;
    do {
      s = schema(depth);
    } while (s.getType() == Type.UNION || s.getType() == Type.NULL);
    return s;
  }

  private Schema union(int depth) {
    Map<String, Schema> branches = new LinkedHashMap<>();
    int n = 2 + random.nextInt(4);
    for (int i = 0; i < n; i++) {
      Schema s = random.nextInt(4) == 0 ? Schema.create(Type.NULL) : notUnion(depth);
      branches.putIfAbsent(s.getFullName(), s);
    }
    return Schema.createUnion(new ArrayList<>(branches.values()));
  }

  private Schema enumeration() {
    int id = named++;
    List<String> symbols = new ArrayList<>();
    int n = 1 + random.nextInt(6);
    for (int i = 0; i < n; i++) {
      symbols.add("S" + id + "_" + i);
    }
    return Schema.createEnum("E" + id, null, "test", symbols);
  }

  Object datum(Schema s) {
    return switch (s.getType()) {
      case NULL -> null;
      case BOOLEAN -> data.value(ValueType.BOOLEAN);
      case INT -> data.value(ValueType.INT);
      case LONG -> data.value(ValueType.LONG);
      case FLOAT -> data.value(ValueType.FLOAT);
      case DOUBLE -> data.value(ValueType.DOUBLE);
      case STRING -> data.value(ValueType.STRING);
      case BYTES -> data.value(ValueType.BYTES);
      case ENUM -> new GenericData.EnumSymbol(s, s.getEnumSymbols().get(random.nextInt(s.getEnumSymbols().size())));
      case FIXED -> new GenericData.Fixed(s, data.bytes(s.getFixedSize()).array());
      case ARRAY -> {
        List<Object> list = new ArrayList<>();
        int n = length();
        for (int i = 0; i < n; i++) {
          list.add(datum(s.getElementType()));
        }
        yield list;
      }
      case MAP -> {
        Map<String, Object> map = new LinkedHashMap<>(); // the writer goes by the order of iteration
        int n = length();
        for (int i = 0; i < n; i++) {
          map.put("k" + random.nextInt(50), datum(s.getValueType()));
        }
        yield map;
      }
      case RECORD -> {
        GenericData.Record r = new GenericData.Record(s);
        for (Schema.Field f : s.getFields()) {
          r.put(f.pos(), datum(f.schema()));
        }
        yield r;
      }
      case UNION -> datum(s.getTypes().get(random.nextInt(s.getTypes().size())));
    };
  }

  private int length() {
    return random.nextInt(3) == 0 ? 0 : random.nextInt(4);
  }
}
