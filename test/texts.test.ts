/** Holds the dashboard's texts to being complete in every language, used, and the only ones that are shown. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { type Language, languages, localeOf, preferredLanguage } from '../dashboard/src/texts/languages.ts';
import { type PartName, parts } from '../dashboard/src/texts/parts.ts';
import { root } from './support/program.ts';
import { computedKeys, sameEverywhere } from './texts/computed-keys.ts';
import { visibleStrings } from './texts/visible-strings.ts';

type Texts = { [key: string]: string };
const names = Object.keys(languages) as Language[];
const others = names.filter((name) => name !== 'en');
const partNames = Object.keys(parts) as PartName[];

/** Read as text: a part file that nobody has registered must be found too. */
const sources = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: root })
  .filter((path) => !/\.test\.tsx?$|\/texts\/(\w\w)\//.test(path))
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }));
const code = sources.map(({ text }) => text).join('\n');

async function catalogueOf(language: Language): Promise<Texts> {
  const all: Texts = {};
  for (const part of partNames) {
    const module: { [exported: string]: Texts } = await parts[part][language]();
    for (const texts of Object.values(module)) {
      for (const [key, text] of Object.entries(texts)) {
        assert.ok(!(key in all), `${language}: ${key} stands in two parts`);
        all[key] = text;
      }
    }
  }
  return all;
}

const paramsOf = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort().join(' ');

/** Words that are the same in the other language, or names. Everything else that is equal was forgotten. */
const isSame = (text: string) =>
  sameEverywhere.some((one) => (typeof one === 'string' ? one === text : one.test(text)));

