// What is wrong with how a page is laid out, in words. Runs inside the page.

/// Every fault that can be seen without knowing what the page should look like: it is wider than its
/// window, a text is cut off without an ellipsis, a text leaves its box, two texts lie on each other.
export const faults = (page) => page.evaluate(look);

function look() {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth + 1) found.push(`the page is ${root.scrollWidth} px wide in a window of ${innerWidth}`);

  const name = (element) => {
    const own = element.closest('[class]') ?? element;
    return `${own.tagName.toLowerCase()}.${String(own.getAttribute('class') ?? '').trim().replaceAll(/\s+/g, '.')}`;
  };
  const isHidden = (element) => !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || element.closest('.vh, noscript, [hidden]');
  /// Above everything, on purpose: what is pinned covers what is scrolled below it.
  const layer = (element) => {
    if (element.closest('dialog')) return 'dialog';
    for (let it = element; it; it = it.parentElement) {
      const { position } = getComputedStyle(it);
      if (position === 'fixed' || position === 'sticky') return it;
    }
    return null;
  };
  const open = document.querySelector('dialog[open]');
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim()) continue;
    const element = node.parentElement;
    if (isHidden(element) || /^(TITLE|OPTION|SCRIPT|STYLE)$/i.test(element.tagName)) continue;
    // What is rotated has a box that says nothing.
    if (element.closest('.slant')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (rect.width > 1 && rect.height > 1) texts.push({ element, rect, text: node.data.trim().slice(0, 40), layer: layer(element) });
    }
  }

  for (const { element, rect, text } of texts) {
    let isCut = false;
    for (let it = element; it && it !== document.body; it = it.parentElement) {
      const style = getComputedStyle(it);
      if (style.display === 'inline' || style.display === 'contents') continue;
      if (it instanceof SVGElement && !(it instanceof SVGSVGElement)) continue;
      const box = it.getBoundingClientRect();
      if (style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none') isCut = true;
      if (/auto|scroll/.test(style.overflowX)) break;
      if (!isCut && (rect.right > box.right + 2 || rect.left < box.left - 2) && box.width > 0 && !(it instanceof SVGSVGElement && style.overflow === 'visible')) {
        found.push(`"${text}" of ${name(element)} leaves ${name(it)} by ${Math.round(Math.max(rect.right - box.right, box.left - rect.left))} px`);
        break;
      }
      if (!isCut && style.overflowY === 'hidden' && (rect.bottom > box.bottom + 3 || rect.top < box.top - 3)) {
        found.push(`"${text}" of ${name(element)} is cut off by ${name(it)}`);
        break;
      }
    }
  }

  const shown = texts.filter((it) => (open ? it.layer === 'dialog' : it.layer === null)).sort((a, b) => a.rect.top - b.rect.top);
  const clipped = ({ element, rect }) => {
    let { left, right, top, bottom } = rect;
    for (let it = element; it && it !== document.body; it = it.parentElement) {
      const style = getComputedStyle(it);
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const box = it.getBoundingClientRect();
      [left, right, top, bottom] = [Math.max(left, box.left), Math.min(right, box.right), Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, right, top, bottom };
  };
  const boxes = shown.map((it) => ({ ...it, box: clipped(it) })).filter(({ box }) => box.right - box.left > 1 && box.bottom - box.top > 1);
  boxes.forEach((one, at) => {
    for (let n = at + 1; n < boxes.length && boxes[n].rect.top < one.rect.bottom; n += 1) {
      const other = boxes[n];
      if (one.element === other.element || one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      // Lines of text overlap by their leading; half a line is too much.
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (wide > 2 && high > 0.5 * Math.min(one.rect.height, other.rect.height)) {
        found.push(`"${one.text}" of ${name(one.element)} lies on "${other.text}" of ${name(other.element)}`);
      }
    }
  });

  // What stands for a length has one.
  for (const bar of document.querySelectorAll('.rub .bar-i, .bars .len, .spans i, .gauge .len, .ci .span-i')) {
    if (isHidden(bar) || parseFloat(bar.style.getPropertyValue('--w')) === 0) continue;
    const box = bar.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) found.push(`${name(bar)} in ${name(bar.parentElement)} is ${box.width} by ${box.height} px`);
  }
  return [...new Set(found)];
}
