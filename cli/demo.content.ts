/** The workspace that the demo makes: a roastery that sells coffee and machines to cafés and offices. */
import type { FieldCreate, KanbanCreate } from '../contract/kanbans.ts';
import type { Chance } from './demo.random.ts';

export const people = ['Ana Ribeiro', 'Jonas Weber', 'Mei Tanaka', 'Fatima Haddad'] as const;

export interface Board {
  kanban: KanbanCreate;
  groups: { name: string; fields: FieldCreate[] }[];
  /** Positions in `people`; empty: open to everyone. */
  members: number[];
  records: number;
  /** The ways a record may go from its first status, one of them by chance: positions in the statuses. */
  paths: number[][];
  titleOf(chance: Chance, customer: Customer): string;
}

export interface Customer {
  person: string;
  company: string;
  email: string;
  phone: string;
  website: string;
}

const givenNames = [
  'Lucas',
  'Sofia',
  'Emma',
  'Noah',
  'Chiara',
  'Mateus',
  'Yuki',
  'Amira',
  'Oskar',
  'Zoë',
  'José',
  'Lena',
];
const familyNames = [
  'Almeida',
  'Becker',
  'Costa',
  'Dubois',
  'Ekström',
  'Fischer',
  'García',
  'Hassan',
  'Ito',
  'Kowalski',
];
const places = [
  'Harbour',
  'Old Mill',
  'Green Square',
  'Station',
  'Riverside',
  'Little Owl',
  'North Gate',
  'Blue Door',
];
const kinds = ['Café', 'Coffee Bar', 'Bakery', 'Hotel', 'Office', 'Bistro', 'Bookshop'];

export function inventCustomer(chance: Chance): Customer {
  const given = chance.pick(givenNames);
  const family = chance.pick(familyNames);
  const company = `${chance.pick(places)} ${chance.pick(kinds)}`;
  const domain = `${plain(company).replaceAll(' ', '-')}.example`;
  return {
    person: `${given} ${family}`,
    company,
    email: `${plain(given)}.${plain(family)}@${domain}`,
    phone: `+55 11 9${chance.whole(1000, 9999)}-${chance.whole(1000, 9999)}`,
    website: `https://www.${domain}`,
  };
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}

const blends = ['House blend', 'Single origin', 'Decaf', 'Cold brew', 'Espresso'];
const problems = [
  'Grinder is jammed',
  'Order arrived late',
  'Wrong blend delivered',
  'Machine leaks',
  'Invoice question',
];

export const boards: Board[] = [
  {
    kanban: {
      name: 'Demo sales',
      description: 'From the first contact to the signed contract.',
      statuses: [
        { value: 'lead', label: 'Lead', color: '#64748b' },
        { value: 'contacted', label: 'Contacted', color: '#3b82f6' },
        { value: 'tasting', label: 'Tasting', color: '#8b5cf6' },
        { value: 'offer', label: 'Offer', color: '#f59e0b' },
        { value: 'won', label: 'Won', color: '#22c55e' },
        { value: 'lost', label: 'Lost', color: '#ef4444' },
      ],
    },
    groups: [
      {
        name: 'Company',
        fields: [
          { name: 'Company', type: 'text' },
          { name: 'Website', type: 'url' },
          { name: 'Source', type: 'select', options: ['Recommendation', 'Fair', 'Website', 'Walk-in'] },
          { name: 'Newsletter', type: 'boolean' },
        ],
      },
      {
        name: 'Deal',
        fields: [
          { name: 'Kilos a month', type: 'number' },
          { name: 'Value', type: 'currency' },
          { name: 'Blends', type: 'multiselect', options: blends },
          { name: 'Decision by', type: 'date' },
          { name: 'Next call', type: 'datetime' },
          { name: 'Remarks', type: 'textarea' },
        ],
      },
    ],
    members: [],
    records: 110,
    paths: [[], [], [1], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 3, 4], [1, 2, 5]],
    titleOf: (_chance, { person, company }) => `${person}, ${company}`,
  },
  {
    kanban: {
      name: 'Demo support',
      description: 'Questions and complaints.',
      statuses: [
        { value: 'open', label: 'Open', color: '#ef4444' },
        { value: 'waiting', label: 'Waiting for the customer', color: '#f59e0b' },
        { value: 'solved', label: 'Solved', color: '#22c55e' },
      ],
    },
    groups: [
      {
        name: 'Case',
        fields: [
          { name: 'Priority', type: 'select', options: ['Low', 'Normal', 'Urgent'] },
          { name: 'Order number', type: 'text' },
          { name: 'Under warranty', type: 'boolean' },
          { name: 'Answer until', type: 'datetime' },
        ],
      },
    ],
    members: [],
    records: 60,
    paths: [[], [1], [2], [1, 2], [1, 0, 2]],
    titleOf: (chance, { company }) => `${chance.pick(problems)}: ${company}`,
  },
  {
    kanban: {
      name: 'Demo onboarding',
      description: 'New customers until their first delivery. Open to two of the team.',
      statuses: [
        { value: 'planned', label: 'Planned', color: '#3b82f6' },
        { value: 'training', label: 'Training', color: '#f59e0b' },
        { value: 'live', label: 'Live', color: '#22c55e' },
      ],
    },
    groups: [
      {
        name: 'Set-up',
        fields: [
          { name: 'Machine', type: 'select', options: ['Single group', 'Double group', 'Filter'] },
          { name: 'First delivery', type: 'date' },
          { name: 'Baristas', type: 'number' },
          { name: 'Contract signed', type: 'boolean' },
        ],
      },
    ],
    members: [0, 1],
    records: 30,
    paths: [[], [1], [1, 2]],
    titleOf: (_chance, { company }) => company,
  },
];
