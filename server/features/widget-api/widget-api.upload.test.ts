/** Strangers try to fill the disk through the widget, over real HTTP. */

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { addressOf } from '../../../test/support/address.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Fetched } from '../../../test/support/files.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { visitorsOf } from '../../../test/support/visitors.ts';
import { sql } from '../../platform/db/sql.ts';
import { pruneUploadUsage } from './widget-api.ts';

const megabyte = 1024 * 1024;
const text = (bytes: number) => ({ bytes: Buffer.alloc(bytes, 'x') });

describe('uploads of visitors', () => {
  let service: TestService;
  let talk: Conversations;
  let base: string;
  let visitors: ReturnType<typeof visitorsOf>;
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    base = await addressOf(service.app);
    visitors = visitorsOf(base);
  });
  after(() => service.close());

  const isRefused = ({ status, body }: Fetched, named: RegExp) => {
    assert.deepEqual([status, body.code], [413, 'STORAGE_QUOTA'], JSON.stringify(body));
    assert.match(body.message, named);
  };
  const used = async (): Promise<number> => (await service.call('GET', '/account')).body.usage.storageBytes;
  const query = <T>(statement: ReturnType<typeof sql>) =>
    service.context.db.transaction((tx) => tx.query<T>(statement));

  it('403 before the first message, also for a stranger who never writes', async () => {
    const channel = await talk.channel({ type: 'web' });
    const token = await visitors.visit(channel.id);
    const refused = await visitors.upload(token, text(10));
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
    assert.equal(refused.body.message, 'send a message before you upload a file');
    await visitors.say(token);
    assert.equal((await visitors.upload(token, text(10))).status, 201);
  });

  it('a blocked customer cannot tell the block from the answers to their uploads', async () => {
    const channel = await talk.channel({ type: 'web' });
    const path = `/channels/${channel.id}/widget/rotate-secret`;
    const { identitySecret } = await talk.expect(200, service.call('POST', path));
    const id = `${unique('blocked')}@example.com`;
    const block = { body: { identifierType: 'web' } };
    await talk.expect(201, service.call('POST', `/blocked-contacts/${id}`, block));
    const user = JSON.stringify({ id });
    const signature = createHmac('sha256', identitySecret).update(user).digest('hex');
    const token = await visitors.visit(channel.id, { user, signature });
    assert.equal((await visitors.say(token)).status, 202);
    assert.equal((await visitors.upload(token, text(10))).status, 201);
    const { items } = await talk.expect(200, service.call('GET', '/blocked-contacts'));
    assert.equal(items.find((one: Json) => one.identifierValue === id).droppedCount, 1);
  });

  it('413 for a file over 10 MB; 10 MB are taken', async () => {
    const channel = await talk.channel({ type: 'web' });
    const token = await visitors.guest(channel.id);
    isRefused(await visitors.upload(token, text(10 * megabyte + 1)), /at most 10 MB/);
    assert.equal((await visitors.upload(token, text(10 * megabyte))).status, 201);
  });

  it('413 beyond 50 MB a day, also for 16 uploads at once; another visitor goes on', async () => {
    const channel = await talk.channel({ type: 'web' });
    const token = await visitors.guest(channel.id);
    const before = await used();
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => visitors.upload(token, text(4 * megabyte))),
    );
    const accepted = answers.filter(({ status }) => status === 201).length;
    assert.equal(accepted, 12);
    for (const answer of answers) if (answer.status !== 201) isRefused(answer, /at most 50 MB a day/);
    assert.equal(await used(), before + 48 * megabyte);
    isRefused(await visitors.upload(token, text(2 * megabyte + 1)), /at most 50 MB a day/);
    assert.equal((await visitors.upload(token, text(2 * megabyte))).status, 201);
    assert.equal((await visitors.upload(await visitors.guest(channel.id), text(10))).status, 201);
  });

  it('413 beyond 1 GB a day of a channel; another channel and the next day go on', async () => {
    const [full, free] = [await talk.channel({ type: 'web' }), await talk.channel({ type: 'web' })];
    const token = await visitors.guest(full.id);
    assert.equal((await visitors.upload(token, text(10))).status, 201);
    const ofChannel = sql`subject = ${`channel/${full.id}`}`;
    await query(sql`update widget_upload_usage set bytes = ${1024 * megabyte - 5} where ${ofChannel}`);
    isRefused(await visitors.upload(token, text(6)), /channel upload at most 1024 MB a day/);
    assert.equal((await visitors.upload(token, text(5))).status, 201);
    isRefused(await visitors.upload(await visitors.guest(full.id), text(1)), /1024 MB/);
    assert.equal((await visitors.upload(await visitors.guest(free.id), text(6))).status, 201);
    await query(sql`update widget_upload_usage set day = day - 1`);
    assert.equal((await visitors.upload(token, text(6))).status, 201);
  });

  it('413 beyond the storage of the account', async () => {
    const { accountId, token: owner } = await service.createAccount();
    const { items } = (await service.call('GET', '/channels', { token: owner })).body;
    const channel = items.find(({ type }: { type: string }) => type === 'web');
    const limits = { storageBytes: 100 };
    const path = `/admin/accounts/${accountId}`;
    await service.call('PATCH', path, { token: service.admin.jwt, body: { limits } });
    const token = await visitors.guest(channel.id);
    assert.equal((await visitors.upload(token, text(90))).status, 201);
    isRefused(await visitors.upload(token, text(11)), /account has no storage left/);
  });

  it('a refused or broken upload gives everything back', async () => {
    const channel = await talk.channel({ type: 'web' });
    const token = await visitors.guest(channel.id);
    const before = await used();
    for (let index = 0; index < 6; index++) {
      const html = { bytes: Buffer.alloc(9 * megabyte, 0), contentType: 'text/plain' };
      assert.equal((await visitors.upload(token, html)).status, 400, 'text with NUL');
    }
    const cut = request(`${base}/widget/uploads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'text/plain',
        'content-length': String(megabyte),
        'x-file-name': 'f',
      },
    });
    cut.on('error', () => {});
    cut.write(Buffer.alloc(1_000, 'x'));
    await eventually(async () => (await used()) === before + megabyte);
    cut.destroy();
    await eventually(async () => (await used()) === before);
    assert.equal((await visitors.upload(token, text(10 * megabyte))).status, 201);
    const [row] = await query<{ bytes: number }>(
      sql`select bytes from widget_upload_usage where subject = ${`channel/${channel.id}`}`,
    );
    assert.equal(row!.bytes, 10 * megabyte);
  });

  it('counters of days that are over are removed', async () => {
    const channel = await talk.channel({ type: 'web' });
    await visitors.upload(await visitors.guest(channel.id), text(10));
    const days = async () =>
      (await query<{ subject: string }>(sql`select subject from widget_upload_usage`)).length;
    await pruneUploadUsage(service.context.db, service.context.clock.now());
    assert.ok((await days()) >= 2);
    await pruneUploadUsage(service.context.db, service.context.clock.now() + 2 * 86_400_000);
    assert.equal(await days(), 0);
  });
});
