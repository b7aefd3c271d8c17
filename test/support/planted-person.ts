/**
 * A person in every table that can hold one. Rows are made from the database's own catalogue: each text, JSON, array and
 * bytea column gets the marker unless `given` says otherwise, so that a new column is covered without being named.
 */
import { join } from 'node:path';
import type { ServiceContext } from '../../server/context.ts';
import { type Sql, sql } from '../../server/platform/db/sql.ts';
import { newId } from '../../server/platform/ids.ts';
import { sealedFor } from '../../server/platform/secrets/sealed-columns.ts';
import type { Json } from './service.ts';

interface Column {
  name: string;
  type: string;
}

export interface Place {
  context: ServiceContext;
  accountId: string;
  userId: string;
  kanbanId: string;
  channelId: string;
  agentId: string;
  webhookId: string;
}

export interface PlantedPerson {
  contactId: string;
  recordId: string;
  sessionId: string;
  email: string;
  fileKey: string;
}

export interface PlantedIds {
  phone: string;
  /** Short: they occur in the data of others too. */
  external: string;
  chatbot: string;
}

/** Somebody whose ids are in the person's text, and whose file and record the person's conversation uses too. */
export interface Neighbour {
  ids: PlantedIds;
  shared?: PlantedPerson;
}

const identifier = (name: string) => ({ text: `"${name}"` });

/** The text of a table or column name as a part of a statement. */
const raw = ({ text }: { text: string }): Sql =>
  // The tag takes literal parts only from templates.
  sql(Object.assign([text], { raw: [text] }) as unknown as TemplateStringsArray);

async function columnsOf({ db }: ServiceContext, table: string): Promise<Column[]> {
  return db.query<Column>(sql`
    select column_name as name, udt_name as type from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER' and is_identity = 'NO'
    order by ordinal_position`);
}

function plantedIn({ type }: Column, marker: string): unknown {
  switch (type) {
    case 'text':
      return marker;
    case '_text':
      return [marker];
    case 'json':
    case 'jsonb':
      return JSON.stringify({ planted: marker });
    case 'bytea':
      return Buffer.from(marker);
    case 'uuid':
      return newId();
    case 'bool':
      return false;
    case 'date':
    case 'timestamptz':
      return new Date();
    case '_uuid':
    case '_int4':
    case '_int8':
      return [];
    case 'xid8':
      return undefined;
    default:
      return 1;
  }
}

