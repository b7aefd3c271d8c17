/** Texts by language, such as the names of a collection: which are allowed. */
import { limits } from '../../../../contract/limits.ts';
import { patterns, ruleOf } from '../../../../contract/shapes/patterns.ts';
import { badRequest } from '../../../platform/http/errors.ts';

const languageTag = new RegExp(patterns.languageTag);

/** Without those that are empty. */
export function checkTextsByLanguage(
  name: string,
  texts: { readonly [language: string]: string },
  maxLength: number,
): { [language: string]: string } {
  const found = Object.entries(texts).map(([language, text]) => {
    if (!languageTag.test(language)) throw badRequest(`a key of ${name} ${ruleOf(patterns.languageTag)}`);
    if (text.length > maxLength)
      throw badRequest(`${name}.${language} must have at most ${maxLength} characters`);
    return [language, text.trim()] as const;
  });
  const given = found.filter(([, text]) => text !== '');
  if (given.length > limits.helpLanguages)
    throw badRequest(`${name} must have at most ${limits.helpLanguages} languages`);
  return Object.fromEntries(given);
}
