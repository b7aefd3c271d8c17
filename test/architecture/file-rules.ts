/** Rules for single files: name, size, where settings are read, how migrations are numbered. */
import { basename } from 'node:path';
import { isTest, isTool, type Rule, withoutComments } from './import-rules.ts';

const maxLines = 400;
const bannedWords = ['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'v2'];
const readsSettings = ['server/config.ts', 'cli/main.ts'];

const settingsInOnePlace: Rule = ({ path, text }) => {
  if (!/^(contract|browser|server|cli|dashboard|widget)\//.test(path) || isTest(path) || isTool(path))
    return [];
  if (readsSettings.includes(path) || !/\bprocess\.env\b|\bprocess\['env'\]/.test(withoutComments(text)))
    return [];
  return [
    'reads process.env. server/config.ts reads the settings once: add yours there and take it as a parameter.',
  ];
};

/** On a plain http page of another host these are undefined; the others have a fallback. */
const worksWithoutHttps: Rule = ({ path, text }) => {
  if (!/^(browser|dashboard|widget)\//.test(path) || isTest(path)) return [];
  const found = /\bcrypto\.(randomUUID|subtle)\b/.exec(withoutComments(text))?.[0];
  return found
    ? [`uses ${found}, which plain http pages do not have. Take randomId() of browser/random-id.ts.`]
    : [];
};

const fitsOnFewPages: Rule = ({ path, text }) => {
  const lines = text.split('\n').length - 1;
  if (lines <= maxLines || !/\.(ts|tsx|mjs|sql)$/.test(path)) return [];
  return [
    `has ${lines} lines; ${maxLines} is the most. Split it by what it does (records.batch.ts), not by layer.`,
  ];
};

const nameSaysWhatItIs: Rule = ({ path }) => {
  const words = basename(path)
    .toLowerCase()
    .split(/[.\-_]/);
  const banned = bannedWords.find(
    (word) => words.includes(word) || path.split('/').slice(0, -1).includes(word),
  );
  return banned
    ? [`is called "${banned}", which everything could be called. Name it after the one thing that it does.`]
    : [];
};

const kebabCase: Rule = ({ path }) => {
  if (!/\.(ts|tsx|mjs)$/.test(path)) return [];
  const wrong = path.split('/').find((part) => !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(part));
  return wrong ? [`has "${wrong}" in its path. Names are kebab-case: <feature>.<role>.ts.`] : [];
};

const migrationsCount: Rule = (file, project) => {
  if (!file.path.startsWith('migrations/')) return [];
  if (!/^\d{4}_[a-z0-9]+(_[a-z0-9]+)*\.sql$/.test(basename(file.path))) {
    return ['is not called like 0005_what_it_makes.sql: four digits, then words.'];
  }
  const numberOf = (path: string) => Number(basename(path).slice(0, 4));
  const numbers = project
    .filter(({ path }) => path.startsWith('migrations/'))
    .map(({ path }) => numberOf(path));
  const own = numberOf(file.path);
  if (numbers.filter((number) => number === own).length > 1) {
    return ['has a number that another migration has too: take the next free one.'];
  }
  return own === 1 || numbers.includes(own - 1)
    ? []
    : [`leaves a gap: there is no migration ${String(own - 1).padStart(4, '0')}.`];
};

export const fileRules: Rule[] = [
  settingsInOnePlace,
  worksWithoutHttps,
  fitsOnFewPages,
  nameSaysWhatItIs,
  kebabCase,
  migrationsCount,
];
