// The corpus of the benchmarks: customers of several countries with e-mail addresses, phone numbers, companies,
// products and cities. 100,000 records have 16 MB of searched text and 313,000 distinct words.

import {
  COMPANY_WORDS,
  MAIL_HOSTS,
  NOTE_WORDS,
  PRODUCT_KINDS,
  REGIONS,
  type Region,
} from './corpus-words.ts';
import { Random } from './random.ts';

export type CorpusField = { id: string; kanbanId: string; name: string; type: string; options?: string[] };
export type CorpusRecord = {
  id: string;
  kanbanId: string;
  title: string;
  status: string;
  customFields: Record<string, string | number | boolean | string[]>;
  createdAt: number;
  updatedAt: number;
};

export const corpusStart = Date.UTC(2026, 0, 1);
export const CORPUS_STATUSES = ['new', 'contacted', 'qualified', 'won', 'lost'];
const FIELD_TYPES: [string, string][] = [
  ['E-mail', 'email'],
  ['Phone', 'phone'],
  ['Company', 'text'],
  ['City', 'text'],
  ['Order number', 'text'],
  ['Website', 'url'],
  ['Product', 'select'],
  ['Interests', 'multiselect'],
  ['Notes', 'textarea'],
  ['Amount', 'currency'],
  ['Score', 'number'],
  ['Birthday', 'date'],
  ['Last contact', 'datetime'],
  ['Newsletter', 'boolean'],
];
const PRODUCTS = PRODUCT_KINDS.flatMap((kind, i) => [`${kind} X${100 + i * 7}`, `${kind} Pro ${i + 2}`]);

/** Ids have the format of UUIDv7, in the order of creation. */
export function uuid(ms: number, random: Random): string {
  const time = ms.toString(16).padStart(12, '0');
  const hex = () => random.below(0x10000).toString(16).padStart(4, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex().slice(1)}-8${hex().slice(1)}-${hex()}${hex()}${hex()}`;
}

export function corpusFields(seed: number, boards = 3): CorpusField[] {
  const random = new Random(seed ^ 0x5eed);
  return Array.from({ length: boards }, () => uuid(corpusStart, random)).flatMap((kanbanId) =>
    FIELD_TYPES.map(([name, type]) => ({
      id: uuid(corpusStart, random),
      kanbanId,
      name,
      type,
      ...(type.endsWith('select') ? { options: PRODUCTS } : {}),
    })),
  );
}

const regionTickets = REGIONS.flatMap((region) => Array.from({ length: region.weight }, () => region));

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/ł/g, 'l')
    .replace(/[^a-z0-9]/g, '');

type Company = { name: string; host: string };

function makeCompany(region: Region, random: Random): Company {
  const family = random.pickSkewed(region.familyStarts) + random.pick(region.familyEnds);
  const first = random.chance(0.5)
    ? family
    : random.pick(COMPANY_WORDS) + random.pick(COMPANY_WORDS).toLowerCase();
  const second = random.chance(0.5) ? `${random.pick(COMPANY_WORDS)} ` : '';
  const host = plain(first) || `firm${random.digits(4)}`;
  return {
    name: `${first} ${second}${random.pick(region.legalForms)}`,
    host: `${host}${random.chance(0.3) ? random.below(99) : ''}.${random.pick(['com', 'com.br', 'de', 'net'])}`,
  };
}

function phoneOf(region: Region, random: Random): string {
  const number = region.phone.replace(/#/g, () => String(random.below(10)));
  return random.chance(0.25) ? number.replace(/[^0-9+]/g, '') : number;
}

function titleAndMail(region: Region, company: Company, random: Random): { title: string; mail: string } {
  const given = random.pickSkewed(region.given);
  const family = random.pickSkewed(region.familyStarts) + random.pick(region.familyEnds);
  const second = random.chance(0.3)
    ? random.pickSkewed(region.familyStarts) + random.pick(region.familyEnds)
    : '';
  const title = region.joined ? `${family} ${given}` : [given, second, family].filter(Boolean).join(' ');
  const name = plain(given) + random.pick(['.', '_', '']) + plain(family);
  const local =
    plain(given) === '' ? `user${random.digits(5)}` : name + (random.chance(0.7) ? random.below(9999) : '');
  return { title, mail: `${local}@${random.chance(0.4) ? company.host : random.pickSkewed(MAIL_HOSTS)}` };
}

/** Generates records one by one; each depends only on the seed and the previous ones. */
export function* corpusRecords(seed: number, count: number, boards = 3): Generator<CorpusRecord> {
  const random = new Random(seed);
  const fields = corpusFields(seed, boards);
  const kanbanIds = [...new Set(fields.map(({ kanbanId }) => kanbanId))];
  const idOf = new Map(fields.map((field) => [`${field.kanbanId} ${field.name}`, field.id]));
  const companies = new Map<Region, Company[]>(REGIONS.map((region) => [region, []]));
  for (let i = 0; i < count; i++) {
    const createdAt = corpusStart + i * 1000 + random.below(1000);
    const kanbanId = random.pick(kanbanIds);
    const region = random.pick(regionTickets);
    const known = companies.get(region)!;
    // Four contacts per company on average, with as many companies as needed.
    if (known.length === 0 || random.chance(0.25)) known.push(makeCompany(region, random));
    const company = random.pick(known);
    const { title, mail } = titleAndMail(region, company, random);
    const values: [string, string | number | boolean | string[]][] = [
      ['E-mail', mail],
      ['Phone', phoneOf(region, random)],
      ['Company', company.name],
      ['City', random.pickSkewed(region.cities)],
      ['Order number', `${random.pick(['ORD', 'PED', 'RE'])}-${2020 + random.below(7)}-${random.digits(6)}`],
      ['Product', random.pickSkewed(PRODUCTS)],
      ['Interests', [...new Set([random.pickSkewed(PRODUCTS), random.pick(PRODUCTS)])]],
      ['Notes', Array.from({ length: random.between(4, 25) }, () => random.pick(NOTE_WORDS)).join(' ')],
      ['Amount', random.below(1_000_000) / 100],
      ['Score', random.below(100)],
      ['Birthday', `19${50 + random.below(50)}-0${1 + random.below(9)}-1${random.below(10)}`],
      ['Last contact', createdAt + random.below(1e9)],
      ['Newsletter', random.chance(0.5)],
    ];
    if (random.chance(0.4))
      values.push(['Website', `https://www.${company.host}/contact/${random.below(9999)}`]);
    yield {
      id: uuid(createdAt, random),
      kanbanId,
      title: random.chance(0.15) ? company.name : title,
      status: random.pickSkewed(CORPUS_STATUSES),
      customFields: Object.fromEntries(
        values.map(([name, value]) => [idOf.get(`${kanbanId} ${name}`)!, value]),
      ),
      createdAt,
      updatedAt: createdAt + (random.chance(0.5) ? random.below(1e8) : 0),
    };
  }
}
