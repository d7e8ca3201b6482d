import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.Map;
import java.util.Set;

/**
 * The database of the conformance suite, in memory. It accepts the administrative commands that the library does not know;
 * a text index serves only a search field of the suite's own pages.
 */
public final class Storage {
  private static final Map<String, Document> ACCEPTED = Map.of(
      "getParameter", new Document("featureCompatibilityVersion", new Document("version", "6.0")),
      "setFeatureCompatibilityVersion", new Document());
  private static final Set<String> INDEXES = Set.of("createIndexes");

  private static final class Backend extends MemoryBackend {
    @Override
    public Document handleMessage(MongoMessage message) {
      Document request = message.getDocument();
      String command = request.isEmpty() ? "" : request.keySet().iterator().next();
      Document accepted = ACCEPTED.get(command);
      if (accepted != null) return accepted.clone().append("ok", 1.0);
      boolean isText = INDEXES.contains(command) && String.valueOf(request.get("indexes")).contains("text");
      return isText ? new Document("ok", 1.0) : super.handleMessage(message);
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    new MongoServer(new Backend()).bind("127.0.0.1", Integer.parseInt(arguments[0]));
    Thread.currentThread().join();
  }
}
