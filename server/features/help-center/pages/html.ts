/** Markup in which every value is text, unless it is markup itself. */
export interface Html {
  readonly markup: string;
}

type Value = string | number | Html | null | false | readonly Html[];

export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const markup = parts.map((part, at) => (at === 0 ? part : rendered(values[at - 1]!) + part)).join('');
  return { markup };
}

function rendered(value: Value): string {
  if (value === null || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  if ('markup' in value) return value.markup;
  return value.map(({ markup }) => markup).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for attributes in quotes, in HTML and in XML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => entities[one]!);
}
