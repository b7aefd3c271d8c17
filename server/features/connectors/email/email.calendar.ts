/** A calendar invitation as a readable line. */

const words: Record<string, string> = {
  REQUEST: 'Invitation',
  CANCEL: 'Cancelled',
  REPLY: 'Reply to an invitation',
  PUBLISH: 'Event',
};
const longest = 300;

/** Null: it is no calendar. */
export function readInvite(ics: string): string | null {
  if (!/^BEGIN:VCALENDAR/im.test(ics.slice(0, 1_000))) return null;
  const lines = ics
    .slice(0, 500_000)
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/);
  const from = lines.findIndex((line) => /^BEGIN:VEVENT/i.test(line));
  const event = from === -1 ? [] : lines.slice(from, from + 500);
  const method = contentOf(lines, 'METHOD')?.toUpperCase() ?? 'PUBLISH';
  const start = timeOf(event, 'DTSTART');
  const end = timeOf(event, 'DTEND');
  const place = textOf(event, 'LOCATION');
  const parts = [
    textOf(event, 'SUMMARY') ?? 'without a title',
    start && (end ? `${start} – ${end}` : start),
    place,
  ].filter((part): part is string => !!part);
  return `[${words[method] ?? 'Event'}: ${parts.join(', ')}]`;
}

function lineOf(lines: readonly string[], name: string): string | null {
  return (
    lines.find((line) => line.toUpperCase().startsWith(name) && /^[:;]/.test(line.slice(name.length))) ?? null
  );
}

function contentOf(lines: readonly string[], name: string): string | null {
  const line = lineOf(lines, name);
  return line === null ? null : line.slice(line.indexOf(':') + 1).trim() || null;
}

function textOf(lines: readonly string[], name: string): string | null {
  const value = contentOf(lines, name)
    ?.replaceAll(/\\n/gi, ' ')
    .replaceAll(/\\([,;\\])/g, '$1');
  return value?.slice(0, longest).toWellFormed() ?? null;
}

/** As the calendar writes it, with its time zone where it names one. */
function timeOf(lines: readonly string[], name: string): string | null {
  const line = lineOf(lines, name);
  const found = line && /:(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z?))?\s*$/.exec(line);
  if (!found) return null;
  const [, year, month, day, hour, minute, utc] = found;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  const zone = utc ? ' UTC' : (/;TZID="?([^":;]{1,60})"?/i.exec(line)?.[1] ?? '');
  return `${date} ${hour}:${minute}${zone.startsWith(' ') || zone === '' ? zone : ` ${zone}`}`;
}
