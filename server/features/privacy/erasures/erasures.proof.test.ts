/**
 * Nothing of an erased person is left: not in any table of the database's catalogue, not in any file, not in any index.
 * A table that can hold text must either be planted with the person or be reviewed here, with the reason.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { conversationsOf } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import {
  filesFolder,
  type Place,
  type PlantedPerson,
  plantPerson,
  tablesWith,
  tablesWithText,
} from '../../../../test/support/planted-person.ts';
import { startTestService, type TestService } from '../../../../test/support/service.ts';
import { startJobs } from '../../../platform/jobs/jobs.ts';
import { systemActor } from '../../accounts/accounts.ts';
import { createSearch, type Search } from '../../search/search.ts';
import { erasureHandler } from './erasures.jobs.ts';
import { findErasure } from './erasures.sql.ts';
import { erasureJobKind } from './erasures.ts';

const operators = 'of the people who work here, not of customers';
const settings = 'settings of the account';
const instance = 'of the instance, without an account';
const articles = 'texts that the account writes for its customers';

/** Tables that hold nothing of a customer. */
const reviewed: Readonly<Record<string, string>> = {
  account_fences: instance,
  account_move_changes: 'keys of changed rows while an account moves, for seconds; the move removes them',
  account_moves: instance,
  accounts: settings,
  agent_drafts: settings,
  agent_test_runs: settings,
  agent_versions: settings,
  agents: settings,
  api_nodes: instance,
  api_tokens: operators,
  backup_runs: instance,
  backups: instance,
  sla_passes: 'the id of a conversation, for seconds, while a changed policy reaches all of them',
  sla_policies: settings,
  cell_accounts: instance,
  cell_emails: operators,
  cell_slugs: settings,
  cells: instance,
  channels: settings,
  connector_erased_keys: 'keyed hashes of what a provider may deliver again',
  connector_templates: 'templates as the provider lists them',
  connectors: settings,
  copilot_settings: settings,
  erasures: 'holds the person while the erasure runs; the end of the test looks at it too',
  field_groups: settings,
  first_run: operators,
  housekeeping_steps: instance,
  instance_secrets: instance,
  invitations: operators,
  kanban_fields: settings,
  kanban_statuses: settings,
  knowledge_hosts: 'hosts of websites that are being read',
  kanbans: settings,
  help_centers: settings,
  help_slugs: settings,
  help_voters: 'keyed hashes for two days, which name no one',
  knowledge_collections: articles,
  knowledge_documents: articles,
  knowledge_embeddings: settings,
  knowledge_passages: articles,
  knowledge_questions: articles,
  knowledge_run_pages: articles,
  knowledge_run_texts: articles,
  knowledge_runs: settings,
  knowledge_sources: settings,
  knowledge_vectors: articles,
  knowledge_versions: articles,
  knowledge_web_pages: articles,
  labels: settings,
  live_tickets: operators,
  login_failures: operators,
  macros: settings,
  inbox_views: settings,
  automations: settings,
  business_hours: settings,
  automation_versions: settings,
  automation_backtests: settings,
  automation_backtest_items: 'ids and times, removed with what they are about',
  automation_listeners: settings,
  automation_timers: 'ids and times, removed with what they are about',
  notification_settings: operators,
  oidc_used_states: instance,
  push_keys: instance,
  push_subscriptions: operators,
  retention: settings,
  roles: settings,
  saved_replies: settings,
  saved_views: settings,
  schema_migrations: instance,
  sign_in_links: operators,
  teams: settings,
  spent_sign_in_tickets: operators,
  user_passkeys: operators,
  user_recovery_codes: operators,
  user_identities: operators,
  user_sessions: operators,
  user_totp: operators,
  mcp_servers: settings,
  tools: settings,
  users: operators,
  web_identifiers: settings,
  webhook_filters: settings,
  webhook_inboxes: settings,
  webhooks: settings,
  widget_settings: settings,
};

/** They name conversations that have changed, whoever they are; read by position. */
const follows = ['live_log', 'live_changes'];
const marker = `erased${randomBytes(6).toString('hex')}`;
const other = `kept${randomBytes(6).toString('hex')}`;
const ownIds = { phone: '5511977770001', external: '42', chatbot: '77' };
const othersIds = { phone: '5511977770002', external: '43', chatbot: '78' };

