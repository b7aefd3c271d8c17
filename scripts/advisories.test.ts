import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeAudit, readAudit } from './advisories.report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A project with one package: npm reads it in a fraction of the time. */
const small = mkdtempSync(join(tmpdir(), 'talkboard-advisories-'));
before(() => {
  for (const name of ['advisories.ts', 'advisories.report.ts']) {
    cpSync(join(root, 'scripts', name), join(small, 'scripts', name));
  }
  const own = { name: 'small', version: '1.0.0', type: 'module', dependencies: { ws: '1.0.0' } };
  const packages = { '': own, 'node_modules/ws': { version: '1.0.0' } };
  writeFileSync(join(small, 'package.json'), JSON.stringify(own));
  writeFileSync(
    join(small, 'package-lock.json'),
    JSON.stringify({ name: 'small', version: '1.0.0', lockfileVersion: 3, requires: true, packages }),
  );
});
after(() => rmSync(small, { recursive: true, force: true }));

describe('npm run advisories', () => {
  const run = (
    project: string,
    registry: string,
    ...args: string[]
  ): Promise<{ code: number | null; said: string }> =>
    new Promise((resolve, reject) => {
      const script = spawn(process.execPath, ['scripts/advisories.ts', ...args], {
        cwd: project,
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
      const { code, said } = await run(small, registry.url);
      assert.equal(code, 0);
      assert.match(said, /^NOT CHECKED: .*\(405\)/);
      assert.ok(!said.includes('127.0.0.1'), 'the registry is not named');
    } finally {
      await registry.close();
    }
    // Nobody listens there any more.
    const { code, said } = await run(small, registry.url);
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
      const { code, said } = await run(root, registry.url);
      assert.match(said, /^high: ws\b.*\n {2}Frames of any size$/m);
      assert.equal(code, 1);
      const report = await run(small, registry.url, '--report');
      assert.match(report.said, /^high: ws\b/m);
      assert.equal(report.code, 0);
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
