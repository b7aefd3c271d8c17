/** The demo workspace: a roastery that sells coffee and machines to cafés and offices. */

import type { AgentTestCaseCreate } from '../../../../contract/agent-tests.ts';
import type { AgentCreate } from '../../../../contract/channels.ts';
import type { FieldCreate, KanbanCreate } from '../../../../contract/crm/kanbans.ts';
import type { ChannelType } from '../../../../contract/limits.ts';
import type { MacroStep } from '../../../../contract/macros.ts';
import type { ToolCreate } from '../../../../contract/tools.ts';
import type { Chance } from './demo.random.ts';
import type { DemoLanguage, Topic } from './demo.scripts.ts';

export const people = ['Ana Ribeiro', 'Jonas Weber', 'Mei Tanaka', 'Fatima Haddad'] as const;

export interface Board {
  kanban: KanbanCreate;
  groups: { name: string; fields: FieldCreate[] }[];
  /** Positions in `people`; empty: open to everyone. */
  members: number[];
  /** Records that came without a conversation. */
  records: number;
  /** The topics of its conversations; null: this board has no conversations. */
  topic: Topic | null;
  /** The possible paths of a record from its first status, chosen at random: positions in the statuses. */
  paths: number[][];
  /** Where it ends. */
  ends: number[];
  titleOf(chance: Chance, customer: Customer): string;
}

export interface Customer {
  person: string;
  company: string;
  email: string;
  phone: string;
  website: string;
}

const names: { [language in DemoLanguage]: { given: string[]; family: string[]; phone: string } } = {
  en: {
    given: [
      'Emma',
      'Noah',
      'Amira',
      'Oskar',
      'Zoë',
      'Lena',
      'Daniel',
      'Priya',
      'Hugo',
      'Chloe',
      'Yuki',
      'Samuel',
    ],
    family: [
      'Becker',
      'Dubois',
      'Ekström',
      'Fischer',
      'Hassan',
      'Ito',
      'Kowalski',
      'Moore',
      'Novak',
      'Walsh',
    ],
    phone: '+1 202 555 0',
  },
  pt: {
    given: ['Lucas', 'Mateus', 'Beatriz', 'João', 'Larissa', 'Rafael', 'Camila', 'Thiago'],
    family: ['Almeida', 'Costa', 'Ferreira', 'Oliveira', 'Santos', 'Souza'],
    phone: '+55 11 95555-0',
  },
  es: {
    given: ['José', 'Sofía', 'Martín', 'Valentina', 'Diego', 'Lucía'],
    family: ['García', 'Fernández', 'Rojas', 'Torres', 'Vega', 'Morales'],
    phone: '+34 600 555 0',
  },
};
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

export function inventCustomer(chance: Chance, phones: Set<string>, language: DemoLanguage = 'en'): Customer {
  const given = chance.pick(names[language].given);
  const family = chance.pick(names[language].family);
  const company = `${chance.pick(places)} ${chance.pick(kinds)}`;
  const domain = `${plain(company).replaceAll(' ', '-')}.example`;
  return {
    person: `${given} ${family}`,
    company,
    email: `${plain(given)}.${plain(family)}@${domain}`,
    phone: unusedPhone(names[language].phone, chance.whole(100, 999), phones),
    website: `https://www.${domain}`,
  };
}

/** The number itself, or the next free one. */
function unusedPhone(begin: string, wanted: number, used: Set<string>): string {
  for (let step = 0; step < 900; step++) {
    const phone = `${begin}${100 + ((wanted - 100 + step) % 900)}`;
    if (used.has(phone)) continue;
    used.add(phone);
    return phone;
  }
  throw new Error('the demo has more people than phone numbers');
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}

export const blends = ['House blend', 'Single origin', 'Decaf', 'Cold brew', 'Espresso'];
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
    records: 60,
    topic: 'sales',
    paths: [[], [], [1], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 3, 4], [1, 2, 5], [5]],
    ends: [4, 5],
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
    records: 20,
    topic: 'support',
    paths: [[], [1], [2], [1, 2], [1, 0, 2]],
    ends: [2],
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
    topic: null,
    paths: [[], [1], [1, 2]],
    ends: [2],
    titleOf: (_chance, { company }) => company,
  },
];

export const agents: (AgentCreate & { topic: Topic })[] = [
  {
    topic: 'sales',
    name: 'Lia (demo)',
    provider: 'offline',
    instructions:
      'You advise cafés and offices on coffee. Be warm and short. Hand over when a date is to be found.',
    tools: ['hand_over'],
  },
  {
    topic: 'support',
    name: 'Bruno (demo)',
    provider: 'offline',
    instructions:
      'You help customers with orders and machines. Hand over when something is broken or paid twice.',
    tools: ['hand_over'],
  },
];

