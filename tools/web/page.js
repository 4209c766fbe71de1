// The page: asks the worker, and shows its answers. Bytes of the file become
// text nodes, never HTML. The HTML of facts and properties is what `ashlar
// report` makes, which escapes all names.
'use strict';

var kEntries = 100;
var kBlocks = 200;

function at(id) { return document.getElementById(id); }

// --- Questions --------------------------------------------------------------

var worker = null;
var workerAddress = '';
var waiting = new Map();  // by id: what to call with the answer
var nextId = 1;
var fileBytes = 0;

function showRead(read) {
  var state = at('state');
  state.dataset.read = read;
  state.textContent = 'Read ' + read.toLocaleString('en') + ' of ' +
    fileBytes.toLocaleString('en') + ' bytes.';
}

function showError(text) {
  at('error').hidden = text === '';
  at('error').textContent = text;
}

// Questions that wait are never answered, so what a question disabled is
// enabled here.
function stopWorker() {
  if (worker === null) return;
  worker.terminate();
  URL.revokeObjectURL(workerAddress);
  waiting.clear();
  at('make-report').disabled = false;
}

function startWorker(file) {
  stopWorker();
  var address = URL.createObjectURL(
    new Blob([at('worker').textContent], {type: 'text/javascript'}));
  workerAddress = address;
  worker = new Worker(address);
  // A worker that sends has been loaded: the browser may drop its script.
  worker.addEventListener('message', function () {
    URL.revokeObjectURL(address);
  }, {once: true});
  worker.onmessage = function (event) {
    var message = event.data;
    showRead(message.read);
    if (message.id === undefined) return;
    var take = waiting.get(message.id);
    waiting.delete(message.id);
    document.body.classList.toggle('busy', waiting.size !== 0);
    take(message.answer);
  };
  worker.onerror = function (event) {
    showError('The page cannot run here: ' + event.message);
  };
  worker.postMessage({file: file, module: at('module').textContent});
}

function ask(question) {
  return new Promise(function (resolve) {
    waiting.set(nextId, resolve);
    document.body.classList.add('busy');
    worker.postMessage({id: nextId++, question: question});
  });
}

// --- Cells ------------------------------------------------------------------

function cell(row, text, style) {
  var made = row.insertCell();
  made.textContent = text;
  if (style) made.className = style;
  return made;
}

// A cell of bytes keeps both forms, so that the form can change at once.
function bytesCell(row, entry, name) {
  var text = entry[name];
  var hex = entry[name + '_hex'];
  var size = entry[name + '_size'];
  var more = hex.length / 2 < size ? '\u2026 (' + size + ' bytes)' : '';
  var made = cell(row, '', 'bytes');
  made.dataset.text = text + more;
  made.dataset.hex = hex + more;
  showBytes(made);
}

function showBytes(made) {
  made.textContent = at('show-hex').checked ? made.dataset.hex
                                            : made.dataset.text;
}

function showVersions(body, entries, keyName) {
  body.replaceChildren();
  entries.forEach(function (entry) {
    var row = body.insertRow();
    if (keyName) bytesCell(row, entry, keyName);
    cell(row, entry.sequence);
    cell(row, entry.type);
    bytesCell(row, entry, 'value');
  });
}

// --- Views ------------------------------------------------------------------

var shown = null;  // the answer with the entries on the page
var firstBlock = 0;
var hasView = {};  // views that were filled in

function showView(name) {
  document.querySelectorAll('#tabs button').forEach(function (button) {
    var chosen = button.dataset.view === name;
    button.setAttribute('aria-pressed', chosen);
    at(button.dataset.view).hidden = !chosen;
  });
  if (hasView[name]) return;
  hasView[name] = true;
  if (name === 'entries') showEntries({});
  if (name === 'layout') showBlocks(0);
}

async function showEntries(place) {
  var answer = await ask(
    Object.assign({ask: 'entries', count: kEntries}, place));
  showError(answer.error);
  if (!answer.entries) return;
  shown = answer;
  showVersions(at('rows'), answer.entries, 'key');
  var pages = document.querySelectorAll('[data-page]');
  pages.forEach(function (button) {
    var name = button.dataset.page;
    // Without an order of keys, the page can only go on.
    button.disabled = (name === 'after' && !answer.more) ||
      (name === 'before' && (answer.first === '' || !answer.knows_order));
  });
  at('deletions').hidden = answer.range_deletions_total === 0;
  at('deletions-total').textContent =
    answer.range_deletions.length + ' of ' + answer.range_deletions_total;
  showVersions(at('deletion-rows'), answer.range_deletions, 'key');
}

