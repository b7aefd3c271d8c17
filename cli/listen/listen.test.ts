import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import { sql } from '../../server/platform/db/sql.ts';
import { runCli } from '../../test/support/cli.ts';
import { eventually } from '../../test/support/eventually.ts';
import { runNode } from '../../test/support/program.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';
import {
  answerWith,
  type Hooks,
  hooksOf,
  loopbackAllowed,
  newSecret,
  startInbox,
  verify,
} from '../../test/support/webhooks.ts';

const script = new URL('../talkboard.mjs', import.meta.url).pathname;

describe('talkboard listen', () => {
  let service: TestService;
  let hooks: Hooks;
  let base: string;
  before(async () => {
    service = await startTestService({ worker: true, env: loopbackAllowed });
    hooks = hooksOf(service);
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    base = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
  });
  after(() => service.close());

  const start = async (t: TestContext, args: string[], until: RegExp) => {
    const { child, written, finished } = runNode([script, 'listen', ...args], {});
    t.after(async () => {
      child.kill('SIGKILL');
      await finished;
    });
    await eventually(() => {
      assert.equal(child.exitCode, null, written.stderr);
      return until.test(written.stderr);
    }, 20_000);
    return { written, found: until.exec(written.stderr)![1]!, child, finished };
  };
  const webhooks = async () => (await service.call('GET', '/webhooks')).body.items;
  const inboxFor = async (t: TestContext) => {
    const inbox = await startInbox();
    t.after(() => inbox.close());
    return inbox;
  };

  it('passes events on in order, signed, byte for byte, and takes its webhook away at Ctrl-C', async (t) => {
    const inbox = await inboxFor(t);
    const listening = await start(
      t,
      ['--url', `${base}/`, '--token', service.token, '--forward', inbox.url('/dev')],
      /signed with (whsec_\S+)/,
    );
    const [hook] = await webhooks();
    assert.equal(hook.enabled, false);
    assert.match(hook.description, /^talkboard listen on /);
    const records = [];
    for (let i = 0; i < 3; i++) records.push((await hooks.createRecord({ title: `Zoë ${i}` })).recordId);
    await service.call('DELETE', `/crm/records/${records[0]}`);
    const received = await inbox.first(4);
    assert.deepEqual(
      received.map((one) => [one.path, one.body.event, one.body.data.record.recordId]),
      [
        ['/dev', 'crm_record_created', records[0]],
        ['/dev', 'crm_record_created', records[1]],
        ['/dev', 'crm_record_created', records[2]],
        ['/dev', 'crm_record_deleted', records[0]],
      ],
    );
    for (const one of received) verify(listening.found, one);
    const stored = await service.context.db.query<{ body: string }>(
      sql`select body from events order by created_at, id`,
    );
    assert.deepEqual(
      received.map((one) => one.text),
      stored.map((row) => row.body),
    );
    inbox.answer = answerWith(503);
    await hooks.createRecord();
    await eventually(() => listening.written.stdout.trim().split('\n').length === 5);
    const lines = listening.written.stdout.trim().split('\n');
    for (const line of lines.slice(0, 4))
      assert.match(line, /^2\S+Z {2}crm_record_\w+ +[0-9a-f-]{36} {2}200 in \d+ ms$/);
    assert.match(lines[4]!, / {2}503 in \d+ ms$/);

    listening.child.kill('SIGINT');
    const { code, stderr } = await listening.finished;
    assert.equal(code, 0, stderr);
    assert.deepEqual(await webhooks(), []);
  });

  it('--events selects events; an unreachable receiver is reported and does not end it', async (t) => {
    const gone = await startInbox();
    await gone.close();
    const listening = await start(
      t,
      [
        '--url',
        base,
        '--token',
        service.token,
        '--forward',
        gone.url(),
        '--events',
        'crm_record_deleted',
        '--body',
      ],
      /signed with (whsec_\S+)/,
    );
    const { recordId } = await hooks.createRecord();
    await service.call('DELETE', `/crm/records/${recordId}`);
    await eventually(() => listening.written.stdout.includes('"recordId"'));
    assert.match(listening.written.stdout, /^\S+ {2}crm_record_deleted +\S+ {2}no answer: ECONNREFUSED\n\{/);
    assert.doesNotMatch(listening.written.stdout, /crm_record_created/);
    listening.child.kill('SIGTERM');
    assert.equal((await listening.finished).code, 0);
    assert.deepEqual(await webhooks(), []);
  });

  it('is a receiver that verifies and prints', async (t) => {
    const hook = await hooks.create('http://127.0.0.1:9/', { events: ['note_deleted'] });
    const listening = await start(t, ['--port', '0', '--secret', hook.secret], /Listening on (\S+)/);
    await service.call('PATCH', `/webhooks/${hook.id}`, { body: { url: listening.found } });
    const { eventId } = await hooks.sendTest(hook.id);
    const { attempts } = await hooks.delivery(hook.id, 'delivered');
    assert.equal(attempts[0]!.statusCode, 204);
    assert.match(
      listening.written.stdout,
      new RegExp(`webhook_test +${eventId} {2}verified\n\\{\n {2}"id": "${eventId}"`),
    );
    const forged = await fetch(listening.found, {
      method: 'POST',
      headers: {
        'webhook-id': 'x',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': 'v1,AA',
      },
      body: '{}',
    });
    assert.equal(forged.status, 401);
    const old = { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AA' };
    assert.equal((await fetch(listening.found, { method: 'POST', headers: old, body: '' })).status, 401);
    assert.equal((await fetch(listening.found, { method: 'POST', body: '' })).status, 401);
    await eventually(() => listening.written.stdout.match(/refused: /g)?.length === 3);
    await service.call('DELETE', `/webhooks/${hook.id}`);
    listening.child.kill('SIGINT');
    assert.equal((await listening.finished).code, 0);
  });

  it('a receiver that passes on answers as the one behind it', async (t) => {
    const inbox = await inboxFor(t);
    inbox.answer = answerWith(503);
    const hook = await hooks.create('http://127.0.0.1:9/', { events: ['note_deleted'] });
    const listening = await start(
      t,
      ['--port', '0', '--secret', hook.secret, '--forward', inbox.url()],
      /Listening on (\S+)/,
    );
    await service.call('PATCH', `/webhooks/${hook.id}`, { body: { url: listening.found } });
    await hooks.sendTest(hook.id);
    const { attempts } = await hooks.delivery(hook.id, 'retrying');
    assert.equal(attempts[0]!.statusCode, 503);
    verify(hook.secret, inbox.received[0]!);
    assert.match(listening.written.stdout, /verified, http\S+ answered 503 in/);
    await service.call('DELETE', `/webhooks/${hook.id}`);
  });

  it('exits with 2 on a usage error', async () => {
    const forward = ['--forward', 'http://127.0.0.1:9/'];
    const cases: [string[], RegExp][] = [
      [[], /--url is required/],
      [['--url', base], /--token is required/],
      [['--url', base, '--token', 'x'], /--forward is required/],
      [['--url', 'ftp://x', '--token', 'x', ...forward], /--url must be/],
      [['--url', base, '--token', 'x', ...forward, '--events', 'nothing'], /--events contains "nothing"/],
      [['--port', '99999', '--secret', newSecret()], /--port must be/],
      [['--port', '0', '--secret', 'abc'], /--secret must be/],
      [['--port', '0', '--url', base], /cannot be combined/],
      [['--url', base, '--token', 'x', ...forward, '--secret', newSecret()], /--secret requires --port/],
    ];
    await Promise.all(
      cases.map(async ([args, message]) => {
        const { code, stderr } = await runCli(['listen', ...args], {});
        assert.equal(code, 2, stderr);
        assert.match(stderr, message);
      }),
    );
  });

  it('exits with 1 and the reason when the service rejects or is unreachable', async () => {
    const args = ['--token', 'tb_wrong', '--forward', 'http://127.0.0.1:9/'];
    const refused = await runCli(['listen', '--url', base, ...args], {});
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /POST \/webhooks answered 401: /);
    const gone = await startInbox();
    await gone.close();
    const absent = await runCli(['listen', '--url', gone.url(''), ...args], {});
    assert.equal(absent.code, 1);
    assert.match(absent.stderr, /does not respond: ECONNREFUSED/);
  });
});
