/** The eight hues of labels; each has a text colour and a soft ground that keep AA contrast in both themes. */
export const hues = ['red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const;
export type Hue = (typeof hues)[number];

/** The same text always gets the same hue. */
export function hueOf(text: string): Hue {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hues[Math.abs(hash) % hues.length]!;
}

/** Options have an order: neighbours get distinguishable hues. */
export function hueOfOption(option: string, options: readonly string[] = []): Hue {
  const at = options.indexOf(option);
  return at < 0 ? hueOf(option) : hues[(at * 3 + 5) % hues.length]!;
}

/** What a status may be coloured with; chosen to be distinguishable as dots in both themes. */
export const statusColors = [
  '#8b8f9a',
  '#5660d6',
  '#2f80d8',
  '#0f9aa0',
  '#23a35a',
  '#d9a514',
  '#e2762d',
  '#d94452',
  '#c44a97',
  '#8a5cd8',
] as const;
