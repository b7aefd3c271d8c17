/**
 * Reads a JSON body without changing anything in it: bytes that are not UTF-8, NUL characters, lone surrogates and
 * deep nesting cannot be stored faithfully and are rejected with the name of the field.
 */
import { isUtf8 } from 'node:buffer';
import { limits } from '../../../contract/limits.ts';
import { badRequest } from './errors.ts';

/** Only an escape can produce a NUL or a lone surrogate in valid JSON of valid UTF-8, or disguise a property name. */
const suspicious = /\\u|__proto__/;

export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString('utf8');
  const isDeep = nestsDeeply(text);
  // Parsing a million levels takes 100 times their bytes. Below the limit the check after parsing names the field.
  if (isDeep && depthOf(bytes) > parsedDepth) {
    throw badRequest(`body is nested deeper than ${limits.nestingDepth} levels`);
  }
  if (!isUtf8(bytes)) throw badRequest(`${findBrokenText(bytes)} is not valid UTF-8`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest('body is not valid JSON');
  }
  if (suspicious.test(text) || isDeep) checkValue(value, '', 0);
  return value;
}

const parsedDepth = 1_000;
const [openBrace, openBracket, closeBrace, closeBracket, quote, backslash] = Buffer.from('{[}]"\\');

/** An upper bound without parsing: brackets inside strings count too, and only cause the real check. */
function nestsDeeply(text: string): boolean {
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code === 0x7b || code === 0x5b) && ++open > limits.nestingDepth) return true;
  }
  return false;
}

/** How deep it nests, without strings. Of what is no JSON: any number. */
function depthOf(bytes: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (isText && byte === backslash) i++;
    else if (byte === quote) isText = !isText;
    else if (isText) continue;
    else if (byte === openBrace || byte === openBracket) deepest = Math.max(deepest, ++depth);
    else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return deepest;
}

function checkValue(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    const problem = textProblem(value);
    if (problem) throw badRequest(`${nameOf(path)} ${problem}`);
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= limits.nestingDepth) {
      throw badRequest(`${nameOf(path)} is nested deeper than ${limits.nestingDepth} levels`);
    }
    for (const [key, item] of Object.entries(value)) {
      const problem = key === '__proto__' ? 'is __proto__, which cannot be stored' : textProblem(key);
      if (problem) throw badRequest(`a property name in ${nameOf(path)} ${problem}`);
      checkValue(item, pathOf(value, path, key), depth + 1);
    }
  }
}

function pathOf(parent: object, path: string, key: string): string {
  return Array.isArray(parent) ? `${path}[${key}]` : path ? `${path}.${key}` : key;
}

/** A message need not repeat a property name of a megabyte. */
function nameOf(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200).toWellFormed()}…` : path || 'body';
}

/** Finds the field with bytes that are not UTF-8: read as single bytes, the structure is the same. */
function findBrokenText(bytes: Buffer): string {
  // Escapes are removed first: as single characters they would look like bytes.
  const text = bytes.toString('latin1').replace(/\\(?:u[0-9a-f]{4}|.)/gi, '_');
  const isBroken = (part: string) => !isUtf8(Buffer.from(part, 'latin1'));
  const find = (value: unknown, path: string, depth: number): string | null => {
    if (typeof value === 'string') return isBroken(value) ? nameOf(path) : null;
    if (typeof value !== 'object' || value === null || depth > limits.nestingDepth) return null;
    for (const [key, item] of Object.entries(value)) {
      if (isBroken(key)) return `a property name in ${nameOf(path)}`;
      const found = find(item, pathOf(value, path, key), depth + 1);
      if (found) return found;
    }
    return null;
  };
  try {
    return find(JSON.parse(text), '', 0) ?? 'body';
  } catch {
    return 'body';
  }
}

/** Why a text cannot be stored as it is, or null. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'contains a NUL character';
  if (!text.isWellFormed()) return 'contains an unpaired surrogate';
  return null;
}
