// @ts-check
// Makes elements. Whatever comes from elsewhere becomes text or the value of an attribute, never markup.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes] a function is a listener (`onclick`), null and false are left out
 * @param {...any} children text, numbers, elements, lists of them; null and false are left out
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same in SVG. @param {string} tag @param {Record<string, any>} [attributes] @param {...any} children */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** @param {Element} element @param {Record<string, any>} attributes @param {any[]} children */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Writes only what changed, so that nothing is painted or selected anew. @param {Element} element @param {string} text */
export function put(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

let ids = 0;

/** A name for an element that others refer to. */
export const id = (prefix = 'i') => `${prefix}-${++ids}`;

/**
 * A label, its control and what is wrong with it.
 *
 * @param {string} label
 * @param {any} control
 * @param {{hint?: string, unit?: string, className?: string}} [options]
 */
export function field(label, control, { hint, unit, className = '' } = {}) {
  control.id ||= id('field');
  const error = h('p', { id: `${control.id}-error`, class: 'error' });
  const about = hint ? h('p', { id: `${control.id}-hint`, class: 'quiet' }, hint) : null;
  control.setAttribute('aria-describedby', `${about ? `${about.id} ` : ''}${error.id}`);
  return h(
    'div',
    { class: `field ${className}`.trim() },
    h('label', { for: control.id }, label),
    unit ? h('span', { class: 'with-unit' }, control, h('span', { class: 'quiet' }, unit)) : control,
    about,
    error,
  );
}

/** Says at a control what is wrong with it; with an empty text, that nothing is. @param {any} control @param {string} text */
export function wrong(control, text) {
  const error = document.getElementById(`${control.id}-error`);
  if (error) {
    put(error, text);
  }
  if (text) {
    control.setAttribute('aria-invalid', 'true');
  } else {
    control.removeAttribute('aria-invalid');
  }
}

/** Heard by screen readers; the sighted see it happen. @param {string} text */
export function announce(text) {
  const said = document.getElementById('said');
  if (said) {
    said.textContent = text;
  }
}

/** Runs something every so often for as long as an element is on the page. @param {Element} element @param {number} millis @param {() => void} step */
export function every(element, millis, step) {
  const timer = setInterval(() => {
    if (element.isConnected) {
      step();
    } else {
      clearInterval(timer);
    }
  }, millis);
}
