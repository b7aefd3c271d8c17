/** A text in Markdown, split into what the messages' Markdown does not have: headings with their level, and tables. */

export type TextPart =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'text'; text: string };

const heading = /^(#{1,6})[ \t]+(\S.*?)[ \t]*#*$/;
const fence = /^[ \t]*(`{3,}|~{3,})/;
const separator = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export function splitText(text: string): TextPart[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const parts: TextPart[] = [];
  let plain: string[] = [];
  let openFence: string | null = null;
  const flush = () => {
    const joined = plain.join('\n');
    if (joined.trim() !== '') parts.push({ kind: 'text', text: joined });
    plain = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const marks = fence.exec(line)?.[1];
    if (marks && (openFence === null || marks.startsWith(openFence))) {
      openFence = openFence === null ? marks : null;
      plain.push(line);
      continue;
    }
    const title = openFence === null ? heading.exec(line) : null;
    if (title) {
      flush();
      parts.push({ kind: 'heading', level: title[1]!.length, text: title[2]! });
      continue;
    }
    if (
      openFence === null &&
      line.includes('|') &&
      lines[at + 1]?.includes('|') &&
      separator.test(lines[at + 1]!)
    ) {
      flush();
      const rows: string[][] = [];
      const head = cellsOf(line);
      for (at += 2; at < lines.length && lines[at]!.includes('|'); at++) rows.push(cellsOf(lines[at]!));
      at--;
      parts.push({
        kind: 'table',
        head,
        rows: rows.map((row) => head.map((_, column) => row[column] ?? '')),
      });
      continue;
    }
    plain.push(line);
  }
  flush();
  return parts;
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
