/** Records of a sales team: a title and seven custom fields of the common types. */
import type { FieldType } from '../../contract/limits.ts';
import type { Random } from './random.ts';

export interface SampleField {
  name: string;
  type: FieldType;
  options?: string[];
  value(random: Random): string | number | boolean;
}

const firstNames = [
  'Ada',
  'Grace',
  'Alan',
  'Edsger',
  'Barbara',
  'Donald',
  'Margaret',
  'John',
  'Radia',
  'Ken',
];
const lastNames = [
  'Lovelace',
  'Hopper',
  'Turing',
  'Dijkstra',
  'Liskov',
  'Knuth',
  'Hamilton',
  'Backus',
  'Perlman',
];
const towns = ['Lisboa', 'Kraków', 'Utrecht', 'São Paulo', 'Göteborg', 'Nairobi', 'Osaka', 'Montréal'];
const plans = ['free', 'team', 'business', 'enterprise'];
const twoDigits = (number: number) => String(number).padStart(2, '0');

const statuses = ['new', 'in_progress', 'done'];

export const sampleFields: SampleField[] = [
  { name: 'Town', type: 'text', value: (random) => `${random.pick(towns)} ${random.below(10_000)}` },
  { name: 'E-mail', type: 'email', value: (random) => `customer${random.below(1_000_000)}@example.com` },
  { name: 'Phone', type: 'phone', value: (random) => `+351 9${10_000_000 + random.below(89_999_999)}` },
  { name: 'Plan', type: 'select', options: plans, value: (random) => random.pick(plans) },
  { name: 'Seats', type: 'number', value: (random) => random.below(500) },
  {
    name: 'Renewal',
    type: 'date',
    value: (random) => `2026-${twoDigits(1 + random.below(12))}-${twoDigits(1 + random.below(28))}`,
  },
  { name: 'Newsletter', type: 'boolean', value: (random) => random.below(2) === 1 },
];

export interface SampleRecord {
  title: string;
  status: string;
  customFields: Record<string, string | number | boolean>;
}

/** `fieldIds` are in the order of `sampleFields`. */
export function sampleRecord(random: Random, fieldIds: readonly string[]): SampleRecord {
  return {
    title: `${random.pick(firstNames)} ${random.pick(lastNames)} ${random.below(1_000_000)}`,
    status: random.pick(statuses),
    customFields: Object.fromEntries(
      sampleFields.map((field, index) => [fieldIds[index]!, field.value(random)]),
    ),
  };
}
