/** The cells of a CSV file: decoded one by one, and written so that a spreadsheet runs none of them as a formula. */
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
 * What makes a spreadsheet take a cell for a formula: the four signs, also in their full-width, small and
 * mathematical forms, also behind white space and invisible characters that it strips; tab and line breaks alone.
 */
const formula = String.raw`[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹢﹣﹦﹫−]`;
/** Apostrophes in front count too, and so does nothing at all: only then is every text told from every other. */
const needsApostrophe = new RegExp(`^'*(?:${formula}|$)`, 'u');
const hasApostrophe = new RegExp(`^'+(?:${formula}|$)`, 'u');

/** A text as a cell that is shown and never run. The empty text becomes a lone apostrophe; an empty cell means unset. */
export function defuse(text: string): string {
  return needsApostrophe.test(text) ? `'${text}` : text;
}

export function undoDefuse(cell: string): string {
  return hasApostrophe.test(cell) ? cell.slice(1) : cell;
}

export function csvLine(cells: readonly string[], separator = ','): string {
  return `${cells.map(quoteCell).join(separator)}\r\n`;
}

/** Semicolons and tabs are quoted too: some spreadsheets split at them whatever the file says. */
function quoteCell(cell: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
