import type { LanguageName } from '../../../contract/limits.ts';

export type Language = LanguageName;
/** Each by its own name. */
export const languages: { readonly [language in Language]: string } = {
  en: 'English',
  pt: 'Português',
  es: 'Español',
};
export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(languages, value);

/** The first of the reader's languages that is spoken here; `pt-PT` and `pt` both read `pt`. */
export function preferredLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split('-')[0];
    if (isLanguage(base)) return base;
  }
  return 'en';
}

/**
 * What dates and numbers are written by: the reader's own region where it speaks the language, otherwise the one that the
 * texts are written for. `es` alone would group only from five digits on and is Spain's; the texts are Latin America's.
 */
const regions: { [language in Language]: string } = { en: 'en', pt: 'pt-BR', es: 'es-419' };
export const localeOf = (language: Language, wanted: readonly string[]): string =>
  wanted.find((tag) => tag.toLowerCase().startsWith(`${language}-`)) ?? regions[language];
