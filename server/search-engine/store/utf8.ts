// Text is stored as UTF-8: one byte per letter for most of it, and a substring of bytes is a substring of code
// points. A private 8 or 16 bit alphabet could run out of symbols.

/** Decodes the code point at `at`. Only called on bytes that were encoded from a string. */
export function codePointAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return first;
  if (first < 0xe0) return ((first & 0x1f) << 6) | (bytes[at + 1]! & 0x3f);
  if (first < 0xf0) return ((first & 0x0f) << 12) | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f);
  return (
    ((first & 0x07) << 18) |
    ((bytes[at + 1]! & 0x3f) << 12) |
    ((bytes[at + 2]! & 0x3f) << 6) |
    (bytes[at + 3]! & 0x3f)
  );
}

export function byteWidth(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/**
 * Writes text[start, stop) to `bytes` from `first` on, at most 3 bytes per UTF-16 unit, and returns where they end.
 * Faster than TextEncoder for short strings.
 */
export function writeUtf8(text: string, start: number, stop: number, bytes: Uint8Array, first = 0): number {
  let at = first;
  for (let i = start; i < stop; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      bytes[at++] = code;
      continue;
    }
    if (code < 0x800) {
      bytes[at++] = 0xc0 | (code >> 6);
      bytes[at++] = 0x80 | (code & 0x3f);
      continue;
    }
    if (code >= 0xd800 && code < 0xdc00 && i + 1 < stop) {
      code = 0x10000 + ((code - 0xd800) << 10) + (text.charCodeAt(++i) - 0xdc00);
      bytes[at++] = 0xf0 | (code >> 18);
      bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
    } else {
      bytes[at++] = 0xe0 | (code >> 12);
    }
    bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
    bytes[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}

export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  return bytes.slice(0, writeUtf8(text, 0, text.length, bytes));
}

/**
 * The offset of `wanted` in bytes[from, to), or -1. The texts are short: a plain loop beats a call into native code.
 */
export function indexOfBytes(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): number {
  const first = wanted[0]!;
  const length = wanted.length;
  const last = to - length;
  for (let at = from; at <= last; at++) {
    if (bytes[at] !== first) continue;
    let i = 1;
    while (i < length && bytes[at + i] === wanted[i]) i++;
    if (i === length) return at;
  }
  return -1;
}
