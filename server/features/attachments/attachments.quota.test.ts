/** The storage quota of an account and the free space of the disk, under real and concurrent uploads. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { filesOf } from '../../../test/support/files.ts';
import { png } from '../../../test/support/sample-files.ts';
import {
  type Answer,
  joinTestService,
  startTestService,
  type TestService,
} from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { pruneFiles, storeConverted } from './attachments.ts';

const gibibyte = 1024 ** 3;

describe('the storage of an account', () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let account: { accountId: string; token: string };
  before(async () => {
    service = await joinTestService({ worker: true });
    files = await filesOf(service);
    account = await service.createAccount();
  });
  after(() => service.close());

  const own = async () => (await service.call('GET', '/account', { token: account.token })).body;
  const used = async (): Promise<number> => (await own()).usage.storageBytes;
  const allow = (storageBytes: number) =>
    service.call('PATCH', `/admin/accounts/${account.accountId}`, {
      token: service.admin.jwt,
      body: { limits: { storageBytes } },
    });
  const announce = (size: number) =>
    files.announce({ contentType: 'text/plain', size }, { token: account.token });
  const isRefused = ({ status, body }: Answer) =>
    assert.deepEqual([status, body.code], [413, 'STORAGE_QUOTA'], JSON.stringify(body));
  /** What the counter must be, added up from the rows. */
  const sum = async (): Promise<number> => {
    const [row] = await service.context.db.query<{ bytes: number }>(sql`
      select (select coalesce(sum(size + coalesce(thumbnail_size, 0)), 0) from attachments
          where account_id = ${account.accountId})::bigint
        + (select coalesce(sum(file_bytes), 0) from imports where account_id = ${account.accountId})::bigint as bytes`);
    return row!.bytes;
  };

  it('GET /account has 20 GiB and 20,000 AI replies a day by default, and nothing used', async () => {
    const { limits, usage } = await own();
    assert.deepEqual([limits.storageBytes, limits.aiRepliesPerDay], [20 * gibibyte, 20_000]);
    assert.deepEqual(usage, { storageBytes: 0, aiRepliesToday: 0 });
  });

  it('PATCH /admin/accounts merges the new limits; each is at least 1', async () => {
    const { status, body } = await allow(3 * gibibyte);
    assert.equal(status, 200);
    assert.deepEqual([body.limits.storageBytes, body.limits.aiRepliesPerDay], [3 * gibibyte, 20_000]);
    assert.equal((await own()).limits.storageBytes, 3 * gibibyte);
    const { items } = (await service.call('GET', '/admin/accounts', { token: service.admin.jwt })).body;
    const listed = items.find(({ id }: { id: string }) => id === account.accountId);
    assert.equal(listed.limits.storageBytes, 3 * gibibyte);
    for (const limits of [{ storageBytes: 0 }, { aiRepliesPerDay: 0 }, { storageBytes: 1.5 }]) {
      const answer = await service.call('PATCH', `/admin/accounts/${account.accountId}`, {
        token: service.admin.jwt,
        body: { limits },
      });
      assert.equal(answer.status, 400, answer.text);
    }
  });

  it('413 beyond storageBytes, counted when the upload is announced', async () => {
    const before = await used();
    await allow(before + 100);
    assert.equal((await announce(60)).status, 200);
    assert.equal(await used(), before + 60);
    isRefused(await announce(41));
    assert.equal((await announce(40)).status, 200);
    isRefused(await announce(1));
    assert.equal(await used(), before + 100);
  });

  it('50 announcements at once do not pass the quota by a byte', async () => {
    const before = await used();
    await allow(before + 1_000);
    const answers = await Promise.all(Array.from({ length: 50 }, () => announce(90)));
    const accepted = answers.filter(({ status }) => status === 200).length;
    assert.equal(accepted, 11);
    for (const answer of answers) if (answer.status !== 200) isRefused(answer);
    assert.equal(await used(), before + 990);
    assert.equal(await used(), await sum());
  });

  it('what was never uploaded is given back after an hour, unused files after a day', async () => {
    await allow(gibibyte);
    const kept = await files.upload('text/plain', Buffer.from('hello'), 'f', { token: account.token });
    const age = (hours: number) =>
      service.context.db.transaction((tx) =>
        tx.query(sql`
          update attachments set created_at = ${service.context.clock.now() - hours * 3_600_000}
          where account_id = ${account.accountId}`),
      );
    await age(0.9);
    await pruneFiles(service.context);
    assert.ok((await used()) > 5);
    await age(1.1);
    await pruneFiles(service.context);
    assert.equal(await used(), 5, 'announced files that nobody uploaded count no more');
    await age(24.1);
    await pruneFiles(service.context);
    assert.equal(await used(), 0, kept.fileKey);
  });

  it('converted audio counts, also where it passes the quota: the message it belongs to was accepted', async () => {
    const voice = await files.upload('text/plain', Buffer.from('hello'), 'f', { token: account.token });
    const before = await used();
    await allow(before);
    const chunks = (async function* () {
      yield Buffer.from('converted');
    })();
    const made = { chunks, maxBytes: 100, fileName: 'f.ogg', contentType: 'audio/ogg; codecs=opus' };
    await storeConverted(service.context, account.accountId, voice.fileKey, made);
    assert.equal(await used(), before + 'converted'.length);
    isRefused(await announce(1));
    await allow(gibibyte);
  });

  it('thumbnails and import files count too', async () => {
    const picture = png(600, 400);
    const empty = await used();
    await files.upload('image/png', picture, 'p', { token: account.token });
    await eventually(async () => (await used()) > empty + picture.length);
    const before = await used();
    assert.equal(before, await sum());
    const { items } = (await service.call('GET', '/kanbans', { token: account.token })).body;
    const csv = 'title\nAda\n';
    const imported = await service.call('POST', `/crm/imports?kanbanId=${items[0].id}`, {
      token: account.token,
      headers: { 'content-type': 'text/csv' },
      body: csv,
    });
    assert.equal(imported.status, 201, imported.text);
    assert.equal(await used(), before + csv.length);
    await allow(before + csv.length);
    isRefused(
      await service.call('POST', `/crm/imports?kanbanId=${items[0].id}`, {
        token: account.token,
        headers: { 'content-type': 'text/csv' },
        body: csv,
      }),
    );
    await service.call('DELETE', `/crm/imports/${imported.body.id}`, { token: account.token });
    assert.equal(await used(), before);
  });
});

