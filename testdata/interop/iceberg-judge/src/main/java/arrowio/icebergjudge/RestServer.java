package arrowio.icebergjudge;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executors;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.rest.CatalogHandlers;
import org.apache.iceberg.rest.RESTSerializers;
import org.apache.iceberg.rest.requests.CreateTableRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.apache.iceberg.rest.responses.LoadTableResponse;

/** A REST catalog of one namespace, db: Iceberg's own handlers behind the JDK's server. It prints its port, and ends with its input. */
final class RestServer {
  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final ObjectMapper mapper = new ObjectMapper();

  private RestServer(String warehouse) {
    catalog.initialize("judge", Map.of(CatalogProperties.WAREHOUSE_LOCATION, warehouse));
    catalog.createNamespace(Namespace.of("db"));
    mapper.setVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY);
    mapper.configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
    mapper.setPropertyNamingStrategy(PropertyNamingStrategies.KebabCaseStrategy.INSTANCE);
    RESTSerializers.registerAll(mapper);
  }

  static void run(String warehouse) throws IOException {
    RestServer r = new RestServer(warehouse);
    HttpServer s = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    s.createContext("/v1/", r::handle);
    s.setExecutor(Executors.newFixedThreadPool(4));
    s.start();
    System.out.println(s.getAddress().getPort());
    System.in.read();
    s.stop(0);
    System.exit(0);
  }

  private void handle(HttpExchange x) throws IOException {
    int code = 200;
    byte[] answer;
    try {
      answer = mapper.writeValueAsBytes(answer(x.getRequestMethod(), x.getRequestURI().getPath(), x.getRequestBody().readAllBytes()));
    } catch (RuntimeException e) {
      code =
          e instanceof NoSuchTableException || e instanceof NoSuchNamespaceException ? 404
              : e instanceof CommitFailedException || e instanceof AlreadyExistsException ? 409
              : e instanceof IllegalArgumentException ? 400 : 500;
      answer =
          mapper.writeValueAsBytes(ErrorResponse.builder().responseCode(code).withType(e.getClass().getSimpleName()).withMessage(String.valueOf(e.getMessage())).build());
    }
    x.getResponseHeaders().set("Content-Type", "application/json");
    x.sendResponseHeaders(code, answer.length);
    x.getResponseBody().write(answer);
    x.close();
  }

  /** Puts metadata, which the catalog keeps in memory, where it says that they are. */
  private static synchronized void store(LoadTableResponse r) throws IOException {
    Path to = Path.of(r.metadataLocation());
    if (!Files.exists(to)) {
      Files.createDirectories(to.getParent());
      Files.writeString(to, TableMetadataParser.toJson(r.tableMetadata()));
    }
  }

  private Object answer(String method, String path, byte[] body) throws IOException {
    String tables = "/v1/namespaces/db/tables";
    String text = new String(body, StandardCharsets.UTF_8);
    if (path.equals("/v1/config")) {
      return Map.of("defaults", Map.of(), "overrides", Map.of());
    }
    if (path.equals(tables) && method.equals("POST")) {
      CreateTableRequest r = mapper.readValue(text, CreateTableRequest.class);
      return r.stageCreate() ? CatalogHandlers.stageTableCreate(catalog, Namespace.of("db"), r) : CatalogHandlers.createTable(catalog, Namespace.of("db"), r);
    }
    if (path.startsWith(tables + "/")) {
      TableIdentifier t = TableIdentifier.of("db", path.substring(tables.length() + 1));
      LoadTableResponse r =
          method.equals("GET")
              ? CatalogHandlers.loadTable(catalog, t)
              : CatalogHandlers.updateTable(catalog, t, mapper.readValue(text, UpdateTableRequest.class));
      store(r);
      return r;
    }
    throw new NoSuchTableException("%s %s", method, path);
  }
}
