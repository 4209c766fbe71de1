// The functions of port/browser_io.cc: the file that was chosen on the page.
// Module.chosen has the File, its name, and the number of bytes that were read.
mergeInto(LibraryManager.library, {
  ashlar_open_file: function (path) {
    return Module.chosen && UTF8ToString(path) === Module.chosen.name ? 3 : -1;
  },
  ashlar_file_bytes: function () {
    return Module.chosen.file.size;
  },
  ashlar_read_file: function (fd, offset, to, n) {
    var chosen = Module.chosen;
    try {
      // Only these bytes of the file are read. A worker may wait for them.
      var bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer(
        chosen.file.slice(offset, offset + (n >>> 0))));
      HEAPU8.set(bytes, to);
      Module.onread(bytes.length);
      return bytes.length;
    } catch (error) {
      // The file was changed, moved or removed since it was chosen.
      return -1;
    }
  },
});
