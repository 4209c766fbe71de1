import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.Filter;
import org.rocksdb.FlushOptions;
import org.rocksdb.IndexType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * Lets one release of RocksDB write tables, and read ours.
 *
 * <pre>
 * Releases write [folder]        writes [name].sst and [name].dump, which says
 *                                what is in it (test/golden/README.md)
 * Releases read [folder] [file]  ingests the file into a database in the
 *                                folder, and prints each row in hexadecimal
 * </pre>
 *
 * It compiles with every release from 5.0 on. What came later or went away is
 * called by name, and left out where it does not exist.
 */
public final class Releases {
  private static final int ROWS = 60;
  private static final int MOST_FORMAT_VERSION = 7;

  /** Calls a method that some releases do not have. Returns whether it is there. */
  private static boolean callIfThere(Object object, String name, Object... arguments)
      throws Exception {
    for (Method method : object.getClass().getMethods()) {
      if (!method.getName().equals(name)
          || method.getParameterCount() != arguments.length) {
        continue;
      }
      try {
        method.invoke(object, arguments);
        return true;
      } catch (IllegalArgumentException otherTypes) {
        continue;
      } catch (InvocationTargetException failed) {
        if (failed.getCause() instanceof RocksDBException) {
          throw (RocksDBException) failed.getCause();
        }
        throw failed;
      }
    }
    return false;
  }

  private static void setFilter(BlockBasedTableConfig table, Filter filter)
      throws Exception {
    if (!callIfThere(table, "setFilterPolicy", filter)) {
      callIfThere(table, "setFilter", filter);
    }
  }

  private static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) {
      text.append(String.format("%02x", b & 0xff));
    }
    return text.toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void remove(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(folder)) {
      paths = walk.collect(Collectors.toList());
    }
    Collections.reverse(paths);
    for (Path path : paths) {
      Files.delete(path);
    }
  }

  /** Writes one table through a database, by a flush. */
  private static void write(Path folder, String name, Options options,
      boolean hasRanges) throws Exception {
    Path database = folder.resolve(name + ".db");
    remove(database);
    StringBuilder dump = new StringBuilder();
    StringBuilder ranges = new StringBuilder();
    long sequence = 0;
    try (RocksDB db = RocksDB.open(options, database.toString())) {
      for (int i = 0; i < ROWS; i++) {
        byte[] key = bytes(String.format("key%04d", i));
        byte[] value = bytes(String.format("value %d of %s ", i, name)
            + String.join("", Collections.nCopies(i % 7, "again ")));
        sequence++;
        if (i % 12 == 5) {
          db.delete(key);
          dump.append(hex(key)).append(' ').append(sequence).append(" 0 \n");
        } else {
          db.put(key, value);
          dump.append(hex(key)).append(' ').append(sequence).append(" 1 ")
              .append(hex(value)).append('\n');
        }
      }
      byte[] begin = bytes("range1");
      byte[] end = bytes("range5");
      if (hasRanges && callIfThere(db, "deleteRange", begin, end)) {
        sequence++;
        ranges.append(hex(begin)).append(' ').append(sequence).append(" 15 ")
            .append(hex(end)).append('\n');
      }
      try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
        db.flush(flush);
      }
    }
    File[] tables = database.toFile().listFiles(
        (in, file) -> file.endsWith(".sst"));
    if (tables == null || tables.length != 1) {
      throw new IOException(name + ": not one table");
    }
    Files.copy(tables[0].toPath(), folder.resolve(name + ".sst"));
    Files.write(folder.resolve(name + ".dump"), bytes("" + dump + ranges));
    remove(database);
  }

  private static BlockBasedTableConfig smallBlocks() {
    return new BlockBasedTableConfig().setBlockSize(512);
  }

  /** The newest format version of this release, with all that is partitioned. */
  private static void writeNewest(Path folder) throws Exception {
    for (int version = MOST_FORMAT_VERSION; version >= 0; version--) {
      try (Options options = new Options(); BloomFilter bloom = new BloomFilter(10, false)) {
        BlockBasedTableConfig table = smallBlocks();
        table.setFormatVersion(version);
        setFilter(table, bloom);
        for (IndexType type : IndexType.values()) {
          if (type.name().equals("kTwoLevelIndexSearch")
              && callIfThere(table, "setPartitionFilters", true)
              && callIfThere(table, "setMetadataBlockSize", 128L)) {
            table.setIndexType(type);
          }
        }
        options.setCreateIfMissing(true);
        options.setCompressionType(CompressionType.LZ4_COMPRESSION);
        options.setTableFormatConfig(table);
        write(folder, "newest", options, true);
        return;
      } catch (RocksDBException | AssertionError refused) {
        if (version == 0) {
          throw refused;
        }
      }
    }
  }

  private static void writeAll(Path folder) throws Exception {
    Files.createDirectories(folder);
    try (Options options = new Options(); BloomFilter bloom = new BloomFilter(10, false)) {
      BlockBasedTableConfig table = smallBlocks();
      setFilter(table, bloom);
      options.setCreateIfMissing(true);
      options.setCompressionType(CompressionType.SNAPPY_COMPRESSION);
      options.setTableFormatConfig(table);
      write(folder, "default", options, false);
    }
    writeNewest(folder);
  }

  private static void ingest(RocksDB db, String file) throws Exception {
    List<String> files = Collections.singletonList(file);
    try {
      Object options = Class.forName("org.rocksdb.IngestExternalFileOptions")
          .getDeclaredConstructor().newInstance();
      callIfThere(db, "ingestExternalFile", files, options);
    } catch (ClassNotFoundException release5_0) {
      callIfThere(db, "addFileWithFilePath", files);
    }
  }

  private static void read(Path folder, String file) throws Exception {
    remove(folder);
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, folder.toString())) {
      ingest(db, file);
      PrintWriter out = new PrintWriter(System.out);
      try (RocksIterator rows = db.newIterator()) {
        for (rows.seekToFirst(); rows.isValid(); rows.next()) {
          out.println(hex(rows.key()) + " " + hex(rows.value()));
          if (!java.util.Arrays.equals(db.get(rows.key()), rows.value())) {
            throw new RocksDBException("get differs at " + hex(rows.key()));
          }
        }
        callIfThere(rows, "status");
      }
      out.flush();
    }
    remove(folder);
  }

  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    Path folder = Paths.get(arguments[1]);
    if (arguments[0].equals("write")) {
      writeAll(folder);
    } else {
      read(folder, arguments[2]);
    }
  }
}
