import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../../test/support/api-samples.ts';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { createField } from '../../../../test/support/crm.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { noteBackup } from '../../../platform/db/backups.ts';
import { sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';
import { type JobHandler, startJobs, wakeWorkers } from '../../../platform/jobs/jobs.ts';
import { type ErasureDeps, erasureHandler } from './erasures.jobs.ts';
import { findErasure } from './erasures.sql.ts';
import { erasureJobKind } from './erasures.ts';

let number = 5_511_930_000_000;

describe('erasing a contact', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let files: Awaited<ReturnType<typeof filesOf>>;
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    files = await filesOf(service);
  });
  after(() => service.close());

  const person = async () => {
    const externalUserId = String(++number);
    const sessionId = unique('s');
    await talk.accepted({ sessionId, externalUserId, sessionName: unique('Ada') });
    const { contactId, recordId } = await talk.session(sessionId);
    return { externalUserId, sessionId, contactId, recordId };
  };
  const savedPerson = async (erasureId: string) =>
    (await findErasure(service.context.db, service.admin.accountId, erasureId))!.person;
  const expedite = async () => {
    await service.context.db.autocommit(
      sql`update jobs set run_at = now() where kind = ${erasureJobKind} and lease_token is null`,
    );
    wakeWorkers(service.context.db, erasureJobKind);
  };
  /** Runs the job until the erasure has ended; `isHasty`: without the pauses between attempts. */
  const run = async (
    erasureId: string,
    change: Partial<ErasureDeps> = {},
    isHasty = false,
  ): Promise<Json> => {
    const { db, logger } = service.context;
    const { accountId } = service.admin;
    const handler: JobHandler = erasureHandler({ ...service.context, ...change });
    const jobs = startJobs({ db, logger, handlers: { [erasureJobKind]: handler } });
    try {
      // Not by the API, which has a limit of requests per minute.
      await eventually(async () => {
        if (isHasty) await expedite();
        return (await findErasure(db, accountId, erasureId))?.state !== 'running';
      }, 60_000);
    } finally {
      await jobs.stop();
    }
    return talk.expect(200, call('GET', `/erasures/${erasureId}`));
  };

  it('202 with the id of the erasure, the same for a second request; then the counts, and 404', async () => {
    await service.context.db.transaction((tx) => noteBackup(tx, 'monday.backup.gz', 1_000));
    const { contactId, sessionId, recordId } = await person();
    const accepted = await talk.expect(202, call('DELETE', `/contacts/${contactId}`));
    assert.deepEqual(accepted.backups, [{ name: 'monday.backup.gz', createdAt: 1_000 }]);
    assert.deepEqual(await talk.expect(202, call('DELETE', `/contacts/${contactId}`)), accepted);
    const { state, removed, backups } = await run(accepted.erasureId);
    assert.equal(state, 'done');
    assert.deepEqual(backups, accepted.backups);
    assert.deepEqual(
      [removed.contacts, removed.conversations, removed.messages, removed.records],
      [1, 1, 1, 1],
    );
    for (const path of [`/contacts/${contactId}`, `/sessions/${sessionId}`, `/crm/records/${recordId}`]) {
      await talk.expect(404, call('GET', path));
    }
    await talk.expect(404, call('DELETE', `/contacts/${contactId}`));
    const { items } = await talk.expect(200, call('GET', '/audit-log'));
    const entries = items.filter((one: Json) => one.target.id === contactId);
    assert.deepEqual(
      entries.map((one: Json) => one.action),
      ['contact.erased', 'contact.erasure_requested'],
    );
  });

  it('leaves the records with records=keep, and other people', async () => {
    const [one, other] = [await person(), await person()];
    const path = `/contacts/${one.contactId}?records=keep`;
    const [{ erasureId }, second] = await Promise.all(
      [path, path].map((same) => talk.expect(202, call('DELETE', same))),
    );
    assert.equal(second.erasureId, erasureId);
    // What is running would erase less than this asks for.
    const refused = await talk.expect(409, call('DELETE', `/contacts/${one.contactId}`));
    assert.match(refused.message, /requested with records=keep/);
    assert.equal((await run(erasureId)).removed.records, undefined);
    await talk.expect(200, call('GET', `/crm/records/${one.recordId}`));
    await talk.expect(404, call('GET', `/sessions/${one.sessionId}`));
    for (const path of [`/contacts/${other.contactId}`, `/sessions/${other.sessionId}`]) {
      await talk.expect(200, call('GET', path));
    }
  });

  it('clears the person in the cards that stay, with their events, and nothing else', async () => {
    const { db } = service.context;
    const hook = { url: 'https://example.com/kept', events: ['crm_field_update'] };
    await talk.expect(201, call('POST', '/webhooks', { body: hook }));
    const [one, other] = [await person(), await person()];
    const board = (await talk.expect(200, call('GET', '/kanbans'))).items[0];
    const [phone, email] = ['Phone', 'E-mail'].map(
      (name) => board.fields.find((field: Json) => field.name === name).id,
    );
    const remark = (await createField(service, board.id, 'text', { name: unique('Remark') })).fieldId;
    const extra = (await createField(service, board.id, 'number', { name: unique('Second phone') })).fieldId;
    const change = (id: string, customFields: object) =>
      talk.expect(200, call('PUT', `/crm/records/${id}`, { body: { customFields } }));
    const typed = `${unique('typed').toLowerCase().replace(/\W/g, '')}@example.com`;
    const digits = one.externalUserId;
    const written = `+${digits.slice(0, 2)} (${digits.slice(2, 4)}) ${digits.slice(4)}`;
    await change(one.recordId, { [phone]: written, [remark]: 'Prefers mornings' });
    await change(one.recordId, { [email]: typed, [extra]: Number(digits) });
    await db.autocommit(sql`
      update records set unverified_fields = array[${email}::uuid] where id = ${one.recordId}`);
    // Without a conversation: found by its number, under another title.
    const lead = await talk.expect(
      201,
      call('POST', '/crm/records', {
        body: { kanbanId: board.id, title: 'Wholesale', customFields: { [phone]: written, [remark]: 'Big' } },
      }),
    );
    const theirs = await talk.expect(200, call('GET', `/crm/records/${other.recordId}`));
    const name = (await talk.expect(200, call('GET', `/crm/records/${one.recordId}`))).title;
    const eventsWith = (text: string) => talk.count(sql`events where strpos(body, ${text}) > 0`);
    const texts = [name, typed, written, digits];
    for (const text of texts) assert.ok((await eventsWith(text)) > 0, text);

    const { erasureId } = await talk.expect(202, call('DELETE', `/contacts/${one.contactId}?records=keep`));
    const { state, removed } = await run(erasureId, {}, true);
    assert.deepEqual([state, removed.records, removed.clearedRecords], ['done', undefined, 2]);

    const card = await talk.expect(200, call('GET', `/crm/records/${one.recordId}`));
    assert.deepEqual([card.title, card.customFields], ['erased', { [remark]: 'Prefers mornings' }]);
    assert.equal(card.unverifiedFieldIds, undefined);
    const left = await talk.expect(200, call('GET', `/crm/records/${lead.recordId}`));
    assert.deepEqual([left.title, left.customFields], ['Wholesale', { [remark]: 'Big' }]);
    for (const text of texts) {
      assert.equal(await eventsWith(text), 0, text);
      assert.equal(await talk.count(sql`records where strpos(records::text, ${text}) > 0`), 0, text);
    }
    assert.equal(
      await talk.count(sql`webhook_deliveries d left join events e on e.id = d.event_id where e.id is null`),
      0,
    );
    assert.deepEqual(await talk.expect(200, call('GET', `/crm/records/${other.recordId}`)), theirs);
    assert.ok((await eventsWith(other.externalUserId)) > 0);
    // A look-up by the number finds nothing any more.
    const query = new URLSearchParams({ customFieldId: phone, customFieldValue: written });
    assert.deepEqual((await talk.expect(200, call('GET', `/crm/search?${query}`))).items, []);
  });

  it('leaves a record that was there before it was linked to the conversation', async () => {
    const channel = await talk.channel({ type: 'sms', webhookUrl: 'https://example.com/hook' });
    const { clock } = service.context;
    const record = await talk.expect(201, call('POST', '/crm/records', { body: { title: unique('Deal') } }));
    const madeAt = clock.now();
    await eventually(() => clock.now() > madeAt);
    const begin = async (body: object) => {
      const path = `/channels/${channel.id}/sessions`;
      const externalUserId = String(++number);
      const started = call('POST', path, { body: { content: 'Hello', externalUserId, ...body } });
      return talk.session((await talk.expect(201, started)).sessionId);
    };
    const [linked, made] = [await begin({ recordId: record.recordId }), await begin({})];
    for (const { contactId } of [linked, made]) {
      const { erasureId } = await talk.expect(202, call('DELETE', `/contacts/${contactId}`));
      assert.equal((await run(erasureId, {}, true)).state, 'done');
    }
    await talk.expect(200, call('GET', `/crm/records/${linked.recordId}`));
    await talk.expect(404, call('GET', `/crm/records/${made.recordId}`));
  });

  it('removes records that carry the phone number without a conversation, with their events', async () => {
    const one = await person();
    const board = (await talk.expect(200, call('GET', '/kanbans'))).items[0];
    const phone = board.fields.find((field: Json) => field.name === 'Phone').id;
    const create = async (text: string): Promise<string> => {
      const body = { kanbanId: board.id, title: unique('Lead'), customFields: { [phone]: text } };
      return (await talk.expect(201, call('POST', '/crm/records', { body }))).recordId;
    };
    const carrying = await create(`+${one.externalUserId}`);
    const other = await create(`+${++number}`);
    // A conversation of somebody else has it: it is not this person's alone.
    const shared = await create(`00${one.externalUserId}`);
    const theirs = await person();
    await service.context.db.autocommit(sql`
      update session_records set record_id = ${shared} where session_id = ${theirs.sessionId}`);
    const { erasureId } = await talk.expect(202, call('DELETE', `/contacts/${one.contactId}`));
    assert.equal((await run(erasureId, {}, true)).removed.records, 2);
    await talk.expect(404, call('GET', `/crm/records/${carrying}`));
    assert.equal(await talk.count(sql`events where subject_id = ${carrying}`), 0);
    for (const id of [other, shared]) await talk.expect(200, call('GET', `/crm/records/${id}`));
  });

  it('goes on after an attempt that failed in the middle', async () => {
    const { contactId, sessionId } = await person();
    const { erasureId } = await talk.expect(202, call('DELETE', `/contacts/${contactId}`));
    let failures = 0;
    // The contact is the last part: everything else is gone when it fails.
    const clock = {
      ...service.context.clock,
      now: () => {
        if (++failures <= 1) throw new Error('killed');
        return service.context.clock.now();
      },
    };
    const { state, removed } = await run(erasureId, { clock });
    assert.equal(state, 'done');
    assert.ok(failures > 1);
    assert.deepEqual([removed.contacts, removed.conversations, removed.messages], [1, 1, 1]);
    await talk.expect(404, call('GET', `/sessions/${sessionId}`));
    assert.equal(await savedPerson(erasureId), null);
  });

  it('fails after ten attempts without progress; a second request continues it', async () => {
    const { contactId, sessionId, recordId } = await person();
    const refs = [await files.upload('text/plain', Buffer.from('a file that stays'), 'note.txt')];
    await talk.accepted({ sessionId, content: 'With a file', attachments: refs });
    const { erasureId } = await talk.expect(202, call('DELETE', `/contacts/${contactId}`));
    let attempts = 0;
    const blobs: ErasureDeps['blobs'] = Object.create(service.context.blobs, {
      delete: {
        value: async () => {
          attempts++;
          throw new Error('the file store is away');
        },
      },
    });
    const { state, removed } = await run(erasureId, { blobs }, true);
    assert.equal(state, 'failed');
    // The first one has removed the conversation.
    assert.deepEqual([attempts, removed.conversations, removed.contacts], [10, 1, undefined]);
    const again = await talk.expect(202, call('DELETE', `/contacts/${contactId}`));
    assert.equal(again.erasureId, erasureId);
    const ended = await run(erasureId);
    assert.deepEqual([ended.state, ended.removed.records, ended.removed.contacts], ['done', 1, 1]);
    // Known only by the conversation that the first request has removed.
    await talk.expect(404, call('GET', `/crm/records/${recordId}`));
    assert.equal(await savedPerson(erasureId), null);
  });

  it('continues a failed one whose contact is gone', async () => {
    const { contactId } = await person();
    const { erasureId } = await talk.expect(202, call('DELETE', `/contacts/${contactId}`));
    let calls = 0;
    // The contact's end asks it first, then each of the other nine attempts, and at last the failure.
    const clock = {
      ...service.context.clock,
      now: () => {
        if (++calls > 1 && calls <= 10) throw new Error('killed');
        return service.context.clock.now();
      },
    };
    assert.equal((await run(erasureId, { clock }, true)).state, 'failed');
    await talk.expect(404, call('GET', `/contacts/${contactId}`));
    const again = await talk.expect(202, call('DELETE', `/contacts/${contactId}`));
    assert.equal(again.erasureId, erasureId);
    assert.equal((await run(erasureId)).state, 'done');
    await talk.expect(404, call('DELETE', `/contacts/${contactId}`));
  });

  it('includes contacts that were merged into it', async () => {
    const [one, other] = [await person(), await person()];
    const { mergeId } = await talk.expect(
      200,
      call('POST', `/contacts/${one.contactId}/merge`, { body: { contactId: other.contactId } }),
    );
    const { erasureId } = await talk.expect(202, call('DELETE', `/contacts/${one.contactId}`));
    const third = await person();
    const mergeOf = (id: string, contactId: string) =>
      call('POST', `/contacts/${id}/merge`, { body: { contactId } });
    // Who is being erased must not become a part of somebody else.
    for (const answer of [
      await mergeOf(third.contactId, one.contactId),
      await mergeOf(one.contactId, third.contactId),
      await call('POST', `/contacts/merges/${mergeId}/undo`),
      await call('PATCH', `/contacts/${one.contactId}`, { body: { name: 'Bea' } }),
    ]) {
      assert.deepEqual([answer.status, answer.body.message], [409, 'the contact is being erased']);
    }
    const { removed } = await run(erasureId);
    assert.deepEqual([removed.contacts, removed.conversations], [2, 2]);
    await talk.expect(200, call('GET', `/contacts/${third.contactId}`));
    await talk.expect(404, call('POST', `/contacts/merges/${mergeId}/undo`));
  });

  it('deletes one conversation: its contact, its record and the other conversation stay', async () => {
    const { contactId, sessionId, recordId, externalUserId } = await person();
    const other = unique('s');
    await talk.accepted({ sessionId: other, externalUserId });
    const accepted = await talk.expect(202, call('DELETE', `/sessions/${sessionId}`));
    assert.deepEqual(await talk.expect(202, call('DELETE', `/sessions/${sessionId}`)), accepted);
    const { state, removed } = await run(accepted.erasureId);
    assert.deepEqual([state, removed.conversations, removed.messages], ['done', 1, 1]);
    await talk.expect(404, call('GET', `/sessions/${sessionId}`));
    await talk.expect(404, call('DELETE', `/sessions/${sessionId}`));
    await talk.expect(200, call('GET', `/sessions/${other}`));
    await talk.expect(200, call('GET', `/crm/records/${recordId}`));
    assert.equal((await talk.expect(200, call('GET', `/contacts/${contactId}`))).sessionCount, 1);
  });

  it('leaves a new conversation that has got the id of the deleted one', async () => {
    const { sessionId, externalUserId } = await person();
    const refs = [await files.upload('text/plain', Buffer.from('an old file'), 'old.txt')];
    await talk.accepted({ sessionId, content: 'Old', attachments: refs });
    const { db, clock } = service.context;
    const kept = async () => {
      const rows = await db.query<{ id: string }>(sql`
        select id from events where subject_id = ${sessionId}
        union all select id from jobs where payload ->> 'sessionId' = ${sessionId}
        union all select id from notifications where subject_id = ${sessionId} order by id`);
      return rows.map(({ id }) => id);
    };
    const { erasureId } = await talk.expect(202, call('DELETE', `/sessions/${sessionId}`));
    let fresh: string[] | null = null;
    // The first file is removed after the conversation.
    const remove = async () => {
      if (fresh) return;
      const goneAt = (await savedPerson(erasureId))!.gone![sessionId]!;
      await eventually(() => clock.now() > goneAt);
      await talk.accepted({ sessionId, externalUserId, content: 'New' });
      fresh = await kept();
      throw new Error('killed');
    };
    const blobs: ErasureDeps['blobs'] = Object.create(service.context.blobs, { delete: { value: remove } });
    const { state, removed } = await run(erasureId, { blobs }, true);
    assert.deepEqual([state, removed.conversations, removed.messages], ['done', 1, 2]);
    assert.deepEqual(
      (await talk.messages(sessionId)).map(({ content }) => content),
      ['New'],
    );
    assert.ok(fresh!.length > 0);
    assert.deepEqual(await kept(), fresh);
  });

  it('exports a person as one archive, and audits it', async () => {
    const { contactId, sessionId, recordId } = await person();
    const fieldId = newId();
    await service.context.db.autocommit(
      sql`update records set unverified_fields = array[${fieldId}::uuid] where id = ${recordId}`,
    );
    const bytes = Buffer.from('the file of the person');
    const refs = [await files.upload('text/plain', bytes, 'note.txt')];
    await talk.accepted({ sessionId, content: 'With a file', attachments: refs });
    const answer = await files.fetchFile(`/contacts/${contactId}/export`, {
      authorization: `Bearer ${service.token}`,
    });
    assert.equal(answer.status, 200);
    const folder = mkdtempSync(join(tmpdir(), 'talkboard-export-'));
    try {
      execFileSync('tar', ['-xzf', '-', '-C', folder], { input: answer.bytes });
      const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
      assert.equal(read('contact.json').id, contactId);
      const { id, unverifiedFieldIds } = read('records/1.json');
      assert.deepEqual([id, unverifiedFieldIds], [recordId, [fieldId]]);
      const conversation = read('conversations/1/conversation.json');
      assert.deepEqual([conversation.sessionId, conversation.serviceLevels], [sessionId, []]);
      const contents = read('conversations/1/messages-00001.json').map((one: Json) => one.content);
      assert.deepEqual(contents, ['Hello', 'With a file']);
      assert.deepEqual(readFileSync(join(folder, 'files', refs[0]!.fileKey)), bytes);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const { items } = await talk.expect(200, call('GET', '/audit-log?limit=1'));
    assert.deepEqual([items[0].action, items[0].target.id], ['contact.exported', contactId]);
    await talk.expect(404, call('GET', `/contacts/${absentId}/export`));
  });

  it('404 for what is absent or of another account, 400 for an unknown value of records', async () => {
    const { contactId } = await person();
    const { token } = await service.createAccount();
    const { erasureId } = await talk.expect(202, call('DELETE', `/contacts/${contactId}`));
    for (const [method, path] of [
      ['DELETE', `/contacts/${contactId}`],
      ['GET', `/erasures/${erasureId}`],
    ] as const) {
      await talk.expect(404, call(method, path, { token }));
    }
    for (const id of [absentId, 'x']) {
      await talk.expect(404, call('DELETE', `/contacts/${id}`));
      await talk.expect(404, call('GET', `/erasures/${id}`));
    }
    const wrong = await talk.expect(400, call('DELETE', `/contacts/${contactId}?records=some`));
    assert.match(wrong.message, /^records /);
    assert.equal((await run(erasureId)).state, 'done');
  });
});
