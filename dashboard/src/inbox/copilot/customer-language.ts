/** The language that a customer writes in, by letters and frequent words: it is the first in the list to translate to. */

/** Languages to translate to; those with words or letters below can be recognised. */
const offered = ['en', 'pt', 'es', 'fr', 'de', 'it', 'nl', 'pl', 'tr', 'ru', 'uk', 'ar', 'zh', 'ja', 'ko'];

/** In this order: Japanese has Chinese characters, too. */
const letters: readonly (readonly [string, RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['ko', /\p{Script=Hangul}/u],
  ['zh', /\p{Script=Han}/u],
  ['ar', /\p{Script=Arabic}/u],
  ['uk', /[іїєґ]/i],
  ['ru', /\p{Script=Cyrillic}/u],
];

const words: { readonly [language: string]: ReadonlySet<string> } = {
  en: wordSet('the is are my you and to of i have not what where when it for with can please hello thanks'),
  pt: wordSet('o os é não que um uma meu minha você para com do da em quando onde olá obrigado obrigada'),
  es: wordSet('el los es no que un una mi usted para con del en cuándo dónde hola gracias está por y'),
  fr: wordSet('le les est pas que un une mon ma je vous pour avec du des et où quand bonjour merci'),
  de: wordSet('der die das ist nicht ich sie und ein eine mein meine mit für wo wann wie hallo danke bitte'),
  it: wordSet('il gli è non che un una mio mia di per con sono e dove quando ciao grazie buongiorno vorrei'),
  nl: wordSet('de het een is niet ik u en mijn van voor met waar wanneer hoe hallo bedankt graag'),
  pl: wordSet('jest nie że mój moja się na i do z gdzie kiedy jak dzień dobry dziękuję proszę czy'),
  tr: wordSet('bir bu ve mi mı değil için ile nerede ne zaman merhaba teşekkürler lütfen benim var'),
};

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** The first text that is clearly in one language decides; null: none is. */
export function languageOf(texts: readonly string[]): string | null {
  for (const text of texts) {
    const found = recognise(text.slice(0, 1_000));
    if (found) return found;
  }
  return null;
}

function recognise(text: string): string | null {
  const written = letters.find(([, pattern]) => pattern.test(text));
  if (written) return written[0];
  const said = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const scores = Object.entries(words)
    .map(([language, known]) => ({ language, score: said.filter((word) => known.has(word)).length }))
    .sort((one, other) => other.score - one.score);
  const [best, second] = scores;
  return best!.score > second!.score ? best!.language : null;
}

/** The customer's first, the reader's own last. */
export function languagesFor(texts: readonly string[], own: string): string[] {
  const customer = languageOf(texts);
  const first = customer === null ? [] : [customer];
  return [...new Set([...first, ...offered.filter((one) => one !== own), own])];
}
