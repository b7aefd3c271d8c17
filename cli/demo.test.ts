import assert from 'node:assert/strict';
import { after, before as beforeAll, describe, it } from 'node:test';
import { fieldTypes } from '../contract/limits.ts';
import { testRunHandler } from '../server/features/agent-tests/agent-tests.jobs.ts';
import { testRunJobKind } from '../server/features/agent-tests/agent-tests.ts';
import { sourceRemovalJobKind } from '../server/features/knowledge/knowledge.ts';
import { sourceRemovalHandler } from '../server/features/knowledge/sources/knowledge.sources.jobs.ts';
import { startJobs } from '../server/platform/jobs/jobs.ts';
import { runInProcess, settingsOf } from '../test/support/cli.ts';
import { dumpTables, queryRows } from '../test/support/dump.ts';
import { eventually } from '../test/support/eventually.ts';
import { type Json, startTestService, type TestService } from '../test/support/service.ts';

/** Boards have a version that only increases, a token stores its last use, and one of the tests changes a board. */
const changing = {
  accounts: ['definitions_version'],
  api_tokens: ['last_used_at'],
  kanbans: ['updated_at'],
};

describe('talkboard demo', () => {
  let service: TestService;
  let settings: Record<string, string>;
  /** What was there without a demo. */
  let before: Awaited<ReturnType<typeof dump>>;
  beforeAll(async () => {
    service = await startTestService();
    settings = settingsOf(service);
  });
  after(() => service.close());

  const demo = (...args: string[]) => runInProcess(['demo', ...args], settings);
  const demoBoards = async (): Promise<Json[]> => {
    const { body } = await service.call('GET', '/kanbans');
    return body.items.filter((kanban: Json) => kanban.name.startsWith('Demo '));
  };
  const recordsOf = async (kanbanId: string): Promise<Json[]> => {
    const { body } = await service.call('GET', `/crm/records?limit=100&kanbanId=${kanbanId}`);
    return body.items;
  };

  /**
   * The search's tombstones are not part of the demo: they only say that an id is gone, and expire within a day. Nor are
   * the counts of knowledge, which another test compares, the version of the rules, a look at conversations that have no
   * service levels any more, and the job that looks for owners who can no longer see a board, and finds none. `others`: ids of what the test has made
   * beside the demo.
   */
  const dump = async (others: readonly string[] = []) => {
    const handlers = { [sourceRemovalJobKind]: sourceRemovalHandler(service.context) };
    const jobs = startJobs({ ...service.context, handlers });
    await eventually(async () => {
      const left = 'select from jobs where kind = $1';
      return (await queryRows(service.connection, left, [sourceRemovalJobKind])).length === 0;
    });
    await jobs.stop();
    const tables = await dumpTables(service.connection, changing);
    const isOfTest = (row: string) => row.includes('release-owners') || others.some((id) => row.includes(id));
    for (const name of Object.keys(tables)) tables[name] = tables[name]!.filter((row) => !isOfTest(row));
    return { ...tables, record_deletions: [], knowledge_state: [], automation_listeners: [], sla_passes: [] };
  };

  it('fills boards with fields of every type, and records with values in each of them', async () => {
    before = await dump();
    const { code, stdout, stderr } = await demo('--password', 'for the people of the demo');
    assert.equal(code, 0, stderr);
    assert.equal(stdout, '');
    const boards = await demoBoards();
    assert.equal(boards.length, 3);
    const types = new Set(boards.flatMap((board) => board.fields.map((field: Json) => field.type)));
    assert.deepEqual([...types].sort(), [...fieldTypes].sort());
    const [{ count }] = (await queryRows<{ count: number }>(
      service.connection,
      'select count(*)::int as count from records',
    )) as [{ count: number }];
    assert.ok(count >= 380 && count <= 460, String(count));
    for (const board of boards) {
      const values = (await recordsOf(board.id)).flatMap((record) => Object.keys(record.customFields));
      assert.equal(new Set(values).size, board.fields.length, `every field of ${board.name} has values`);
    }
    assert.ok(await service.login(await emailOfOnePerson(), 'for the people of the demo'));
  });

  it('left an event for every record and every change, in order', async () => {
    const wrong = await queryRows(
      service.connection,
      `select r.id from records r where r.event_sequence <> (select count(*) from events e
         where e.account_id = r.account_id and e.subject_id = r.id::text)
       union all
       select e.id from events e join events f on f.account_id = e.account_id and f.subject_id = e.subject_id
         and f.sequence = e.sequence + 1 and (f.created_at < e.created_at or f.id < e.id)`,
    );
    assert.deepEqual(wrong, []);
    const names = await queryRows<{ event: string }>(
      service.connection,
      'select distinct event from events order by 1',
    );
    assert.deepEqual(
      names.map(({ event }) => event),
      [
        'ai_pause',
        'crm_field_update',
        'crm_record_created',
        'crm_record_deleted',
        'session_rated',
        'session_updated',
        'sla_breached',
        'sla_warning',
      ],
    );
  });

  it('has conversations as the rules would have left them', async () => {
    const count = async (text: string) =>
      (
        await queryRows<{ count: number }>(service.connection, `select count(*)::int as count from ${text}`)
      )[0]!.count;
    assert.equal(await count('sessions'), 330);
    assert.ok((await count('messages')) > 1_800);
    const wrong = await queryRows(
      service.connection,
      `select s.session_id, 'counts and times' as what from sessions s where
         s.message_count <> (select count(*) from messages m where m.session_id = s.session_id)
         or s.message_count <> (select max(position) from messages m where m.session_id = s.session_id)
         or s.last_message_at <> (select max(created_at) from messages m where m.session_id = s.session_id and not is_note)
         or s.created_at <> (select min(created_at) from messages m where m.session_id = s.session_id)
         or s.event_sequence <> (select count(*) from events e where e.subject_id = s.session_id)
       union all
       select m.session_id, 'order' from messages m join messages n on n.session_id = m.session_id
         and n.position = m.position + 1 and n.created_at < m.created_at
       union all
       select s.session_id, 'record' from sessions s
         left join session_records sr on sr.session_id = s.session_id and sr.kanban_id = s.kanban_id
         left join records r on r.id = s.record_id
         where r.id is null or sr.record_id is distinct from s.record_id or r.kanban_id <> s.kanban_id
           or r.created_at <> s.created_at
       union all
       select m.session_id, 'reply without its line in the log' from messages m
         where m.role = 'assistant' and not exists (select from reply_log l where l.reply_id = m.id
           and l.message_id = m.in_reply_to and l.outcome = case when m.held then 'held' else 'sent' end)
       union all
       select s.session_id, 'pause' from sessions s where s.ai_paused is distinct from coalesce(
         (select (e.body::json -> 'data' ->> 'aiPaused')::boolean from events e where e.subject_id = s.session_id
           and e.event = 'ai_pause' order by e.sequence desc limit 1), false)
       union all
       select e.subject_id, 'pause that reports do not know' from events e
         left join ai_pauses p on p.session_id = e.subject_id and p.sequence = e.sequence and p.at = e.created_at
           and p.paused = (e.body::json -> 'data' ->> 'aiPaused')::boolean
         where e.event = 'ai_pause' and p.session_id is null
       union all
       select s.session_id, 'status' from sessions s left join lateral (
           select c.at, c.changes -> 0 ->> 'newValue' as status from session_changes c
           where c.session_id = s.session_id and c.changes -> 0 ->> 'field' = 'status'
           order by c.sequence desc limit 1) c on true
         where s.status <> coalesce(c.status, 'open') or s.status_changed_at is distinct from c.at
           or (s.status = 'resolved' and (s.unread > 0 or s.needs_attention)) or s.status_changed_at > s.updated_at
       union all
       select e.subject_id, 'change without its history' from events e
         left join session_changes c on c.session_id = e.subject_id and c.sequence = e.sequence and c.at = e.created_at
         where e.event = 'session_updated' and c.session_id is null
       union all
       select m.session_id, 'in the future' from messages m where m.created_at > extract(epoch from now()) * 1000`,
    );
    assert.deepEqual(wrong, []);
    assert.ok((await count('sessions where needs_attention and unread > 0')) >= 5);
    assert.ok((await count("sessions where status = 'resolved'")) > 220);
    assert.ok((await count("sessions where status = 'snoozed'")) >= 3);
    assert.ok((await count("sessions where status = 'open'")) >= 15);
    assert.ok((await count("session_changes where changed_by ->> 'type' = 'customer'")) >= 5);
    assert.ok((await count('messages where is_note')) > 20);
    assert.ok((await count("messages where reactions <> '{}'")) > 20);
    assert.equal(await count('messages where held'), 1);
    assert.ok((await count('session_ratings')) >= 10);
    assert.equal(await count('sessions where contact_id is null'), 0);
    assert.ok((await count('macros where shared')) >= 2);
    // Waiting customers wrote in the last day, whichever weekday it is: on a Sunday they do not show how the weeks
    // look.
    const [span] = await queryRows<{ weeks: number; weekend: number }>(
      service.connection,
      `select count(distinct created_at / 604800000)::int as weeks,
         count(*) filter (where extract(isodow from to_timestamp(created_at / 1000.0)) > 5)::float / count(*) as weekend
       from sessions where created_at < extract(epoch from now() - interval '1 day') * 1000`,
    );
    assert.ok(span!.weeks >= 12 && span!.weekend < 0.15, JSON.stringify(span));
  });

  it('has agents with a history, whose replies know their version, and a call that waits for a person', async () => {
    const versions = await queryRows<{ name: string; versions: number; unknown: number }>(
      service.connection,
      `select a.name, a.version as versions, (select count(*)::int from reply_log l where l.agent_id = a.id
         and l.outcome <> 'suppressed' and not exists (select from agent_versions v where v.agent_id = a.id
           and v.version = l.agent_version and v.published_at <= l.created_at)) as unknown
       from agents a where a.name like '%(demo)' order by a.name`,
    );
    assert.deepEqual(versions, [
      { name: 'Bruno (demo)', versions: 3, unknown: 0 },
      { name: 'Lia (demo)', versions: 2, unknown: 0 },
    ]);
    const calls = await queryRows<{ sessionId: string }>(
      service.connection,
      'select session_id as "sessionId" from tool_calls',
    );
    const { body } = await service.call('GET', `/sessions/${calls[0]?.sessionId}/tool-calls`);
    const [{ name, state, arguments: given }] = body.items;
    assert.deepEqual([name, state], ['cancel_order', 'waiting']);
    assert.match(given.order, /^A-\d+$/);
  });

  it('has tests of its agents, which pass', async () => {
    const { items } = (await service.call('GET', '/agents')).body;
    const agents = items.filter(({ name }: Json) => name.endsWith('(demo)'));
    const handlers = { [testRunJobKind]: testRunHandler(service.context) };
    const jobs = startJobs({ ...service.context, handlers });
    for (const { id, name, version } of agents) {
      const path = `/agents/${id}/test-runs`;
      const started = await service.call('POST', path, { body: { version } });
      assert.equal(started.status, 202, started.text);
      const read = async (): Promise<Json> => (await service.call('GET', `${path}/${started.body.id}`)).body;
      await eventually(async () => (await read()).state === 'done', 20_000);
      const { counts, results } = await read();
      assert.ok(counts.total > 0 && counts.failed === 0, `${name}: ${JSON.stringify(results)}`);
    }
    await jobs.stop();
  });

  it('has a help center in three languages, whose articles are cited by replies', async () => {
    const { body: site } = await service.call('GET', '/help-center');
    assert.equal(site.enabled, true);
    for (const language of ['en', 'pt', 'es']) {
      const page = await service.call('GET', `/help/${site.slug}/${language}/`, { token: null });
      assert.equal(page.status, 200, language);
    }
    const wrong = await queryRows(
      service.connection,
      `select m.id from messages m cross join jsonb_array_elements(m.citations) c
         left join knowledge_versions v on v.document_id = (c ->> 'documentId')::uuid
           and v.version = (c ->> 'version')::int
         where v.text is null or c ->> 'excerpt' <>
           substring(v.text from (c ->> 'start')::int + 1 for (c ->> 'end')::int - (c ->> 'start')::int)`,
    );
    assert.deepEqual(wrong, []);
    const { body: documents } = await service.call('GET', '/knowledge/documents?q=prices&state=published');
    const { body: usage } = await service.call('GET', `/knowledge/documents/${documents.items[0].id}/usage`);
    assert.ok(usage.cited > 5, JSON.stringify(usage));
    const { body: found } = await service.call('POST', '/knowledge/search', {
      body: { q: 'how do I descale my machine?' },
    });
    assert.equal(found.passages[0].title, 'Cleaning and descaling');
  });

  it('has questions that its articles do not answer', async () => {
    const questions = await queryRows<{ question: string }>(
      service.connection,
      'select question from knowledge_unanswered',
    );
    assert.ok(questions.length >= 5, String(questions.length));
    assert.ok(
      questions.some(({ question }) => question === 'Delivery did not come today'),
      JSON.stringify(questions),
    );
  });

  it('gives everyone a phone number of their own', async () => {
    const shared = await queryRows(
      service.connection,
      'select external_user_id from sessions where external_user_id is not null group by 1 having count(*) > 1',
    );
    assert.deepEqual(shared, []);
    const phones: unknown[] = [];
    for (const board of await demoBoards()) {
      const field = board.fields.find((one: Json) => one.type === 'phone');
      let nextToken = '';
      do {
        const path = `/crm/records?limit=100&kanbanId=${board.id}${nextToken && `&nextToken=${nextToken}`}`;
        const { body } = await service.call('GET', path);
        phones.push(...body.items.map((one: Json) => one.customFields[field?.id]).filter(Boolean));
        nextToken = body.nextToken ?? '';
      } while (nextToken);
    }
    assert.ok(phones.length > 200, String(phones.length));
    assert.equal(new Set(phones).size, phones.length);
  });

  it('triggers nothing: no delivery, no live change except of the boards and of all messages, no reply to past messages', async () => {
    const triggered = await queryRows<{ tables: string }>(
      service.connection,
      `select 'webhook_deliveries' as tables from webhook_deliveries
       union all select 'jobs' from jobs where kind = 'ai-reply'
       union all select 'pending_replies' from pending_replies
       union all select 'notifications' from notifications
       union all select 'live ' || type from live_changes where type not in ('definitions.updated', 'messages.filled')`,
    );
    // What the test itself has changed so far, without live events.
    assert.deepEqual(triggered, []);
  });

  it('can be searched at once', async () => {
    const { body: cards } = await service.call('GET', '/crm/search?query=demo&limit=1');
    assert.ok(cards);
    const { body } = await service.call('GET', '/inbox/sessions?needsAttention=true&limit=50');
    assert.ok(body.items.length >= 5);
    assert.ok(body.items.every((session: Json) => session.lastMessage !== null));
  });

  it('is not made twice', async () => {
    const { code, stderr } = await demo();
    assert.equal(code, 1);
    assert.match(stderr, /already exists/);
  });

  it('stays while one of its boards is the default one', async () => {
    const [board] = await demoBoards();
    const original = await defaultBoard();
    await service.call('PATCH', `/kanbans/${board.id}`, { body: { isDefault: true } });
    const { code, stderr } = await demo('--remove');
    assert.equal(code, 1);
    assert.match(stderr, /make another one the default first/);
    await service.call('PATCH', `/kanbans/${original.id}`, { body: { isDefault: true } });
  });

  it('is not removed while it has a record of another user', async () => {
    const [board] = await demoBoards();
    const { body: theirs } = await service.call('POST', `/crm/records?kanbanId=${board.id}`, {
      body: { title: 'A real customer' },
    });
    const { code, stderr } = await demo('--remove');
    assert.equal(code, 1);
    assert.match(stderr, /1 record\(s\) .* created by others/);
    assert.equal((await demoBoards()).length, 3);
    await service.call('DELETE', `/crm/records/${theirs.recordId}`);
  });

  it('is removed completely, whatever was changed in it, and its people leave the records of others with an event', async () => {
    const boards = await demoBoards();
    const [record] = await recordsOf(boards[0].id);
    await service.call('PUT', `/crm/records/${record.recordId}`, { body: { title: 'Changed by hand' } });
    await service.call('DELETE', `/crm/records/${(await recordsOf(boards[1].id))[0].recordId}`);
    await service.call('PATCH', `/kanbans/${boards[2].id}`, { body: { name: 'Renamed' } });
    await service.login(await emailOfOnePerson(), 'for the people of the demo');
    const { body: users } = await service.call('GET', '/users');
    const person = users.items.find((user: Json) => user.name === 'Mei Tanaka');
    const { body: internal } = await service.call('GET', '/knowledge/documents?q=discounts');
    const [document] = internal.items;
    const { body: own } = await service.call('POST', '/knowledge/documents', {
      body: { sourceId: document.sourceId, title: 'Ours', text: 'Ours.' },
    });
    const change = (body: object) => service.call('PATCH', `/knowledge/documents/${document.id}`, { body });
    const used = async () => (await service.call('GET', '/first-run')).body.demo.used;
    const usedBefore = await used();
    assert.equal((await change({ state: 'draft' })).status, 200);
    assert.equal(await used(), usedBefore + 1);
    assert.match((await demo('--remove')).stderr, /1 article\(s\) of the demo were changed by others/);
    await queryRows(service.connection, `update knowledge_documents set updated_by = 'demo' where id = $1`, [
      document.id,
    ]);
    const { body: mine } = await service.call('POST', '/crm/records', {
      body: { title: 'Mine', assignedUserIds: [person.id, service.admin.userId] },
    });
    assert.equal((await demo('--remove')).code, 0);
    // The names of its website and of its help center stay reserved, and the test has changed which board is the default one.
    const reserved = ['(demo-website,', `,demo-${service.admin.accountId.slice(-12)})`];
    // The first steps note what they found when they were asked for.
    reserved.push('""token""');
    assert.deepEqual(await dump([mine.recordId, ...reserved, '"isDefault"', document.id, own.id]), before);
    const [left] = await queryRows(
      service.connection,
      'select documents, bytes::int from knowledge_state where account_id = $1',
      [service.admin.accountId],
    );
    assert.deepEqual(left, { documents: 1, bytes: 5 });
    const { body: kept } = await service.call('GET', `/knowledge/documents/${own.id}`);
    const { body: sources } = await service.call('GET', '/knowledge/sources');
    assert.deepEqual([kept.text, kept.sourceId], ['Ours.', sources.items[0].id]);
    const { body } = await service.call('GET', `/crm/records/${mine.recordId}`);
    assert.deepEqual(body.assignedUserIds, [service.admin.userId]);
    const events = await queryRows<{ field_id: string }>(
      service.connection,
      `select field_id from events where subject_id = $1 and event = 'crm_field_update'`,
      [mine.recordId],
    );
    assert.deepEqual(events, [{ field_id: 'assignedUserIds' }]);
    const nothing = await demo('--remove');
    assert.equal(nothing.code, 1);
    assert.match(nothing.stderr, /has no demo/);
  });

  it('is removed completely after people have used it, if forced, and conversations of others move off its boards', async () => {
    await service.call('POST', '/webhooks', {
      body: { url: 'https://hooks.example.com/', events: ['ai_pause', 'crm_field_update', 'note_created'] },
    });
    before = await dump();
    assert.equal((await demo()).code, 0);
    const { body } = await service.call('GET', '/sessions?needsAttention=true&limit=5');
    const [talk, other, noted, fourth] = body.items;
    const [board] = await demoBoards();
    const { body: sent } = await service.call('POST', '/messages', {
      body: { content: 'Mine', fromChannelIdentifier: 'api', kanbanId: board.id },
    });
    await service.call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title: 'A real customer' } });
    const say = (session: Json, message: object) =>
      service.call('POST', `/channels/${session.channelId}/sessions/${session.sessionId}/agent-messages`, {
        body: message,
      });
    const merge = (one: Json, another: Json) =>
      service.call('POST', `/contacts/${one.contactId}/merge`, { body: { contactId: another.contactId } });
    const merged = await merge(talk, other);
    assert.equal(merged.status, 200, merged.text);
    // Two of them are one person, and another two were for a moment.
    const undone = await merge(noted, fourth);
    assert.equal((await service.call('POST', `/contacts/merges/${undone.body.mergeId}/undo`)).status, 200);
    assert.equal((await say(talk, { content: 'I am here' })).status, 201);
    assert.equal((await say(noted, { content: 'For us', isNote: true })).status, 201);
    await service.call('PATCH', `/sessions/${talk.sessionId}/ai-paused`, { body: { aiPaused: false } });
    const own = await defaultBoard();
    const moved = await service.call('POST', `/sessions/${other.sessionId}/transfer`, {
      body: { kanbanId: own.id },
    });
    assert.equal(moved.status, 200, moved.text);
    const { body: away } = await service.call('GET', `/sessions/${other.sessionId}`);
    const status = own.statuses[1].value;
    await service.call('PUT', `/crm/records/${away.recordId}`, { body: { status } });
    await service.call('POST', '/messages', {
      body: { content: 'A new customer', fromChannelIdentifier: 'demo-whatsapp', channelType: 'chatapp' },
    });
    const refused = await demo('--remove');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /created by others|added to the demo/);
    assert.equal((await demo('--remove', '--force')).code, 0);
    const { body: session } = await service.call('GET', `/sessions/${sent.sessionId}`);
    assert.equal(session.kanbanId, own.id);
    assert.equal(session.recordId, null);
    assert.deepEqual(await dump([sent.sessionId]), before);
  });

  async function defaultBoard(): Promise<Json> {
    const { body } = await service.call('GET', '/kanbans');
    return body.items.find((kanban: Json) => kanban.isDefault);
  }

  async function emailOfOnePerson(): Promise<string> {
    const { body } = await service.call('GET', '/users');
    return body.items.find((user: Json) => user.name === 'Ana Ribeiro').email;
  }
});
