import { locale } from './texts.ts';

/** "English" for `en`. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames([locale()], { type: 'language' }).of(tag) ?? tag;
  } catch {
    // Not every tag that the service accepts is one that the browser knows.
    return tag;
  }
}