function turnPage(name) {
  if (name === 'first') showEntries({});
  if (name === 'last') showEntries({last: true});
  if (shown === null) return;
  if (name === 'before') showEntries({before: shown.first});
  if (name === 'after') showEntries({after: shown.last});
}

async function find() {
  var hex = at('hex').checked;
  var key = at('key').value;
  var answer = await ask({ask: 'find', key: key, hex: hex});
  showError(answer.error);
  var found = at('found');
  found.replaceChildren();
  found.hidden = answer.error !== '';
  if (answer.error !== '') return;
  var words = document.createElement('p');
  words.textContent = answer.versions.length === 0
    ? 'The table has no entry of the key ' + answer.key +
      '. Below are the entries after it.'
    : 'Entries of the key ' + answer.key + ', newest first:';
  found.append(words);
  if (answer.versions.length !== 0) {
    var table = document.createElement('table');
    table.className = 'left rows';
    showVersions(table.createTBody(), answer.versions, null);
    found.append(table);
  }
  await showEntries({from: key, hex: hex});
}

async function showBlocks(first) {
  firstBlock = Math.max(0, first);
  var answer = await ask({ask: 'layout', first: firstBlock, count: kBlocks});
  showError(answer.error);
  if (!answer.blocks) return;
  var body = at('blocks');
  body.replaceChildren();
  answer.blocks.forEach(function (block) {
    var row = body.insertRow();
    cell(row, block.offset);
    cell(row, block.size);
    cell(row, block.kind);
    cell(row, block.index);
    cell(row, block.fault || block.name);
  });
  at('layout-total').textContent = answer.blocks.length === 0 ? 'No blocks.'
    : 'Blocks ' + (firstBlock + 1).toLocaleString('en') + ' to ' +
      (firstBlock + answer.blocks.length).toLocaleString('en') + ' of ' +
      answer.total.toLocaleString('en') +
      '. Data blocks are listed by the index, and were not read.';
  var buttons = document.querySelectorAll('[data-blocks]');
  buttons[0].disabled = firstBlock === 0;
  buttons[1].disabled = firstBlock + answer.blocks.length >= answer.total;
}

async function makeReport() {
  at('make-report').disabled = true;
  var answer = await ask({ask: 'report'});
  at('make-report').disabled = false;
  showError(answer.error);
  if (!answer.page) return;
  at('report-page').hidden = false;
  at('report-page').srcdoc = answer.page;
}

// --- The file ---------------------------------------------------------------

async function openFile(file) {
  fileBytes = file.size;
  shown = null;
  hasView = {};
  ['found', 'report-page', 'deletions'].forEach(function (id) {
    at(id).hidden = true;
  });
  at('rows').replaceChildren();
  at('blocks').replaceChildren();
  at('title').textContent = file.name;
  at('path').textContent = '';
  document.title = file.name + ' - ashlar';
  showError('');
  startWorker(file);
  var answer = await ask({ask: 'summary'});
  showError(answer.error);
  at('codecs').hidden = !answer.missing_codecs;
  at('codecs').textContent =
    'This page cannot read blocks in these codecs: ' + answer.missing_codecs;
  at('facts').innerHTML = answer.facts || '';
  at('properties').innerHTML = answer.properties || 'None.';
  at('table').hidden = !answer.facts;
  showView('summary');
}

function listen() {
  var drop = at('chooser');
  at('file').addEventListener('change', function (event) {
    if (event.target.files.length !== 0) openFile(event.target.files[0]);
  });
  document.addEventListener('dragover', function (event) {
    event.preventDefault();
    drop.classList.add('over');
  });
  document.addEventListener('dragleave', function () {
    drop.classList.remove('over');
  });
  document.addEventListener('drop', function (event) {
    event.preventDefault();
    drop.classList.remove('over');
    if (event.dataTransfer.files.length !== 0) {
      openFile(event.dataTransfer.files[0]);
    }
  });
  document.querySelectorAll('#tabs button').forEach(function (button) {
    button.addEventListener('click', function () {
      showView(button.dataset.view);
    });
  });
  document.querySelectorAll('[data-page]').forEach(function (button) {
    button.addEventListener('click', function () {
      turnPage(button.dataset.page);
    });
  });
  document.querySelectorAll('[data-blocks]').forEach(function (button) {
    button.addEventListener('click', function () {
      showBlocks(firstBlock + Number(button.dataset.blocks) * kBlocks);
    });
  });
  at('search').addEventListener('submit', function (event) {
    event.preventDefault();
    find();
  });
  at('show-hex').addEventListener('change', function () {
    document.querySelectorAll('td.bytes').forEach(showBytes);
  });
  at('make-report').addEventListener('click', makeReport);
}

listen();
document.documentElement.dataset.ready = 'yes';