describe('the disk', () => {
  let service: TestService;
  let talk: Conversations;
  before(async () => {
    service = await startTestService({ env: { MIN_FREE_DISK_MB: '1000000000' } });
    talk = conversationsOf(service);
  });
  after(() => service.close());

  it('507 DISK_FULL for uploads below MIN_FREE_DISK_MB, while everything else works', async () => {
    const visitor = (
      await talk.expect(
        200,
        service.call('POST', '/widget/sessions', { token: null, body: { channel: 'web' } }),
      )
    ).token;
    const said = { clientId: 'first-message', content: 'Hello' };
    await talk.expect(202, service.call('POST', '/widget/messages', { token: visitor, body: said }));
    const { items } = (await service.call('GET', '/kanbans')).body;
    const file = { fileName: 'f', contentType: 'text/plain', size: 5 };
    const answers = [
      await service.call('POST', '/messages/upload', { body: file }),
      await service.call('POST', '/widget/uploads', {
        token: visitor,
        headers: { 'content-type': 'text/plain', 'content-length': '5', 'x-file-name': 'f' },
        body: 'hello',
      }),
      await service.call('POST', `/crm/imports?kanbanId=${items[0].id}`, {
        headers: { 'content-type': 'text/csv' },
        body: 'title\nAda\n',
      }),
    ];
    for (const { status, body, headers } of answers) {
      assert.deepEqual([status, body.code], [507, 'DISK_FULL'], JSON.stringify(body));
      assert.ok(Number(headers['retry-after']) > 0);
    }
    assert.equal((await talk.send()).status, 202);
    assert.equal((await service.call('POST', '/crm/records', { body: { title: 'Ada' } })).status, 201);
    assert.equal((await service.call('GET', '/account')).body.usage.storageBytes, 0);
  });

  it('507 for the PUT when the space went away after the announcement', async () => {
    const { config } = service.context;
    const floor = config.minFreeDiskMb;
    config.minFreeDiskMb = 0;
    const files = await filesOf(service);
    const { body } = await files.announce({ contentType: 'text/plain', size: 5 });
    config.minFreeDiskMb = floor;
    const put = () => files.put(body.uploadUrl, Buffer.from('hello'), { 'content-type': 'text/plain' });
    const refused = await put();
    assert.deepEqual([refused.status, refused.body.code], [507, 'DISK_FULL']);
    config.minFreeDiskMb = 0;
    assert.equal((await put()).status, 200);
  });
});
