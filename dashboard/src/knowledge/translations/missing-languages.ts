/**
 * The languages of the help center that an article is not in. As there, `pt-BR` is shown under `pt`, unless it is a
 * language of the help center itself.
 */
export function missingLanguages(languages: readonly string[], present: readonly string[]): string[] {
  const shownUnder = (language: string) =>
    languages.includes(language) ? language : languages.find((one) => language.startsWith(`${one}-`));
  const there = new Set(present.map(shownUnder));
  return languages.filter((one) => !there.has(one));
}
