/** The life of a record: it is created, moves from status to status, and is sometimes deleted. */
import type { FieldType } from '../../../../contract/limits.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { demoActor, type UserActor } from '../../accounts/accounts.ts';
import type { Definitions, FieldDefinition } from '../../kanbans/kanbans.ts';
import { changeRecord, createRecord, removeRecord } from '../../records/records.ts';
import { day, untilNextStatus, workingMoment } from './demo.calendar.ts';
import { boards, type Customer, inventCustomer } from './demo.content.ts';
import type { Chance } from './demo.random.ts';
import type { DemoLanguage } from './demo.scripts.ts';
import type { Workspace } from './demo.workspace.ts';

export interface PlannedRecord {
  customer: Customer;
  operator: UserActor;
  kanbanId: string;
  /** Set when it has been created. */
  recordId: string | null;
  input: {
    title: string;
    customFields: { [fieldId: string]: unknown };
    assignedUserIds: string[];
    labelIds: string[];
  };
  createdAt: number;
  moves: { at: number; status: string }[];
  deletedAt: number | null;
}

export interface Plan {
  chance: Chance;
  /** Of its own, so that the rest of the demo stays as it was. */
  labelChance: Chance;
  workspace: Workspace;
  now: number;
  /** The names in use: everyone has a different one. */
  phones: Set<string>;
}

/** With a language: the card of a conversation in it, which is never deleted. */
export function planRecord(
  { chance, labelChance, workspace, now, phones }: Plan,
  boardIndex: number,
  createdAt: number,
  language?: DemoLanguage,
): PlannedRecord {
  const board = boards[boardIndex]!;
  const kanbanId = workspace.kanbanIds[boardIndex]!;
  const customer = inventCustomer(chance, phones, language);
  const operator = chance.pick(workspace.people);
  const fields = [...workspace.definitions.kanbans.get(kanbanId)!.fields.values()];
  // Records of a month ago are settled, those of today have only begun.
  const isSettled = chance.happens(Math.min(0.93, (now - createdAt) / (28 * day)));
  const complete = board.paths.filter((path) => board.ends.includes(path.at(-1) ?? -1));
  const moves: PlannedRecord['moves'] = [];
  let at = createdAt;
  for (const step of chance.pick(isSettled ? complete : board.paths)) {
    at = workingMoment(chance, at + untilNextStatus(chance));
    if (at > now) break;
    moves.push({ at, status: board.kanban.statuses![step]!.value! });
  }
  return {
    customer,
    operator,
    kanbanId,
    recordId: null,
    input: {
      title: language ? customer.person : board.titleOf(chance, customer),
      customFields: inventValues(chance, fields, customer, now),
      assignedUserIds: chance.happens(0.75) ? [operator.id] : [],
      labelIds: chooseLabels(labelChance, workspace, board.topic),
    },
    createdAt,
    moves,
    deletedAt: !language && chance.happens(0.04) && at < now ? chance.whole(at + 1, now) : null,
  };
}

export function chooseLabels(chance: Chance, { labels }: Workspace, topic: string | null): string[] {
  const chosen = labels.filter((label) => label.topic === topic && chance.happens(label.share));
  return chosen.map(({ id }) => id).sort();
}

/** Ids and sequences follow the time, so earlier events are created earlier, across records. */
export async function runInOrder(
  tx: Tx,
  accountId: string,
  definitions: Definitions,
  plan: readonly PlannedRecord[],
): Promise<{ records: number; changes: number }> {
  const actor = demoActor(accountId);
  const acts = plan.flatMap((record) => [
    {
      at: record.createdAt,
      async run(at: number) {
        const input = { ...record.input, kanbanId: record.kanbanId };
        record.recordId = (await createRecord(tx, actor, at, definitions, input)).recordId;
      },
    },
    ...record.moves.map(({ at, status }) => ({
      at,
      run: (when: number) =>
        changeRecord(tx, record.operator, when, definitions, record.recordId!, { status }),
    })),
    ...(record.deletedAt === null
      ? []
      : [
          {
            at: record.deletedAt,
            // The demo leaves nothing in the audit log that its removal would not find.
            run: (when: number) =>
              removeRecord(tx, record.operator, when, definitions, record.recordId!, { audited: false }),
          },
        ]),
  ]);
  acts.sort((a, b) => a.at - b.at);
  for (const { at, run } of acts) await run(at);
  return {
    records: plan.filter((record) => record.deletedAt === null).length,
    changes: plan.reduce((sum, { moves }) => sum + moves.length, 0),
  };
}

function inventValues(
  chance: Chance,
  fields: FieldDefinition[],
  customer: Customer,
  now: number,
): Record<string, unknown> {
  const filled = fields.filter(() => chance.happens(0.85));
  return Object.fromEntries(filled.map((field) => [field.id, inventValue(chance, field, customer, now)]));
}

function inventValue(chance: Chance, field: FieldDefinition, customer: Customer, now: number): unknown {
  const soon = now + chance.whole(-30, 60) * day;
  const invent: Record<FieldType, () => unknown> = {
    text: () => (field.name === 'Company' ? customer.company : `A-${chance.whole(10_000, 99_999)}`),
    textarea: () => `Met ${customer.person} twice.\nWants to taste before deciding.`,
    number: () => chance.whole(1, 80),
    currency: () => chance.whole(20_000, 900_000) / 100,
    date: () => new Date(soon).toISOString().slice(0, 10),
    datetime: () => soon - (soon % 900_000),
    select: () => chance.pick(field.options ?? []),
    multiselect: () => chance.some(field.options ?? [], chance.whole(1, 3)),
    boolean: () => chance.happens(0.5),
    email: () => customer.email,
    phone: () => customer.phone,
    url: () => customer.website,
  };
  return invent[field.type]();
}
