package arrowio.flightjudge;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/** A session of a server with DuckDB, which the driver has because it keeps cookies unless told otherwise. */
final class Session {
  private Session() {}

  static void judge(Connection c) throws Exception {
    try (Statement s = c.createStatement()) {
      same(s.executeUpdate("create temp table t as select * from range(5) r(a)"), 5, "rows of a temporary table");
      same(s.executeUpdate("insert into t values (100)"), 1, "rows inserted");
      same(one(s, "select count(*) || ' ' || max(a) from t"), "6 100", "the table");
      s.execute("set timezone = 'Europe/Berlin'");
      same(one(s, "select timestamptz '2020-07-01 00:00:00Z'::varchar"), "2020-07-01 02:00:00+02", "the time zone");
      s.execute("begin");
      same(s.executeUpdate("delete from t"), 6, "rows deleted");
      s.execute("rollback");
      same(one(s, "select count(*) from t"), "6", "rows after a rollback");
      s.execute("prepare p as select a from t where a = ?");
      same(one(s, "execute p(3)"), "3", "EXECUTE");
    }
    try (PreparedStatement p = c.prepareStatement("insert into t values (?)")) {
      for (int i = 0; i < 3; i++) {
        p.setLong(1, 1000 + i);
        p.addBatch();
      }
      p.executeBatch();
    }
    try (PreparedStatement p = c.prepareStatement("select sum(a) from t where a >= ?")) {
      p.setLong(1, 1000);
      try (ResultSet r = p.executeQuery()) {
        same(r.next(), true, "a row");
        same(r.getString(1), "3003", "what a batch has inserted");
      }
    }
    try (ResultSet r = c.getMetaData().getColumns("temp", null, "t", null)) {
      same(r.next(), true, "a column of a temporary table");
      same(r.getString("COLUMN_NAME") + " " + r.getString("TYPE_NAME"), "a BIGINT", "it");
    }
    same(c.getMetaData().supportsTransactions(), false, "supportsTransactions: the driver's rollback does nothing");
    metadata(c.getMetaData());
  }

  private static String one(Statement s, String sql) throws SQLException {
    try (ResultSet r = s.executeQuery(sql)) {
      same(r.next(), true, "a row of " + sql);
      return r.getString(1);
    }
  }

  /** Every method of DatabaseMetaData without arguments answers, also in a session. */
  private static void metadata(DatabaseMetaData m) throws Exception {
    int answered = 0;
    for (Method f : DatabaseMetaData.class.getMethods()) {
      if (f.getParameterCount() != 0 || Modifier.isStatic(f.getModifiers())) {
        continue;
      }
      try {
        if (f.invoke(m) instanceof ResultSet r) {
          while (r.next()) {}
          r.close();
        }
      } catch (InvocationTargetException e) {
        throw new AssertionError(f.getName(), e.getCause());
      }
      answered++;
    }
    same(answered > 140, true, answered + " methods of DatabaseMetaData answer");
  }

  private static void same(Object got, Object want, String what) {
    if (!Objects.equals(got, want)) {
      throw new AssertionError(what + ": " + got + ", want " + want);
    }
  }
}
