import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeAudit, readAudit } from './advisories.report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('npm run advisories', () => {
  const run = (registry: string, ...args: string[]): Promise<{ code: number | null; said: string }> =>
    new Promise((resolve, reject) => {
      const script = spawn(process.execPath, ['scripts/advisories.ts', ...args], {
        cwd: root,
        env: { ...process.env, npm_config_registry: registry },
      });
      let said = '';
      script.stdout.on('data', (text) => {
        said += text;
      });
      script.stderr.on('data', (text) => {
        said += text;
      });
      script.on('error', reject).on('close', (code) => resolve({ code, said }));
    });
  const listen = async (answer: (path: string) => { status: number; body: string }) => {
    const server: Server = createServer((request, response) => {
      request.resume().on('end', () => {
        const { status, body } = answer(request.url ?? '');
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return { url, close: () => new Promise((resolve) => server.close(resolve)) };
  };

  it('says that nothing was checked if the registry does not know advisories, and does not fail', async () => {
    const registry = await listen(() => ({ status: 405, body: '' }));
    try {
      const { code, said } = await run(registry.url);
      assert.equal(code, 0);
      assert.match(said, /^NOT CHECKED: .*\(405\)/);
      assert.ok(!said.includes('127.0.0.1'), 'the registry is not named');
    } finally {
      await registry.close();
    }
    // Nobody listens there any more.
    const { code, said } = await run(registry.url);
    assert.equal(code, 0);
    assert.match(said, /^NOT CHECKED/);
    assert.ok(!said.includes('127.0.0.1'));
  });

  it('fails for a serious vulnerability, unless it is only asked for a report', async () => {
    const advisory = {
      id: 1,
      url: 'https://example.com/advisory',
      title: 'Frames of any size',
      severity: 'high',
      vulnerable_versions: '*',
    };
    const registry = await listen((path) =>
      path.endsWith('/advisories/bulk')
        ? { status: 200, body: JSON.stringify({ ws: [advisory] }) }
        : { status: 404, body: '{}' },
    );
    try {
      const { code, said } = await run(registry.url);
      assert.match(said, /^high: ws\b.*\n {2}Frames of any size$/m);
      assert.equal(code, 1);
      assert.equal((await run(registry.url, '--report')).code, 0);
    } finally {
      await registry.close();
    }
  });

  it('reads every kind of result', () => {
    const none = describeAudit(readAudit('{"auditReportVersion":2,"vulnerabilities":{}}'));
    assert.deepEqual(none, { lines: ['No known vulnerabilities.'], isSerious: false });
    const mild = { name: 'a', severity: 'low', range: '<2', via: ['b'] };
    assert.deepEqual(describeAudit({ vulnerable: [mild] }), {
      lines: ['low: a <2', '  by b'],
      isSerious: false,
    });
    const unread = [
      '',
      'null',
      '[]',
      '{"error":{"code":"ENOTFOUND"}}',
      '{"error":{"code":"at host.example"}}',
    ];
    assert.deepEqual(
      unread.map((text) => readAudit(text)),
      ['npm printed no result', 'no code', 'no code', 'ENOTFOUND', 'no code'].map((noAnswer) => ({
        noAnswer,
      })),
    );
  });
});