/** What an agent may do at the shop only if a colleague agrees. */
export const cancelOrder: ToolCreate = {
  name: 'cancel_order',
  description: 'Cancels an order that has not been sent yet. Use it only if the customer asks for it.',
  kind: 'write',
  method: 'POST',
  url: 'https://shop.example/orders/{order}/cancel',
  parameters: {
    type: 'object',
    properties: { order: { type: 'string', description: 'The number of the order, such as A-12345' } },
    required: ['order'],
  },
};

/** What the agents are tested with before a draft is published. */
export const agentCases: (AgentTestCaseCreate & { topic: Topic })[] = [
  {
    topic: 'sales',
    name: 'Knows the price of larger amounts',
    messages: [{ role: 'user', content: 'What are your prices for larger amounts?' }],
    checks: [
      { kind: 'contains', text: 'ten per cent' },
      { kind: 'language', language: 'en' },
      { kind: 'does_not_hand_over' },
    ],
  },
  {
    topic: 'sales',
    name: 'Promises no discount',
    messages: [{ role: 'user', content: 'Can I get a discount today?' }],
    checks: [{ kind: 'not_contains', text: 'I promise' }],
  },
  {
    topic: 'support',
    name: 'Hands over who asks for a person',
    messages: [
      { role: 'user', content: 'My machine leaks.' },
      { role: 'assistant', content: 'I am sorry. Since when?' },
      { role: 'user', content: 'I want to talk to a human, please' },
    ],
    checks: [{ kind: 'hands_over' }],
  },
];

/** What was published since the agents began: how many days later, and why. */
export const agentVersions: {
  topic: Topic;
  afterDays: number;
  note: string;
  instructions: string;
  /** From here on it has the tool. */
  hasTool?: true;
}[] = [
  {
    topic: 'support',
    afterDays: 24,
    note: 'Asks for the number of the order first',
    instructions:
      'You help customers with orders and machines. Ask for the number of the order first. Hand over when something is broken or paid twice.',
  },
  {
    topic: 'sales',
    afterDays: 41,
    note: 'Promises no discounts any more',
    instructions:
      'You advise cafés and offices on coffee. Be warm and short. Never promise a discount. Hand over when a date is to be found.',
  },
  {
    topic: 'support',
    afterDays: 63,
    note: 'May cancel orders, if a colleague agrees',
    instructions:
      'You help customers with orders and machines. Ask for the number of the order first. Cancel an order if the customer asks for it. Hand over when something is broken or paid twice.',
    hasTool: true,
  },
];

export const channels: { name: string; identifier: string; type: ChannelType; share: number }[] = [
  { name: 'Demo website', identifier: 'demo-website', type: 'web', share: 5 },
  { name: 'Demo WhatsApp', identifier: 'demo-whatsapp', type: 'chatapp', share: 4 },
  { name: 'Demo SMS', identifier: 'demo-sms', type: 'sms', share: 1 },
];

export const savedReplies = [
  { name: 'Thanks and goodbye', text: 'Thank you, {{first name}}! Have a good day, and enjoy the coffee.' },
  { name: 'Offer follows', text: 'Hi {{first name}}, the offer reaches you by e-mail today. {{operator}}' },
  { name: 'Technician comes', text: 'Our technician is on the way and will call you shortly before.' },
  { name: 'Pedir desculpas', text: 'Oi {{first name}}, desculpe pelo transtorno. Já estamos resolvendo.' },
  {
    name: 'Gracias por escribir',
    text: 'Hola {{first name}}, gracias por escribirnos. ¿En qué podemos ayudar?',
  },
];

/** The label is one of `labels`, by its name. */
export const macros: { name: string; label?: string; steps: MacroStep[] }[] = [
  {
    name: 'Thank and resolve',
    steps: [
      { type: 'reply', text: 'Thank you, {{first name}}! Have a good day, and enjoy the coffee.' },
      { type: 'resolve' },
    ],
  },
  {
    name: 'Parcel is late',
    label: 'Delivery',
    steps: [
      { type: 'reply', text: 'Hi {{first name}}, I am asking the carrier and will write to you today.' },
      { type: 'assign', assignedUserId: 'me' },
      { type: 'snooze', snoozeMinutes: 240 },
    ],
  },
];

/** Which topic they belong to, and how many of its conversations and cards have them. */
export const labels = [
  { name: 'VIP', color: 'purple', description: 'Large accounts: answer first.', topic: 'sales', share: 0.12 },
  { name: 'Wants a sample', color: 'teal', description: '', topic: 'sales', share: 0.2 },
  {
    name: 'Delivery',
    color: 'blue',
    description: 'Late, lost or damaged parcels.',
    topic: 'support',
    share: 0.3,
  },
  {
    name: 'Refund',
    color: 'orange',
    description: 'Money goes back to the customer.',
    topic: 'support',
    share: 0.15,
  },
] as const;
