/** Makes the demo through the same rules as a client's requests, in one transaction, so that it is all there or not at all. */
import type { FieldType } from '../contract/limits.ts';
import { type Actor, createUser, demoActor } from '../server/features/accounts/accounts.ts';
import {
  createField,
  createFieldGroup,
  createKanban,
  type Definitions,
  type FieldDefinition,
  loadDefinitions,
  putMembers,
} from '../server/features/kanbans/kanbans.ts';
import { changeRecord, createRecord, removeRecord } from '../server/features/records/records.ts';
import type { Tx } from '../server/platform/db.ts';
import { type Board, boards, type Customer, inventCustomer, people } from './demo.content.ts';
import { type Chance, createChance } from './demo.random.ts';

export interface DemoCounts {
  boards: number;
  users: number;
  records: number;
  changes: number;
}

const day = 86_400_000;
/** Not longer than events are kept by default. */
const daysBack = 28;
const seed = 7_231;

/** Ids carry their time: what happened earlier must be made earlier. */
interface Action {
  at: number;
  run(at: number): Promise<void>;
}

export async function fillDemo(
  tx: Tx,
  accountId: string,
  now: number,
  passwordHash: string,
): Promise<DemoCounts> {
  const actor = demoActor(accountId);
  const chance = createChance(seed);
  const begin = now - daysBack * day;
  const domain = `demo-${accountId.slice(-12)}.example`;
  const userIds: string[] = [];
  for (const name of people) {
    const email = `${name.toLowerCase().replace(' ', '.')}@${domain}`;
    const user = await createUser(tx, actor, begin, { email, name, role: 'operator', passwordHash });
    userIds.push(user.id);
  }
  const kanbanIds: string[] = [];
  for (const board of boards) kanbanIds.push(await makeBoard(tx, actor, begin, board, userIds));

  const definitions = await loadDefinitions(tx, accountId);
  const counts: DemoCounts = { boards: boards.length, users: people.length, records: 0, changes: 0 };
  const plan = boards.flatMap((board, index) => {
    const stage = {
      tx,
      actor,
      definitions,
      chance,
      board,
      kanbanId: kanbanIds[index]!,
      userIds,
      now,
      counts,
    };
    return Array.from({ length: board.records }, () => planRecord(stage, begin)).flat();
  });
  plan.sort((a, b) => a.at - b.at);
  for (const { at, run } of plan) await run(at);
  return counts;
}

async function makeBoard(tx: Tx, actor: Actor, at: number, board: Board, userIds: string[]): Promise<string> {
  const { id } = await createKanban(tx, actor, at, board.kanban);
  for (const group of board.groups) {
    const { id: groupId } = await createFieldGroup(tx, actor, at, id, { name: group.name });
    for (const field of group.fields) await createField(tx, actor, at, id, { ...field, groupId });
  }
  if (board.members.length > 0) {
    const members = board.members.map((position) => userIds[position]!);
    await putMembers(tx, actor, at, id, members);
  }
  return id;
}

interface Stage {
  tx: Tx;
  actor: Actor;
  definitions: Definitions;
  chance: Chance;
  board: Board;
  kanbanId: string;
  userIds: string[];
  now: number;
  counts: DemoCounts;
}

/** A record's life: it comes in, moves from status to status until it rests, and now and then is deleted. */
function planRecord(stage: Stage, begin: number): Action[] {
  const { tx, actor, definitions, chance, board, kanbanId, userIds, now, counts } = stage;
  const customer = inventCustomer(chance);
  const fields = [...definitions.kanbans.get(kanbanId)!.fields.values()];
  const title = board.titleOf(chance, customer);
  const customFields = inventValues(chance, fields, customer, now);
  const assignedUserIds = chance.happens(0.7) ? [chance.pick(userIds)] : [];
  let at = chance.whole(begin + day, now - day);
  let recordId = '';
  const actions: Action[] = [
    {
      at,
      async run(when) {
        const input = { kanbanId, title, customFields, assignedUserIds };
        recordId = (await createRecord(tx, actor, when, definitions, input)).recordId;
        counts.records++;
      },
    },
  ];
  for (const step of chance.pick(board.paths)) {
    at = chance.whole(at + 1, now);
    const status = board.kanban.statuses![step]!.value!;
    actions.push({
      at,
      async run(when) {
        await changeRecord(tx, actor, when, definitions, recordId, { status });
        counts.changes++;
      },
    });
  }
  if (chance.happens(0.02)) {
    actions.push({
      at: chance.whole(at + 1, now),
      async run(when) {
        await removeRecord(tx, actor, when, definitions, recordId);
        counts.records--;
      },
    });
  }
  return actions;
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
