/** docs/webhooks.md does what it says: its tables come from the contract, its examples run. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { eventTypes } from '../../contract/events.ts';
import { eventExamples } from '../../contract/examples/events.examples.ts';
import { guidePath, writeEvents } from '../../scripts/webhook-guide.ts';
import { gaps } from '../../server/features/webhooks/webhooks.schedule.ts';
import { assertEventBody } from '../support/event-schema.ts';
import { eventually } from '../support/eventually.ts';
import { root } from '../support/program.ts';
import { joinTestService, type TestService } from '../support/service.ts';
import { hooksOf, loopbackAllowed, newSecret, startInbox, verify } from '../support/webhooks.ts';

const guide = readFileSync(guidePath, 'utf8');
const run = promisify(execFile);

function block(info: string): string {
  const text = new RegExp(`^\`\`\`${info}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide)?.[1];
  assert.ok(text, `the guide has no example "${info}"`);
  return text;
}

const isInstalled = async (program: string) =>
  (await run(program, [program === 'openssl' ? 'version' : '--version']).catch(() => null)) !== null;

describe('the webhook guide', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
  });
  after(() => service.close());

  it('describes the events as contract/events.ts has them (npx node scripts/webhook-guide.ts writes it)', () => {
    assert.equal(writeEvents(guide), guide);
    for (const name of Object.keys(eventTypes)) assert.ok(guide.includes(`### ${name}\n`));
  });

  it('has examples that fit their schemas, and so has the OpenAPI document', async () => {
    const { body } = await service.call('GET', '/openapi.json', { token: null });
    assert.deepEqual(Object.keys(body.webhooks).sort(), Object.keys(eventTypes).sort());
    for (const [name, example] of Object.entries(eventExamples)) {
      assertEventBody(example as { event: string });
      assert.deepEqual(body.webhooks[name].post.requestBody.content['application/json'].example, example);
    }
  });

  it('names the gaps of the schedule', () => {
    const row = /^\| gap \|(.*)\|$/m
      .exec(guide)![1]!
      .split('|')
      .map((cell) => cell.trim());
    const units: { [unit: string]: number } = { s: 1_000, min: 60_000, h: 3_600_000 };
    const told = row.map((cell) => {
      const [, count, unit] = /^(\d+) (\w+)$/.exec(cell) ?? ['', '0', 's'];
      return Number(count) * units[unit!]!;
    });
    assert.deepEqual(told, gaps);
  });

  it('the events that records really emit fit the schemas', async (t) => {
    const inbox = await startInbox();
    t.after(() => inbox.close());
    const hooks = hooksOf(service);
    const events = ['crm_record_created', 'crm_field_update', 'crm_record_deleted'];
    const hook = await hooks.create(inbox.url(), { events });
    const [board] = (await service.call('GET', '/kanbans')).body.items;
    const record = await hooks.createRecord({ customFields: { [board.fields[0].id]: '+5511999998888' } });
    const path = `/crm/records/${record.recordId}`;
    await service.call('PUT', path, { body: { title: 'New', customFields: { [board.fields[0].id]: null } } });
    await service.call('DELETE', path);
    await hooks.sendTest(hook.id);
    for (const { body } of await inbox.first(5)) assertEventBody(body);
    assert.equal(new Set(inbox.received.map((one) => one.body.event)).size, 4);
  });

  /** Runs the receiver of an example, sends it a real delivery, then a forged one. */
  async function tryReceiver(
    t: TestContext,
    start: (env: Record<string, string>) => ChildProcess,
  ): Promise<void> {
    const hooks = hooksOf(service);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const hook = await hooks.create(url, { events: ['note_deleted'] });
    const child = start({ WEBHOOK_SECRET: hook.secret, PORT: String(port), PATH: process.env.PATH ?? '' });
    t.after(() => child.kill());
    let output = '';
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    await eventually(() => {
      assert.equal(child.exitCode, null, output);
      return output.includes('listening');
    }, 20_000);
    await hooks.sendTest(hook.id);
    const { attempts } = await hooks.delivery(hook.id, 'delivered');
    assert.equal(attempts[0]!.statusCode, 204);
    await eventually(() => output.includes('verified webhook_test'));

    const timestamp = String(Math.floor(Date.now() / 1000));
    const forged = [
      { 'webhook-id': 'x', 'webhook-timestamp': timestamp, 'webhook-signature': 'v1,AAAA' },
      { 'webhook-id': 'x', 'webhook-timestamp': 'soon', 'webhook-signature': 'v1,AAAA' },
      { 'webhook-id': 'x', 'webhook-timestamp': timestamp },
      {},
    ];
    for (const headers of forged) {
      const answer = await fetch(url, {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: '{}',
      });
      assert.equal(answer.status, 401, JSON.stringify(headers));
    }
  }

  for (const kind of ['library', 'plain']) {
    it(`the TypeScript example (${kind}) takes what is genuine and refuses what is not`, (t) =>
      tryReceiver(t, (env) =>
        spawn(process.execPath, ['--input-type=module-typescript', '-e', block(`ts ${kind}`)], {
          cwd: root,
          env,
        }),
      ));
  }

  it('so does the Python example', async (t) => {
    if (!(await isInstalled('python3'))) return t.skip('python3 is not installed');
    await tryReceiver(t, (env) =>
      spawn('python3', ['-c', block('python')], { env: { ...env, HOME: process.env.HOME ?? '' } }),
    );
  });

  it('the openssl example tells a genuine request from a forged one', async (t) => {
    if (!(await isInstalled('openssl'))) return t.skip('openssl is not installed');
    const inbox = await startInbox();
    const folder = mkdtempSync(join(tmpdir(), 'talkboard-docs-'));
    t.after(async () => {
      await inbox.close();
      rmSync(folder, { recursive: true });
    });
    const hooks = hooksOf(service);
    const hook = await hooks.create(inbox.url(), { events: ['note_deleted'] });
    const old = hook.secret;
    const { secret } = (await service.call('POST', `/webhooks/${hook.id}/rotate-secret`)).body;
    await hooks.sendTest(hook.id);
    const [received] = await inbox.first(1);
    const check = async (changes: Record<string, string>, body = received!.text) => {
      writeFileSync(join(folder, 'body.json'), body);
      const env = {
        PATH: process.env.PATH,
        WEBHOOK_SECRET: secret,
        ID: String(received!.headers['webhook-id']),
        TIMESTAMP: String(received!.headers['webhook-timestamp']),
        SIGNATURE: String(received!.headers['webhook-signature']),
        ...changes,
      };
      const { stdout } = await run('sh', ['-c', block('sh verify')], { cwd: folder, env }).catch(
        (error) => error,
      );
      return stdout.trim();
    };
    assert.equal(await check({}), 'genuine');
    assert.equal(await check({ WEBHOOK_SECRET: old }), 'genuine');
    assert.equal(await check({ WEBHOOK_SECRET: newSecret() }), 'forged');
    assert.equal(await check({ TIMESTAMP: '1' }), 'forged');
    assert.equal(await check({}, `${received!.text} `), 'forged');
  });

  it('the curl example sends what the library verifies', async (t) => {
    if (!(await isInstalled('curl')) || !(await isInstalled('openssl')))
      return t.skip('curl or openssl is missing');
    const inbox = await startInbox();
    t.after(() => inbox.close());
    const secret = newSecret();
    const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, RECEIVER: inbox.url() };
    const { stdout } = await run('sh', ['-c', block('sh send')], { env });
    assert.equal(stdout.trim(), '200');
    verify(secret, inbox.received[0]!);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
