/** Test cases of an agent: a conversation, and what must hold of the reply to it. */
import { isDeepStrictEqual } from 'node:util';
import type {
  AgentTestCase,
  AgentTestCaseCreate,
  AgentTestCaseUpdate,
} from '../../../contract/agent-tests.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId, newId } from '../../platform/ids.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import type { Actor } from '../accounts/accounts.ts';
import { loadDirectory, requireAgent } from '../channels/channels.ts';
import { checkChecks } from './agent-tests.checks.ts';
import type { TakenInput } from './agent-tests.freeze.ts';
import {
  countCases,
  deleteCase,
  insertCase,
  lockCases,
  type StoredCase,
  selectCases,
  type TestInput,
  updateCase,
} from './agent-tests.sql.ts';

const { agentTests } = limits;

export { testsOfAgents } from './agent-tests.gate.ts';

export const testRunJobKind = jobKind('agent-test-run');

export interface CasePlace {
  agentId: string;
  /** The boards whose conversations the caller may read; null: all. */
  visible: string[] | null;
}

export async function createCase(
  tx: Tx,
  actor: Actor,
  now: number,
  { agentId }: CasePlace,
  { name, checks = [], ...written }: AgentTestCaseCreate,
  taken: TakenInput | null,
): Promise<AgentTestCase> {
  const { accountId } = actor;
  requireAgent(await loadDirectory(tx, accountId), agentId);
  await lockCases(tx, agentId);
  if ((await countCases(tx, accountId, agentId)) >= agentTests.cases) {
    throw conflict(`an agent can have at most ${agentTests.cases} test cases`);
  }
  await checkChecks(checks);
  const one: StoredCase = {
    id: newId(now),
    agentId,
    name: requireName(name),
    input: taken?.input ?? writtenInput(written),
    checks,
    revision: 1,
    sessionId: taken?.sessionId ?? null,
    messageId: taken?.messageId ?? null,
    by: actor.name,
    createdAt: now,
    updatedAt: now,
  };
  await insertCase(tx, accountId, one);
  return toCase(one);
}

export async function changeCase(
  tx: Tx,
  actor: Actor,
  now: number,
  place: CasePlace,
  id: string,
  { name, checks, ...input }: AgentTestCaseUpdate,
): Promise<AgentTestCase> {
  await lockCases(tx, place.agentId);
  const before = await requireStored(tx, actor.accountId, place, id);
  if (checks) await checkChecks(checks);
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const tested = {
    input: { ...before.input, ...(Object.fromEntries(given) as Partial<TestInput>) },
    checks: checks ?? before.checks,
  };
  const isSame = isDeepStrictEqual(tested, { input: before.input, checks: before.checks });
  const after: StoredCase = {
    ...before,
    ...tested,
    name: name === undefined ? before.name : requireName(name),
    revision: before.revision + (isSame ? 0 : 1),
    updatedAt: now,
  };
  await updateCase(tx, actor.accountId, after);
  return toCase(after);
}

export async function removeCase(tx: Tx, { accountId }: Actor, place: CasePlace, id: string): Promise<void> {
  await requireStored(tx, accountId, place, id);
  await deleteCase(tx, accountId, id);
}

export async function readCase(
  db: Reader,
  accountId: string,
  place: CasePlace,
  id: string,
): Promise<AgentTestCase> {
  return toCase(await requireStored(db, accountId, place, id));
}

/** Without those of conversations that the caller may not read. */
export async function listCases(
  db: Reader,
  tokens: PageTokens,
  accountId: string,
  { agentId, visible }: CasePlace,
  query: { limit?: number; nextToken?: string },
): Promise<Page<AgentTestCase>> {
  requireAgent(await loadDirectory(db, accountId), agentId);
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['agent-test-cases', accountId, agentId];
  const after = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectCases(db, accountId, agentId, visible, { after, limit: size + 1 });
  return cutPage(rows.map(toCase), size, (last) => tokens.issue([last.id], scope));
}

async function requireStored(
  db: Reader,
  accountId: string,
  { agentId, visible }: CasePlace,
  id: string,
): Promise<StoredCase> {
  const isKnown = isId(agentId) && isId(id);
  const [found] = isKnown ? await selectCases(db, accountId, agentId, visible, { ids: [id], limit: 1 }) : [];
  if (!found) throw notFound('test case');
  return found;
}

function writtenInput({ messages, notes, customer, card, toolResults }: AgentTestCaseUpdate): TestInput {
  if (!messages) throw badRequest('either messages, or sessionId and messageId, are required');
  return {
    messages,
    notes: notes ?? [],
    customer: customer ?? { id: null, name: null },
    card: card ?? null,
    toolResults: toolResults ?? [],
  };
}

function requireName(text: string): string {
  const name = text.trim();
  if (!name) throw badRequest('name is required');
  return name;
}

function toCase({ id, name, input, checks, sessionId, messageId, ...rest }: StoredCase): AgentTestCase {
  const { by, createdAt, updatedAt } = rest;
  const source = sessionId === null || messageId === null ? null : { sessionId, messageId };
  return { id, name, ...input, checks, source, by, createdAt, updatedAt };
}
