package arrowio.flightjudge;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;

/**
 * {@code jdbc HOST:PORT}: the JDBC driver of Flight SQL before a server of the dataset "typed", whose row i, of 1000, is what
 * {@link #check} says. {@code session HOST:PORT}: see {@link Session}. {@code flight HOST:PORT FILE}: see {@link EveryType}. Prints "ok", or fails with what is wrong.
 */
public final class Main {
  private static final int ROWS = 1000;

  private Main() {}

  public static void main(String[] args) throws Exception {
    if (args.length == 3 && args[0].equals("flight")) {
      EveryType.judge(args[1], args[2]);
      System.out.println("ok");
      System.exit(0);
    }
    if (args.length == 2 && args[0].equals("session")) {
      try (Connection c = DriverManager.getConnection("jdbc:arrow-flight-sql://" + args[1] + "?useEncryption=false")) {
        Session.judge(c);
      }
      System.out.println("ok");
      System.exit(0);
    }
    if (args.length != 2 || !args[0].equals("jdbc")) {
      System.err.println("usage: jdbc HOST:PORT | session HOST:PORT | flight HOST:PORT FILE");
      System.exit(2);
    }
    Properties properties = new Properties();
    properties.put("useEncryption", "false");
    try (Connection c = DriverManager.getConnection("jdbc:arrow-flight-sql://" + args[1], properties)) {
      rows(c);
      parameters(c);
      catalog(c.getMetaData());
      facts(c.getMetaData());
      refusals(c);
    }
    System.out.println("ok");
    System.exit(0); // whatever threads the driver has left
  }

  private static void same(Object got, Object want, String what) {
    if (!Objects.equals(got, want)) {
      throw new AssertionError(what + ": " + got + ", want " + want);
    }
  }

  /** Row i, of which every tenth is null but for its id. */
  private static void check(ResultSet r, int i) throws SQLException {
    same(r.getLong("id"), (long) i, "id");
    boolean none = i % 10 == 9;
    same(r.getObject("b"), none ? null : (Object) (i % 2 == 0), "b of " + i);
    same(r.getInt("i"), none ? 0 : -i, "i of " + i);
    same(r.wasNull(), none, "null i of " + i);
    same(r.getDouble("f"), none ? 0 : i / 4.0, "f of " + i);
    same(r.getString("s"), none ? null : "é" + i, "s of " + i);
    same(r.getBigDecimal("m"), none ? null : BigDecimal.valueOf(i * 100L + 5, 2), "m of " + i);
    same(String.valueOf(r.getDate("d")), none ? "null" : java.time.LocalDate.of(2020, 1, 1).plusDays(i).toString(), "d of " + i);
    same(String.valueOf(r.getObject("t") == null ? null : r.getTimestamp("t").toLocalDateTime()),
        none ? "null" : java.time.LocalDateTime.of(2020, 1, 1, 0, 0).plusSeconds(i).toString(), "t of " + i);
    byte[] bytes = r.getBytes("x");
    same(bytes == null ? null : (Object) (bytes.length == 1 && bytes[0] == (byte) i), none ? null : (Object) true, "x of " + i);
  }

  private static void rows(Connection c) throws SQLException {
    try (Statement s = c.createStatement()) {
      int i = 0;
      try (ResultSet r = s.executeQuery("SELECT * FROM typed")) {
        for (; r.next(); i++) {
          check(r, i);
        }
      }
      same(i, ROWS, "rows");
      try (ResultSet r = s.executeQuery("SELECT id AS \"Number\", s FROM arrowio.main.typed t WHERE t.id >= 500 AND s IS NOT NULL LIMIT 3 OFFSET 1")) {
        same(r.getMetaData().getColumnCount(), 2, "columns");
        same(r.getMetaData().getColumnLabel(1), "Number", "label");
        same(r.getMetaData().getColumnType(1), Types.BIGINT, "type");
        List<Long> ids = new ArrayList<>();
        while (r.next()) {
          ids.add(r.getLong(1));
        }
        same(ids, List.of(501L, 502L, 503L), "limit");
      }
      try (ResultSet r = s.executeQuery("SELECT COUNT(*) FROM typed WHERE s IS NULL")) {
        same(r.next() ? r.getLong(1) : -1, 100L, "count");
      }
      try (ResultSet r = s.executeQuery("SELECT 1")) {
        same(r.next() ? r.getLong(1) : -1, 1L, "one");
      }
    }
  }

