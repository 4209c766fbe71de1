// Runs the module, since only a worker may wait for a piece of a file.
//
// Messages to the worker: {file, module} first, the File and the compressed
// module in base64; then {id, question}. Messages from it: {id, answer}, and
// {read}, the number of bytes read until now.
'use strict';

var answers = null;  // resolves when the module is ready
var bytesRead = 0;
var nextMessage = 0;  // of bytes read, by the clock

function countRead(n) {
  bytesRead += n;
  var now = performance.now();
  if (now < nextMessage) return;
  nextMessage = now + 100;
  postMessage({read: bytesRead});
}

async function load(file, base64) {
  var packed = Uint8Array.from(atob(base64.trim()), function (letter) {
    return letter.charCodeAt(0);
  });
  var unpacked = new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream('gzip'));
  var module = await loadAshlar({
    wasmBinary: await new Response(unpacked).arrayBuffer(),
    chosen: {file: file, name: file.name},
    onread: countRead,
    // The answers have every fault; what the program prints is the same again.
    print: function () {},
    printErr: function () {},
  });
  module.ccall('ashlar_open_table', null, ['string'], [file.name]);
  return module;
}

function answer(module, question) {
  try {
    return module.ccall('ashlar_answer', 'string', ['string'],
                        [JSON.stringify(question)]);
  } catch (error) {
    // The module ended, for example because the browser has no more memory.
    return JSON.stringify({error: 'Aborted: ' + error});
  }
}

onmessage = async function (event) {
  var message = event.data;
  if (message.file) {
    answers = load(message.file, message.module);
    return;
  }
  var text;
  try {
    text = answer(await answers, message.question);
  } catch (error) {
    text = JSON.stringify({
      error: 'NotSupported: this browser cannot run the page: ' + error});
  }
  postMessage({id: message.id, answer: JSON.parse(text), read: bytesRead});
};
