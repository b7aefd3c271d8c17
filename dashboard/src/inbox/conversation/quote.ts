const longest = 280;

/** As a Markdown quote, shortened, with an empty line for the answer. */
export function quoted(text: string): string {
  const characters = [...text.trim()];
  const excerpt =
    characters.length <= longest
      ? characters.join('')
      : `${characters.slice(0, longest).join('').trimEnd()}…`;
  const lines = excerpt.split(/\r?\n/).map((line) => `> ${line}`.trimEnd());
  return `${lines.join('\n')}\n\n`;
}