  private static void parameters(Connection c) throws SQLException {
    String sql = "SELECT * FROM typed WHERE id = ? AND i = ? AND f < ? AND s LIKE ? AND m = ? AND d >= ? AND b = ?";
    try (PreparedStatement p = c.prepareStatement(sql)) {
      same(p.getParameterMetaData().getParameterCount(), 7, "parameters");
      same(p.getParameterMetaData().getParameterType(1), Types.BIGINT, "type of a parameter");
      for (int i : new int[] {100, 7, 998}) {
        p.setLong(1, i);
        p.setInt(2, -i);
        p.setDouble(3, i / 4.0 + 0.125);
        p.setString(4, "é%" + i % 10);
        p.setBigDecimal(5, BigDecimal.valueOf(i * 100L + 5, 2));
        p.setDate(6, Date.valueOf("2020-01-01"));
        p.setBoolean(7, i % 2 == 0);
        try (ResultSet r = p.executeQuery()) {
          same(r.next(), true, "a row for " + i);
          check(r, i);
          same(r.next(), false, "a second row for " + i);
        }
      }
    }
  }

  private static void catalog(DatabaseMetaData m) throws SQLException {
    same(m.getDatabaseProductName(), "arrowio", "product");
    same(m.isReadOnly(), true, "read-only");
    same(m.getIdentifierQuoteString(), "\"", "quote");
    same(column(m.getCatalogs(), "TABLE_CAT"), List.of("arrowio"), "catalogs");
    same(column(m.getSchemas(), "TABLE_SCHEM"), List.of("main"), "schemas");
    same(column(m.getTableTypes(), "TABLE_TYPE"), List.of("TABLE"), "table types");
    same(column(m.getTables(null, null, "ty%", null), "TABLE_NAME"), List.of("typed"), "tables");
    same(column(m.getTables(null, null, "x", null), "TABLE_NAME"), List.of(), "no tables");
    same(column(m.getColumns(null, null, "typed", "%"), "COLUMN_NAME"), List.of("id", "b", "i", "f", "s", "m", "d", "t", "x"), "columns");
    same(column(m.getPrimaryKeys(null, null, "typed"), "COLUMN_NAME"), List.of(), "keys");
  }

  /** Every fact that takes no argument is told. */
  private static void facts(DatabaseMetaData m) throws IllegalAccessException {
    for (Method f : DatabaseMetaData.class.getMethods()) {
      if (f.getParameterCount() == 0) {
        try {
          if (f.invoke(m) instanceof ResultSet r) {
            r.close();
          }
        } catch (InvocationTargetException | SQLException e) {
          throw new AssertionError(f.getName() + "()", e);
        }
      }
    }
  }

  private static List<String> column(ResultSet r, String name) throws SQLException {
    List<String> out = new ArrayList<>();
    try (r) {
      while (r.next()) {
        out.add(r.getString(name));
      }
    }
    return out;
  }

  private static void refusals(Connection c) throws SQLException {
    String[][] all = {
      {"SELECT * FROM nope", "nope"}, {"SELECT nope FROM typed", "nope"}, {"SELECT id FROM typed ORDER BY id", "DuckDB"},
      {"SELECT sum(i) FROM typed", "DuckDB"}, {"DELETE FROM typed", "DELETE"},
    };
    for (String[] one : all) {
      try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(one[0])) {
        throw new AssertionError(one[0] + " is answered");
      } catch (SQLException e) {
        StringBuilder text = new StringBuilder();
        for (Throwable t = e; t != null; t = t.getCause()) {
          text.append(t).append('\n');
        }
        same(text.indexOf(one[1]) >= 0, true, one[0] + " says " + text);
      }
    }
  }
}
