/** Dates and times as spreadsheets write them. What cannot be read stays as it is, for the rule of its field to refuse. */
import type { ImportDateForm } from '../../../../contract/crm/imports.ts';
import { findTimeZone, momentOf } from '../../../platform/time-zone.ts';
import { localDate } from '../imports.column-types.ts';

const isoDate = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/;
const clock = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,3})\d*)?)?\s*([ap]\.?\s?m\.?)?$/i;
const withOffset = /(?:Z|[+-]\d{2}:?\d{2})$/i;

/** `2024-05-31`, from any format. */
export function readDate(text: string, form: ImportDateForm): string {
  return dayOf(text.split(/[T ]/)[0]!, form) ?? text;
}

/** Milliseconds, or an ISO time with its offset unchanged. */
export function readDateTime(text: string, form: ImportDateForm, timeZone: string): number | string {
  if (/^-?\d{9,}$/.test(text)) return Number(text);
  if (/^\d{4}-\d{2}-\d{2}T/.test(text) && withOffset.test(text)) return text;
  const [, date, rest] = /^(\S+?)(?:[T ]+(.*))?$/s.exec(text) ?? [];
  const day = date === undefined ? null : dayOf(date, form);
  const time = clockOf(rest ?? '0:00');
  const zone = findTimeZone(timeZone);
  if (day === null || time === null || !zone) return text;
  return momentOf(zone, Date.parse(`${day}T00:00:00Z`) + time);
}

/** Two-digit years as Excel reads them. */
const century = (year: number) => (year < 30 ? 2000 + year : 1900 + year);

function dayOf(text: string, form: ImportDateForm): string | null {
  const iso = isoDate.exec(text);
  if (iso) return spell(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const local = form === 'iso' ? null : localDate.exec(text);
  if (!local) return null;
  const [a, b] = [Number(local[1]), Number(local[2])];
  const year = local[3]!.length === 2 ? century(Number(local[3])) : Number(local[3]);
  return form === 'dmy' ? spell(year, b, a) : spell(year, a, b);
}

/** Null: not a calendar date. */
function spell(year: number, month: number, day: number): string | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const two = (n: number) => String(n).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

function clockOf(text: string): number | null {
  const parts = clock.exec(text.trim());
  if (!parts) return null;
  let hours = Number(parts[1]);
  const [minutes, seconds] = [Number(parts[2]), Number(parts[3] ?? 0)];
  const half = parts[5]?.[0]?.toLowerCase();
  if (half && (hours < 1 || hours > 12)) return null;
  if (half) hours = (hours % 12) + (half === 'p' ? 12 : 0);
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + Number((parts[4] ?? '0').padEnd(3, '0'));
}
