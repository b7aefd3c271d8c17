/** HTTP headers as they are typed: one per line, `Name: value`. */
import { ExplainedError } from '../../data/errors.ts';

type Headers = { [name: string]: string };

export const headerLines = (headers: Headers): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** `wrong`: what to say of a line that is no header. */
export function readHeaderLines(text: string, wrong: (line: string) => string): Headers {
  const headers: Headers = {};
  for (const typed of text.split('\n')) {
    const line = typed.trim();
    if (!line) continue;
    const [, name, value] = /^([^:\s]+)\s*:\s*(.+)$/.exec(line) ?? [];
    if (!name || !value) throw new ExplainedError(wrong(line));
    headers[name] = value;
  }
  return headers;
}
