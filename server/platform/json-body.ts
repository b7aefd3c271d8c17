/**
 * Reads a JSON body without changing anything in it: bytes that are not UTF-8, NUL characters, lone surrogates
 * and deep nesting cannot be stored faithfully and are refused with the name of the field that has them.
 */
import { isUtf8 } from 'node:buffer';
import { limits } from '../../contract/limits.ts';
import { badRequest } from './errors.ts';

/** Only an escape can bring a NUL or a lone surrogate into valid JSON of valid UTF-8, or disguise a property name. */
const suspicious = /\\u|__proto__/;

export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw badRequest('body is not valid UTF-8');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest('body is not valid JSON');
  }
  if (suspicious.test(text) || nestsDeeply(text)) checkValue(value, '', 0);
  return value;
}

/** An upper bound that needs no parsing: the brackets of strings are counted too, and only cost the real check. */
function nestsDeeply(text: string): boolean {
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code === 0x7b || code === 0x5b) && ++open > limits.nestingDepth) return true;
  }
  return false;
}

function checkValue(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    const problem = textProblem(value);
    if (problem) throw badRequest(`${path || 'body'} ${problem}`);
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= limits.nestingDepth) {
      throw badRequest(`${path} is nested deeper than ${limits.nestingDepth} levels`);
    }
    for (const [key, item] of Object.entries(value)) {
      const place = Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key;
      const problem = key === '__proto__' ? 'is __proto__, which cannot be stored' : textProblem(key);
      if (problem) throw badRequest(`a property name in ${path || 'body'} ${problem}`);
      checkValue(item, place, depth + 1);
    }
  }
}

/** Why a text cannot be stored as it is, or null. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'has a NUL character';
  if (!text.isWellFormed()) return 'has half of a surrogate pair';
  return null;
}
