import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

const root = new URL('..', import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));

it('npm run sbom names every production package of the lock file with its version and checksum', () => {
  const { scripts } = read('package.json') as { scripts: Record<string, string> };
  const [program, ...args] = scripts.sbom!.split(' ');
  assert.equal(program, 'node');
  const text = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const bom = JSON.parse(text);
  assert.deepEqual([bom.bomFormat, bom.specVersion], ['CycloneDX', '1.6']);

  const { packages, version } = read('package-lock.json') as {
    version: string;
    packages: Record<string, { version: string; dev?: boolean; integrity?: string }>;
  };
  assert.equal(bom.metadata.component.version, version);
  const named = new Map<string, { hashes?: { alg: string; content: string }[]; purl: string }>(
    bom.components.map((one: { name: string; version: string }) => [`${one.name}@${one.version}`, one]),
  );
  for (const [path, locked] of Object.entries(packages)) {
    if (path === '') continue;
    const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${locked.version}`;
    if (locked.dev) continue;
    const component = named.get(name);
    assert.ok(component, `${name} is missing`);
    assert.match(component.purl, /^pkg:npm\/(%40[^/@]+\/)?[^/@]+@[^@]+$/);
    if (!locked.integrity) continue;
    const [hash] = component.hashes!;
    assert.equal(hash!.alg, 'SHA-512');
    assert.match(hash!.content, /^[0-9a-f]{128}$/);
  }
  assert.ok(named.size > 200);
});
