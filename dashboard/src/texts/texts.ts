/**
 * Every text that people see, by key and typed: `t('board.moved', { status })` does not compile without its parameter.
 * English is built in; other languages are loaded when chosen. A change of language renders the application anew.
 */
import { en } from './en/en.ts';

export type TextKey = keyof typeof en;
export type Catalogue = { [key in TextKey]: string };

type ParamNames<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;
type Params<Key extends TextKey> = { [name in ParamNames<(typeof en)[Key]>]: string | number };
type Args<Key extends TextKey> = [ParamNames<(typeof en)[Key]>] extends [never] ? [] : [params: Params<Key>];

export const languages = { en: 'English' } as const;
export type Language = keyof typeof languages;

const loaders: { [language in Language]: () => Promise<Catalogue> } = { en: async () => en };

let catalogue: Catalogue = en;
let current: Language = 'en';

export const language = (): Language => current;

export async function useLanguageOf(wanted: Language): Promise<void> {
  catalogue = await loaders[wanted]();
  current = wanted;
  document.documentElement.lang = wanted;
}

export function t<Key extends TextKey>(key: Key, ...[params]: Args<Key>): string {
  const text = catalogue[key];
  if (!params) return text;
  return text.replace(/\{(\w+)\}/g, (_, name: string) =>
    String((params as { [name: string]: string | number })[name]),
  );
}

/** Keys that come in a form for one and a form for other numbers: `board.cards.one`, `board.cards.other`. */
type CountedKey = TextKey extends infer Key ? (Key extends `${infer Base}.other` ? Base : never) : never;
const rules = new Map<string, Intl.PluralRules>();

/** A text with a number in it: `{count}` is formatted, the form follows the language's rule. */
export function tn(key: CountedKey, count: number): string {
  let rule = rules.get(current);
  if (!rule) {
    rule = new Intl.PluralRules(current);
    rules.set(current, rule);
  }
  const form = rule.select(count) === 'one' ? 'one' : 'other';
  const text = (catalogue as { [key: string]: string })[`${key}.${form}`] ?? key;
  return text.replaceAll('{count}', count.toLocaleString(current));
}