describe('an erased person', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  let planted: PlantedPerson;
  let beforehand: Record<string, number>;
  let othersBeforehand: Record<string, number>;
  const indexFiles = mkdtempSync(join(tmpdir(), 'talkboard-erased-'));
  let search: Search;
  before(async () => {
    service = await startTestService();
    second = await service.startSecond();
    const place = await placeIn(service);
    const shared = await plantPerson(place, other, othersIds, { ids: ownIds });
    planted = await plantPerson(place, marker, ownIds, { ids: othersIds, shared });
    for (const call of [service.call, second.call]) assert.ok((await foundBy(call)).every((n) => n > 0));
    beforehand = await tablesWith(service.context, marker);
    othersBeforehand = await tablesWith(service.context, other);
    await keepIndex(service, indexFiles);
    assert.ok(textOf(indexFiles).includes(marker), 'the index is in a file');
    search = searchWithFiles(service, indexFiles);
    await findMarker(service, search);
    await erase(service, planted.contactId, search);
  });
  after(async () => {
    await search?.close();
    await second.close();
    await service.close();
    rmSync(indexFiles, { recursive: true });
  });

  it('was in every table that can hold text, or the table is reviewed', async () => {
    const known = new Set([...Object.keys(beforehand), ...follows, ...Object.keys(reviewed)]);
    const tables = await tablesWithText(service.context);
    assert.deepEqual(
      tables.filter((table) => !known.has(table)),
      [],
      'plant these tables in planted-person.ts and erase them, or say in `reviewed` why they hold nobody',
    );
    assert.deepEqual(
      Object.keys(reviewed).filter((table) => !tables.includes(table) || table in beforehand),
      [],
      'reviewed tables that are gone, or that do hold the person',
    );
  });

  it('is in no table any more', async () => {
    assert.deepEqual(await tablesWith(service.context, marker), {});
  });

  it('is in no file any more', () => {
    const files = filesIn(filesFolder(service.context)).map((path) => readFileSync(path).toString('latin1'));
    assert.deepEqual(
      [files.some((text) => text.includes(marker)), files.some((text) => text.includes(other))],
      [false, true],
    );
  });

  it('is in no file of a search index any more, nor in one that is written later', async () => {
    assert.ok(!textOf(indexFiles).includes(marker));
    await findMarker(service, search);
    await search.close();
    const text = textOf(indexFiles);
    assert.deepEqual([text.includes(marker), text.includes(other)], [false, true]);
  });

  it('is found by no search of any process', async () => {
    for (const call of [service.call, second.call]) assert.deepEqual(await foundBy(call), [0, 0, 0, 0]);
  });

  it('stays blocked by a keyed hash that is listed as erased', async () => {
    const talk = conversationsOf(service);
    const { items } = await talk.expect(200, service.call('GET', '/blocked-contacts'));
    const erased = items.filter((one: { identifierValue: string }) => one.identifierValue === 'erased');
    assert.equal(erased.length, 1 + Object.keys(ownIds).length, 'one for each identifier');
    const { createdAt, ...rest } = erased[0];
    assert.ok(createdAt > 0);
    assert.deepEqual(rest, {
      identifierValue: 'erased',
      identifierType: 'erased',
      reason: '',
      createdBy: '',
      droppedCount: 0,
      lastDroppedAt: null,
    });
    const again = await talk.send({ sessionId: 'again', externalUserId: planted.email });
    assert.deepEqual([again.status, again.body.error.code], [403, 'CONTACT_BLOCKED']);
    const unblocked = await service.call('DELETE', `/blocked-contacts/${planted.email}`);
    assert.equal(unblocked.body.unblocked, true);
    await talk.accepted({ sessionId: 'again', externalUserId: planted.email });
  });

  it('left the other person as they were', async () => {
    const { live_log: _log, live_changes: _changes, contact_backfill: _one, ...rows } = othersBeforehand;
    const { live_log: _now, live_changes: _pending, ...now } = await tablesWith(service.context, other);
    assert.deepEqual(now, rows);
  });
});

async function placeIn(service: TestService): Promise<Place> {
  const talk = conversationsOf(service);
  const board = (await talk.expect(200, service.call('GET', '/kanbans'))).items[0];
  const channels = await talk.expect(200, service.call('GET', '/channels'));
  const channel = channels.items.find((one: { type: string }) => one.type === 'api');
  const body = { url: 'https://example.com/hook', events: ['note_created'] };
  const webhook = await talk.expect(201, service.call('POST', '/webhooks', { body }));
  await talk.expect(201, service.call('POST', '/webhook-inbox'));
  return {
    context: service.context,
    accountId: service.admin.accountId,
    userId: service.admin.userId,
    kanbanId: board.id,
    channelId: channel.id,
    agentId: channel.defaultAgentId,
    webhookId: webhook.id,
  };
}

/** Without the rest of the worker, which would send and remove what was planted. */
async function erase(service: TestService, contactId: string, search: Search): Promise<void> {
  const { db, logger } = service.context;
  const handler = erasureHandler({ ...service.context, search });
  const jobs = startJobs({ db, logger, handlers: { [erasureJobKind]: handler } });
  try {
    const { status, body } = await service.call('DELETE', `/contacts/${contactId}`);
    assert.equal(status, 202);
    const stateOf = async () => (await findErasure(db, service.admin.accountId, body.erasureId))?.state;
    await eventually(async () => (await stateOf()) !== 'running', 60_000);
    assert.equal(await stateOf(), 'done');
  } finally {
    await jobs.stop();
  }
}

function searchWithFiles({ context }: TestService, folder: string): Search {
  const { db, definitions, clock, logger } = context;
  const files = { folder: join(folder, 'a', 'b'), maxBytes: 1e9, minFreeBytes: 0, logger, minRecords: 1 };
  return createSearch({ db, definitions, clock, files });
}

async function keepIndex(service: TestService, folder: string): Promise<void> {
  const search = searchWithFiles(service, folder);
  await findMarker(service, search);
  await search.close();
}

const findMarker = ({ admin }: TestService, search: Search) =>
  search.findBest(systemActor(admin.accountId), marker, 10);

const textOf = (folder: string) =>
  existsSync(folder)
    ? filesIn(folder)
        .map((path) => readFileSync(path).toString('latin1'))
        .join('\n')
    : '';

async function foundBy(call: TestService['call']): Promise<number[]> {
  const paths = ['/messages/search', '/crm/search', '/contacts', '/sessions'];
  const answers = await Promise.all(paths.map((path) => call('GET', `${path}?q=${marker}`)));
  return answers.map(({ status, body, text }) => {
    assert.equal(status, 200, text);
    return (body.items ?? body.records ?? body.results).length;
  });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
