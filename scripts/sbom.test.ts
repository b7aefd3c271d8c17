import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';

const root = new URL('..', import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
  scope: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
  licenses?: object[];
}

interface Bom {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** What the schema of CycloneDX 1.6 says about the parts that we write. It allows no other members in any of them. */
const closed = { type: 'object', additionalProperties: false };
const text = { type: 'string', minLength: 1 };
const component = {
  ...closed,
  required: ['type', 'name'],
  properties: {
    type: { enum: ['application', 'library'] },
    'bom-ref': text,
    name: text,
    version: { type: 'string', maxLength: 1024 },
    scope: { enum: ['required', 'optional', 'excluded'] },
    hashes: {
      type: 'array',
      items: {
        ...closed,
        required: ['alg', 'content'],
        properties: {
          alg: { enum: ['MD5', 'SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'] },
          content: {
            type: 'string',
            pattern: '^([a-f0-9]{32}|[a-f0-9]{40}|[a-f0-9]{64}|[a-f0-9]{96}|[a-f0-9]{128})$',
          },
        },
      },
    },
    // A list of licences, or one expression.
    licenses: {
      oneOf: [
        {
          type: 'array',
          items: {
            ...closed,
            required: ['license'],
            properties: { license: { ...closed, required: ['id'], properties: { id: text } } },
          },
        },
        {
          type: 'array',
          minItems: 1,
          maxItems: 1,
          items: { ...closed, required: ['expression'], properties: { expression: text } },
        },
      ],
    },
    purl: { type: 'string', pattern: '^pkg:npm/(%40[^/@]+/)?[^/@]+@[^@]+$' },
  },
};
const schema = {
  ...closed,
  required: ['bomFormat', 'specVersion'],
  properties: {
    bomFormat: { const: 'CycloneDX' },
    specVersion: { const: '1.6' },
    version: { type: 'integer', minimum: 1 },
    metadata: { ...closed, properties: { component } },
    components: { type: 'array', uniqueItems: true, items: component },
    dependencies: {
      type: 'array',
      uniqueItems: true,
      items: {
        ...closed,
        required: ['ref'],
        properties: { ref: text, dependsOn: { type: 'array', uniqueItems: true, items: text } },
      },
    },
  },
};

describe('npm run sbom', () => {
  const print = () => {
    const { scripts } = read('package.json') as { scripts: Record<string, string> };
    const [program, ...args] = scripts.sbom!.split(' ');
    assert.equal(program, 'node');
    return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  };
  const printed = print();
  const bom = JSON.parse(printed) as Bom;

  it('prints what the schema of CycloneDX allows', () => {
    const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
    validate(bom);
    assert.deepEqual(validate.errors, null);
    const refs = [bom.metadata.component, ...bom.components].map((one) => one['bom-ref']);
    assert.equal(new Set(refs).size, refs.length, 'each reference is there once');
    assert.deepEqual(
      bom.dependencies.map(({ ref }) => ref),
      refs,
      'and each component says what it uses',
    );
    const unknown = bom.dependencies.flatMap(({ dependsOn }) =>
      dependsOn.filter((ref) => !refs.includes(ref)),
    );
    assert.deepEqual(unknown, []);
  });

  it('prints the same bytes each time', () => {
    assert.equal(print(), printed);
  });

  it('names every production package of the lock file with its version, checksum and licence', () => {
    const { packages, version } = read('package-lock.json') as {
      version: string;
      packages: Record<string, { version: string; dev?: boolean; integrity?: string; optional?: boolean }>;
    };
    assert.equal(bom.metadata.component.version, version);
    const named = new Map(bom.components.map((one) => [`${one.name}@${one.version}`, one]));
    for (const [path, locked] of Object.entries(packages)) {
      if (path === '' || locked.dev) continue;
      const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${locked.version}`;
      const one = named.get(name);
      assert.ok(one, `${name} is missing`);
      assert.equal(one.licenses?.length, 1, `${name} has no licence`);
      if (!locked.optional) assert.equal(one.scope, 'required', name);
      if (!locked.integrity) continue;
      const [hash] = one.hashes!;
      assert.equal(hash!.alg, 'SHA-512');
      assert.match(hash!.content, /^[0-9a-f]{128}$/);
    }
    assert.ok(named.size > 200);
  });

  it('says which package brings which: everything that is required is reached from the project', () => {
    const uses = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const reached = new Set([bom.metadata.component['bom-ref']]);
    for (const ref of reached) for (const next of uses.get(ref)!) reached.add(next);
    const lost = bom.components.filter((one) => one.scope === 'required' && !reached.has(one['bom-ref']));
    assert.deepEqual(
      lost.map(({ purl }) => purl),
      [],
    );
  });
});
