/** Tab-separated text as spreadsheets put it on the clipboard: cells with a tab, a line break or a quote are quoted. */
export function writeTabbed(rows: readonly (readonly string[])[]): string {
  const text = rows.map((row) => row.map(quoted).join('\t')).join('\n');
  // Otherwise an empty last row would be read as the end of the row before it.
  return text.endsWith('\n') ? `${text}\n` : text;
}

const quoted = (text: string) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export function readTabbed(text: string): string[][] {
  const rows: string[][] = [[]];
  let at = 0;
  while (at <= text.length) {
    const [cell, end] = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at);
    rows.at(-1)!.push(cell);
    if (text[end] === '\r' && text[end + 1] === '\n') at = end + 2;
    else at = end + 1;
    if (end < text.length && text[end] !== '\t') rows.push([]);
  }
  // A line break at the end ends the last row.
  if (rows.length > 1 && rows.at(-1)!.length === 1 && rows.at(-1)![0] === '') rows.pop();
  return rows;
}

function readPlain(text: string, start: number): [cell: string, end: number] {
  const length = text.slice(start).search(/[\t\n\r]/);
  const end = length < 0 ? text.length : start + length;
  return [text.slice(start, end), end];
}

/** A quote that is never closed, or is followed by more text, is a plain sign. */
function readQuoted(text: string, start: number): [cell: string, end: number] {
  let cell = '';
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== '"') cell += text[at];
    else if (text[at + 1] === '"') {
      cell += '"';
      at++;
    } else {
      const isEnd = at + 1 === text.length || /[\t\n\r]/.test(text[at + 1]!);
      return isEnd ? [cell, at + 1] : readPlain(text, start);
    }
  }
  return readPlain(text, start);
}