/** Inserts a row; a value of undefined leaves the column to its default. */
async function plant(
  place: Place,
  table: string,
  marker: string,
  given: Record<string, unknown> = {},
): Promise<void> {
  const { context, accountId } = place;
  const values = (await columnsOf(context, table))
    .map((column) => {
      const value =
        column.name in given
          ? given[column.name]
          : column.name === 'account_id'
            ? accountId
            : plantedIn(column, marker);
      const isJson = (column.type === 'jsonb' || column.type === 'json') && value !== null;
      return {
        name: column.name,
        value: isJson && typeof value === 'object' ? JSON.stringify(value) : value,
      };
    })
    .filter(({ value }) => value !== undefined);
  const names = values.map(({ name }) => identifier(name).text).join(', ');
  const list = values.reduce<Sql>(
    (all, { value }, index) => (index === 0 ? sql`${value as string}` : sql`${all}, ${value as string}`),
    sql``,
  );
  await context.db.transaction((tx) =>
    tx.query(sql`${raw({ text: `insert into ${table} (${names}) values (` })}${list}${raw({ text: ')' })}`),
  );
}

async function store({ blobs }: ServiceContext, key: string, text: string): Promise<void> {
  const draft = await blobs.drafts.receive(bytesOf(text), 10_000, () => new Error('too large'));
  try {
    await blobs.place(draft, key, 'text/plain');
  } finally {
    await draft.discard();
  }
}

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

export const filesFolder = ({ config }: ServiceContext) => join(config.dataDir, 'files');

export async function plantPerson(
  place: Place,
  marker: string,
  ids: PlantedIds,
  { ids: others, shared }: Neighbour,
): Promise<PlantedPerson> {
  const { context, accountId, userId, kanbanId, channelId, agentId, webhookId } = place;
  const put = (table: string, given: Record<string, unknown> = {}) => plant(place, table, marker, given);
  const email = `${marker}@example.com`;
  const sessionId = `session ${marker}`;
  const [contactId, mergedId, recordId, messageId, importId] = [newId(), newId(), newId(), newId(), newId()];
  const ofSession = { session_id: sessionId };
  const key = `email:${email}`;

  await put('contacts', { id: contactId, name_source: 'user', merged_into: null });
  await put('contacts', { id: mergedId, name_source: 'user', merged_into: contactId });
  await put('contact_identifiers', {
    contact_id: contactId,
    key,
    kind: 'email',
    value: email,
    channel_id: null,
  });
  for (const [kind, value, ofChannel] of [
    ['phone', ids.phone, null],
    ['external', ids.external, channelId],
    ['chatbot', ids.chatbot, null],
  ] as const) {
    const identifierKey = [kind, ofChannel, value].filter((part) => part !== null).join(':');
    const given = { contact_id: contactId, key: identifierKey, kind, value, channel_id: ofChannel };
    await put('contact_identifiers', given);
  }
  await put('contact_merges', { contact_id: contactId, merged_id: mergedId });
  await put('contact_merge_offers', { key_a: key, key_b: `phone:${newId()}` });
  await put('blocked_contacts', { contact_key: email, identifier_value: email });
  await put('contact_blocks', { contact_id: contactId, contact_key: email });

  await put('records', { id: recordId, kanban_id: kanbanId, status: 'new', place_at: null, place_id: null });
  await put('tasks', { record_id: recordId, kanban_id: kanbanId, assigned_user_id: userId });
  await put('record_comments', { record_id: recordId, kanban_id: kanbanId, mentions: null });
  await put('record_status_changes', { record_id: recordId, kanban_id: kanbanId });
  await put('deleted_field_values', { record_id: recordId });

  await put('sessions', {
    ...ofSession,
    channel_id: channelId,
    agent_id: agentId,
    kanban_id: kanbanId,
    record_id: recordId,
    contact_id: contactId,
    external_user_id: email,
    contact_key: email,
    status: 'open',
    status_changed_by: { type: 'user', id: userId, name: marker },
    snoozed_until: null,
    assigned_user_id: null,
    team_id: null,
  });
  await put('session_records', { ...ofSession, kanban_id: kanbanId, record_id: recordId });
  if (shared) {
    await put('session_records', { ...ofSession, kanban_id: newId(), record_id: shared.recordId });
  }
  const tables = ['ai_pauses', 'session_changes', 'conversation_figures', 'removed_figures', 'sla_states'];
  for (const table of tables) await put(table, ofSession);
  await put('session_ratings', { ...ofSession, score: 5 });
  await put('sla_results', { ...ofSession, outcome: 'met' });
  await put('pending_replies', { ...ofSession, message_id: messageId });
  await put('reply_log', { ...ofSession, message_id: messageId, outcome: 'sent' });
  await put('copilot_translations', { ...ofSession, message_id: messageId });
  await put('copilot_summaries', ofSession);
  const automationRunId = newId();
  const ofSubject = { ...ofSession, subject: `s:${sessionId}`, record_id: recordId };
  for (const table of ['automation_causes', 'automation_verdicts']) {
    await put(table, { ...ofSubject, type: 'message', source_id: messageId, seq: undefined });
  }
  await put('automation_runs', { ...ofSubject, id: automationRunId, state: 'done', message_id: messageId });
  await put('automation_run_steps', { run_id: automationRunId, state: 'done' });
  await put('copilot_suggestions', { ...ofSession, task: 'suggest', outcome: 'edited' });
  await put('tool_calls', { ...ofSession, message_id: messageId, state: 'done' });
  await put('agent_test_cases', { ...ofSession, message_id: messageId, agent_id: agentId });
  const runId = newId();
  await put('agent_test_runs', {
    ...{ id: runId, agent_id: agentId, kind: 'run', state: 'done', failure: null, created_by: 'Ana' },
    ...{ content: {}, baseline: null },
  });
  await put('agent_test_results', { ...ofSession, run_id: runId, message_id: messageId, case_id: null });

  const files = [newId(), newId(), newId(), newId()] as const;
  const [attached, converted, original, uploaded] = files;
  for (const fileKey of files) {
    const link = fileKey === attached ? { fileKey: converted, text: marker } : null;
    await put('attachments', { file_key: fileKey, state: 'stored', converted: link });
    const path = `${accountId}/${fileKey.slice(-2)}/${fileKey}`;
    await store(context, path, `file ${marker}`);
    await store(context, `${path}-thumbnail`, `thumbnail ${marker}`);
  }
  await put('widget_uploads', { ...ofSession, file_key: uploaded });
  await put('widget_upload_usage', { subject: `visitor/${sessionId}` });
  const attachments = [attached, ...(shared ? [shared.fileKey] : [])].map((fileKey) => {
    return { fileKey, fileName: marker, contentType: 'text/plain', size: 1 };
  });
  const message = { ...ofSession, id: messageId, role: 'user', status: null, attachments, mentions: null };
  await put('messages', message);
  await put('scheduled_messages', { ...ofSession, attachments });
  await put('early_receipts', ofSession);
  const gapId = newId();
  await put('knowledge_gaps', { id: gapId, state: 'drafted', document_id: null, drafted_from: sessionId });
  await put('knowledge_unanswered', { ...ofSession, message_id: messageId, gap_id: gapId });
  await put('message_parts', { ...ofSession, message_id: messageId, status: 'sent' });
  await put('mail_messages', { ...ofSession, message_id: messageId, original_key: original });
  await put('connector_outbound', {
    ...ofSession,
    channel_id: channelId,
    message_id: messageId,
    kind: 'message',
    state: 'sent',
    lease_token: null,
  });
  await put('connector_items', { ...ofSession, channel_id: channelId, type: 'message', state: 'done' });
  for (const [customer, ofItem] of [
    [ids.external, { channel_id: channelId, session_id: null }],
    [`+${ids.phone}`, { channel_id: channelId, session_id: null }],
    // The same id on another channel is another customer.
    [others.external, { channel_id: newId(), ...ofSession }],
  ] as const) {
    const itemKey = `${marker} ${customer}`;
    await put('connector_items', { ...ofItem, key: itemKey, customer, type: 'message', state: 'dropped' });
  }
  const amounts = { message_id: Number(others.chatbot), amount: others.external };
  await put('connector_inbound', {
    body: JSON.stringify({ from: email.toUpperCase(), text: marker, ...amounts }),
  });
  await put('connector_pace', { customer: email });

  await put('imports', {
    id: importId,
    kanban_id: kanbanId,
    state: 'done',
    format: { encoding: 'utf-8', separator: ',', quotes: 'double', headerRow: true },
    columns: [],
    expires_at: 9e12,
  });
  await put('import_results', { import_id: importId, results: [['created', recordId, marker]] });
  await store(
    context,
    `${accountId}/imports/${importId}`,
    `name,mail,amount\n${marker},${email.toUpperCase()},${others.external}\n`,
  );

  const eventId = newId();
  const deliveryId = newId();
  await put('events', { id: eventId, subject_id: sessionId, event: 'note_created' });
  await put('webhook_deliveries', {
    id: deliveryId,
    event_id: eventId,
    webhook_id: webhookId,
    status: 'delivered',
    lease_token: null,
  });
  await put('webhook_attempts', { delivery_id: deliveryId });
  await put('webhook_inbox_requests', { body: JSON.stringify({ sessionId }), signature: 'valid' });
  await put('jobs', {
    kind: 'planted',
    payload: { sessionId, text: marker },
    lease_token: null,
    lease_until: null,
    failed_at: null,
  });
  const body: Json = JSON.stringify({ sessionId, text: marker });
  await put('idempotency_keys', {
    body: context.secrets.seal(body, sealedFor.idempotency(accountId, marker)),
  });
  await put('notifications', { user_id: userId, kind: 'message', subject_id: sessionId });
  const actor = { actor_type: 'user', actor_id: userId, actor_name: 'Ana', address: null };
  await put('audit_log', { ...actor, action: 'contact.blocked', target_type: 'contact', target_id: email });
  await put('audit_log', { ...actor, action: 'record.deleted', target_type: 'record', target_id: recordId });
  await put('audit_log', { ...actor, action: 'session.taken', target_type: 'session', target_id: sessionId });
  const label = { action: 'label.updated', target_type: 'label', target_id: newId() };
  await put('audit_log', { ...actor, ...label, changes: { name: { from: email, to: others.external } } });
  await put('live_presence', { ...ofSession, user_id: userId, user_name: 'Ana', record_id: recordId });
  await put('live_signals', { body: JSON.stringify({ accountId, sessionId }) });
  const bucket = `widget-send:${sessionId}`;
  for (const table of ['rate_limit_counters', 'rate_limit_hits', 'rate_limit_leases']) {
    await put(table, { bucket });
  }
  await context.db.transaction((tx) =>
    tx.query(sql`
      insert into contact_backfill (account_id, session_id, done) values (${accountId}, ${sessionId}, true)
      on conflict (only_row) do update set account_id = ${accountId}, session_id = ${sessionId}, done = true`),
  );
  return { contactId, recordId, sessionId, email, fileKey: attached };
}

/** The rows of every table whose text holds the marker, also as the bytes of a bytea. */
export async function tablesWith({ db }: ServiceContext, marker: string): Promise<Record<string, number>> {
  const tables = await db.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name`);
  const hex = Buffer.from(marker).toString('hex');
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await db.query<{ n: number }>(sql`
      ${raw({ text: `select count(*)::int as n from ${name} t where` })}
        strpos(t::text, ${marker}) > 0 or strpos(t::text, ${hex}) > 0`);
    if (row!.n > 0) found[name] = row!.n;
  }
  return found;
}

/** Tables with a column that can hold text. */
export async function tablesWithText({ db }: ServiceContext): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select distinct c.table_name as name from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
      and c.udt_name in ('text', 'varchar', 'bpchar', '_text', '_varchar', 'json', 'jsonb', '_jsonb', 'bytea', '_bytea')
    order by 1`);
  return rows.map(({ name }) => name);
}
