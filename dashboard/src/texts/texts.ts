/**
 * Every text that people see, by key and typed: `t('board.moved', { status })` does not compile without its parameter.
 * The texts of a view are loaded with it, in the chosen language; a change of language renders the application anew.
 */
import { first } from './first-part.ts';
import { type Language, localeOf } from './languages.ts';
import type { English, PartName } from './parts.ts';

export type TextKey = keyof English;

type ParamNames<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;
type Params<Key extends TextKey> = { [name in ParamNames<English[Key]>]: string | number };
type Args<Key extends TextKey> = [ParamNames<English[Key]>] extends [never] ? [] : [params: Params<Key>];
type Texts = { readonly [key: string]: string };

const loaded = new Map<string, Texts>();
const opened = new Set<PartName>();
let current: Language = 'en';
let catalogue: { [key: string]: string } = {};

export const language = (): Language => current;
/** For `Intl`. */
export const locale = (): string => localeOf(current, navigator.languages);

async function load(part: PartName, wanted: Language): Promise<void> {
  const name = `${wanted}/${part}`;
  if (loaded.has(name)) return;
  const loaders = part === 'first' ? first : (await import('./parts.ts')).parts[part];
  const module: { readonly [exported: string]: Texts } = await loaders[wanted]();
  loaded.set(name, Object.assign({}, ...Object.values(module)));
}
const isMissing = (part: PartName) => !loaded.has(`${current}/${part}`);

/** The texts of a part that is about to be shown. */
export async function loadTexts(part: PartName): Promise<void> {
  opened.add(part);
  // Until the language it was loaded in is still the chosen one.
  while (isMissing(part)) await load(part, current);
  Object.assign(catalogue, loaded.get(`${current}/${part}`));
}

/** A view that is loaded when it is opened, and its texts at the same time: `lazy(withTexts('inbox', () => import(…)))`. */
export const withTexts =
  <Module>(part: PartName, view: () => Promise<Module>) =>
  async (): Promise<Module> => {
    const [module] = await Promise.all([view(), loadTexts(part)]);
    return module;
  };

/** Every opened part is loaded in the new language before its first text is read. */
export async function speak(wanted: Language): Promise<void> {
  const isThere = (part: PartName) => loaded.has(`${wanted}/${part}`);
  while (![...opened].every(isThere)) await Promise.all([...opened].map((part) => load(part, wanted)));
  current = wanted;
  document.documentElement.lang = wanted;
  catalogue = Object.assign({}, ...[...opened].map((part) => loaded.get(`${current}/${part}`)));
}

const read = (key: string): string => catalogue[key] ?? key;

export const hasText = (key: string): key is TextKey => Object.hasOwn(catalogue, key);

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
export function tn(key: CountedKey, count: number, params: { [name: string]: string } = {}): string {
  let rule = rules.get(current);
  if (!rule) {
    rule = new Intl.PluralRules(current);
    rules.set(current, rule);
  }
  const form = rule.select(count) === 'one' ? 'one' : 'other';
  const text = read(`${key}.${form}`);
  const values = { ...params, count: count.toLocaleString(locale()) } as { [name: string]: string };
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}
