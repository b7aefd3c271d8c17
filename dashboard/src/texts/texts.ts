/**
 * Every text that people see, by key and typed: `t('board.moved', { status })` does not compile without its parameter.
 * English is built in; other languages are loaded when chosen. A change of language renders the application anew.
 */

import type { boardSettings } from './en/board-settings.ts';
import { en } from './en/en.ts';
import type { importing } from './en/import.ts';
import type { inbox } from './en/inbox.ts';
import type { settingsTexts } from './en/settings-all.ts';

/** What is in the first load, and what comes with the part that shows it. */
type English = typeof en & typeof boardSettings & typeof importing & typeof inbox & typeof settingsTexts;
export type TextKey = keyof English;
export type Catalogue = { [key in TextKey]: string };

type ParamNames<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;
type Params<Key extends TextKey> = { [name in ParamNames<English[Key]>]: string | number };
type Args<Key extends TextKey> = [ParamNames<English[Key]>] extends [never] ? [] : [params: Params<Key>];

export const languages = { en: 'English' } as const;
export type Language = keyof typeof languages;

const loaders: { [language in Language]: () => Promise<Partial<Catalogue>> } = { en: async () => english };

/** Grows by the parts that are opened; what another language lacks is read from here. */
let english: Partial<Catalogue> = en;
let catalogue = english;
let current: Language = 'en';

export const language = (): Language => current;

/** The English texts of a part that is not in the first load. */
export function addTexts(part: Partial<Catalogue>): void {
  english = { ...english, ...part };
  if (current === 'en') catalogue = english;
}

const read = (key: string): string => {
  const texts: { [key: string]: string | undefined }[] = [catalogue, english];
  return texts[0]![key] ?? texts[1]![key] ?? key;
};

export async function useLanguageOf(wanted: Language): Promise<void> {
  catalogue = await loaders[wanted]();
  current = wanted;
  document.documentElement.lang = wanted;
}

export function t<Key extends TextKey>(key: Key, ...[params]: Args<Key>): string {
  const text = read(key);
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
  const text = read(`${key}.${form}`);
  return text.replaceAll('{count}', count.toLocaleString(current));
}
