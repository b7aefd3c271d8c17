/** Decodes the cells of a CSV file, and writes cells so that a spreadsheet does not run them as formulas. */
import { isUtf8 } from 'node:buffer';
import { badRequest } from '../http/errors.ts';
import { textProblem } from '../http/json-body.ts';
import type { RawCell } from './read-csv.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is one byte in UTF-8, but NUL
const plainAscii = /^[\x01-\x7f]*$/;

export function decodeCell(cell: RawCell, name: string): string {
  if (plainAscii.test(cell)) return cell;
  const bytes = Buffer.from(cell, 'latin1');
  if (!isUtf8(bytes)) throw badRequest(`${name} is not valid UTF-8`, { kind: 'notUtf8' });
  const text = bytes.toString('utf8');
  const problem = textProblem(text);
  if (problem) throw badRequest(`${name} ${problem}`, { kind: 'unstorable' });
  return text;
}

/**
 * What makes a spreadsheet treat a cell as a formula: the four signs, also in full-width, small and mathematical
 * forms, also after white space and invisible characters that it strips; tab and line breaks alone.
 */
const formula = String.raw`[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹢﹣﹦﹫−]`;
/** Leading apostrophes and the empty text are escaped too: only then is the escaping reversible. */
const needsApostrophe = new RegExp(`^'*(?:${formula}|$)`, 'u');
const hasApostrophe = new RegExp(`^'+(?:${formula}|$)`, 'u');

/**
 * A text as a cell that is shown and never run. The empty text becomes a single apostrophe; an empty cell means
 * unset.
 */
export function defuse(text: string): string {
  return needsApostrophe.test(text) ? `'${text}` : text;
}

export function undoDefuse(cell: string): string {
  return hasApostrophe.test(cell) ? cell.slice(1) : cell;
}

export function csvLine(cells: readonly string[], separator = ','): string {
  return `${cells.map(quoteCell).join(separator)}\r\n`;
}

/** Semicolons and tabs are quoted too: some spreadsheets split at them in any file. */
function quoteCell(cell: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
