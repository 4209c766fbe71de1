// The script of the page of `report`. The page is readable without it too. It
// must be valid inside XML as it is: no ampersand, no less-than sign.
'use strict';
(function () {
  var map = document.getElementById('cells');
  var detail = document.getElementById('detail');
  var cells = map ? Array.prototype.slice.call(map.children) : [];
  var current = 0;

  function show(cell) {
    detail.textContent = cell.title;
  }
  // The tab key stops at one cell only, and arrow keys move between cells.
  function choose(index) {
    cells[current].tabIndex = -1;
    current = Math.min(Math.max(index, 0), cells.length - 1);
    cells[current].tabIndex = 0;
    cells[current].focus();
    // A window in the background gets the focus event later.
    show(cells[current]);
  }
  // Returns the nearest cell of the next row in this direction.
  function inNextRow(step) {
    var top = cells[current].offsetTop;
    var left = cells[current].offsetLeft;
    var row = null;
    var best = current;
    var distance = Infinity;
    for (var i = current + step; cells[i]; i += step) {
      if (cells[i].offsetTop === top) continue;
      if (row === null) row = cells[i].offsetTop;
      if (cells[i].offsetTop !== row) break;
      var apart = Math.abs(cells[i].offsetLeft - left);
      if (distance > apart) {
        distance = apart;
        best = i;
      }
    }
    return best;
  }
  function target(key) {
    if (key === 'ArrowRight') return current + 1;
    if (key === 'ArrowLeft') return current - 1;
    if (key === 'ArrowDown') return inNextRow(1);
    if (key === 'ArrowUp') return inNextRow(-1);
    if (key === 'Home') return 0;
    if (key === 'End') return cells.length - 1;
    return null;
  }

  cells.forEach(function (cell, index) {
    cell.tabIndex = index === 0 ? 0 : -1;
  });
  if (map) {
    map.addEventListener('mouseover', function (event) {
      if (event.target !== map) show(event.target);
    });
    map.addEventListener('focusin', function (event) {
      show(event.target);
    });
    map.addEventListener('click', function (event) {
      if (event.target !== map) choose(cells.indexOf(event.target));
    });
    map.addEventListener('keydown', function (event) {
      var next = target(event.key);
      if (next === null) return;
      event.preventDefault();
      choose(next);
    });
    var bad = map.querySelector('.bad');
    if (bad) show(bad);
  }
  document.documentElement.setAttribute('data-ready', 'yes');
})();