describe('the texts of the dashboard', () => {
  const catalogues = {} as { [language in Language]: Texts };
  before(async () => {
    for (const name of names) catalogues[name] = await catalogueOf(name);
  });

  it('every language has every key, with the same parameters', () => {
    const faults: string[] = [];
    for (const name of others) {
      for (const [key, text] of Object.entries(catalogues.en)) {
        const own = catalogues[name][key];
        if (own === undefined) faults.push(`${name}: ${key} is missing`);
        else if (paramsOf(own) !== paramsOf(text)) faults.push(`${name}: ${key} has other parameters`);
        else if ((own === '') !== (text === '')) faults.push(`${name}: ${key} is empty`);
      }
      for (const key of Object.keys(catalogues[name])) {
        if (!(key in catalogues.en)) faults.push(`${name}: ${key} is not in English`);
      }
    }
    assert.deepEqual(faults, []);
  });

  it('every part file is in the same place in every language, and belongs to a part', () => {
    const files = (name: Language) =>
      globSync('**/*.ts', { cwd: `${root}/dashboard/src/texts/${name}` }).sort();
    for (const name of others) assert.deepEqual(files(name), files('en'), name);
    const keysOf = (path: string) =>
      [...readFileSync(path, 'utf8').matchAll(/^ {2}'([^']+)':/gm)].map(([, key]) => key!);
    for (const name of names) {
      const written = files(name).flatMap((file) => keysOf(`${root}/dashboard/src/texts/${name}/${file}`));
      const lost = written.filter((key) => !(key in catalogues[name]));
      assert.deepEqual(lost, [], `${name}: not loaded by any part of texts/parts.ts`);
    }
  });

  it('nothing is left in English', () => {
    const left = others.flatMap((name) =>
      Object.entries(catalogues.en)
        .filter(([key, text]) => catalogues[name][key] === text && / \p{L}+ /u.test(text))
        .map(([key]) => `${name}: ${key}`),
    );
    assert.deepEqual(left, []);
  });

  it('a text with a number has a form for one and a form for others', () => {
    const faults: string[] = [];
    for (const key of Object.keys(catalogues.en)) {
      const base = key.match(/^(.+)\.other$/)?.[1];
      if (base && !(`${base}.one` in catalogues.en)) faults.push(`${base}.one is missing`);
    }
    for (const [, base] of code.matchAll(/\btn\(\s*['`]([^'`$]+)['`]/g)) {
      if (!(`${base}.other` in catalogues.en)) faults.push(`tn('${base}') has no forms`);
    }
    assert.deepEqual(faults, []);
    // What `tn` tells apart is all that the languages have below a million.
    for (const name of names) {
      const forms = [0, 1, 2, 5, 11, 21, 100, 1_000].map((count) => new Intl.PluralRules(name).select(count));
      assert.deepEqual([...new Set(forms)].sort(), ['one', 'other'], name);
    }
  });

  it('every key is used', () => {
    const quoted = new Set(Array.from(code.matchAll(/'(?=([\w.-]+)')/g), ([, text]) => text!));
    const isUsed = (key: string) => quoted.has(key);
    const unused = Object.keys(catalogues.en).filter(
      (key) =>
        !isUsed(key) &&
        !isUsed(key.replace(/\.(one|other)$/, '')) &&
        !computedKeys.some((start) => key.startsWith(start)),
    );
    assert.deepEqual(unused, []);
    const idle = computedKeys.filter((start) => !code.includes(`\`${start}\${`));
    assert.deepEqual(idle, [], 'no longer put together anywhere: take it off test/texts/computed-keys.ts');
  });

  it('nothing that is shown stands in the code itself', () => {
    const found = sources
      .filter(({ path }) => path.endsWith('.tsx') || !path.includes('/texts/'))
      .flatMap(({ path, text }) => visibleStrings(path, text).map((one) => ({ path, ...one })))
      .filter(({ text }) => !isSame(text))
      .map(({ path, line, text }) => `${path}:${line} ${text}`);
    assert.deepEqual(found, []);
  });

  it('the scan for shown strings can find one', () => {
    const found = (source: string) => visibleStrings('a.tsx', source).map(({ text }) => text);
    assert.deepEqual(found('<p>Hello there</p>'), ['Hello there']);
    assert.deepEqual(found("<p>{a ? 'Yes' : t('no')}</p>"), ['Yes']);
    assert.deepEqual(found("<p>{n + ' cards'}</p>"), [' cards']);
    assert.deepEqual(found('<Button label="Save" className="px-2 flex" />'), ['Save']);
    assert.deepEqual(found("const a = [{ value: 'x', label: 'All of it' }];"), ['All of it']);
    assert.deepEqual(found("toast.done('Saved');"), ['Saved']);
    assert.deepEqual(found("document.title = 'Board';"), ['Board']);
    assert.deepEqual(found("<p title={t('a.b')}>{count} · {name}</p>"), []);
  });

  it('no text is read while a module is loaded, which would keep the language of that moment', () => {
    const found = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:export )?const \w+(?:: [^=]+)? = tn?\(.*$/gm)].map(
        ([line]) => `${path} ${line}`,
      ),
    );
    assert.deepEqual(found, []);
  });
});

describe('the language of a reader', () => {
  it('is the first of the browser that there is, otherwise English', () => {
    assert.equal(preferredLanguage(['de-DE', 'pt-PT', 'en']), 'pt');
    assert.equal(preferredLanguage(['es-MX']), 'es');
    assert.equal(preferredLanguage(['de', 'fr']), 'en');
    assert.equal(preferredLanguage([]), 'en');
  });
  it('writes dates and numbers as in the reader’s own country, where the language is spoken there', () => {
    assert.equal(localeOf('en', ['en-GB', 'pt']), 'en-GB');
    assert.equal(localeOf('pt', ['en-US', 'pt-PT']), 'pt-PT');
    assert.equal(localeOf('pt', ['en-US']), 'pt-BR');
    assert.equal(localeOf('es', ['en-US']), 'es-419');
    assert.equal(new Intl.NumberFormat(localeOf('pt', [])).format(1234.5), '1.234,5');
  });
});
