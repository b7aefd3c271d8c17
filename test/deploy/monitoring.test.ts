/** The Grafana dashboard and the alert rules name only what the service exports. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, it } from 'node:test';
import { parse } from 'yaml';
import { sql } from '../../server/platform/db/sql.ts';
import { type Json, startTestService, type TestService } from '../support/service.ts';

const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');
const dashboard = JSON.parse(read('grafana/talkboard.json')) as Json;
const { groups } = parse(read('prometheus/talkboard.rules.yaml')) as {
  groups: { rules: { alert: string; expr: string; labels: Json; annotations: Json }[] }[];
};
const rules = groups.flatMap((group) => group.rules);

let service: TestService;
let exported: Map<string, { type: string; labels: string[]; help: string }>;
before(async () => {
  service = await startTestService();
  exported = new Map(
    service.context.metrics.registry.getMetricsAsArray().map((metric) => {
      const { name, type, labelNames, help } = metric as unknown as {
        name: string;
        type: string;
        labelNames: string[];
        help: string;
      };
      return [name, { type, labels: [...labelNames], help }];
    }),
  );
});
after(() => service.close());

/** Metrics have an underscore; functions of PromQL that have one too are followed by a bracket. */
function metricsIn(expr: string): string[] {
  const names = expr.replaceAll(/"[^"]*"/g, '').match(/\b(?:talkboard|nodejs|process)_[a-z0-9_]+/g);
  return [...new Set(names ?? [])];
}

function problemOf(name: string): string | null {
  if (exported.has(name)) return null;
  const base = name.replace(/_(bucket|count|sum)$/, '');
  return exported.get(base)?.type === 'histogram' ? null : `${name} is not exported`;
}

const expressions = () => [
  ...dashboard.panels.flatMap((panel: Json) => panel.targets.map((target: Json) => target.expr as string)),
  ...rules.map(({ expr }) => expr),
  ...dashboard.templating.list.flatMap((one: Json) => one.definition ?? []),
];

it('every metric of the dashboard and of the rules is exported', () => {
  const names = expressions().flatMap(metricsIn);
  assert.ok(new Set(names).size > 15, String(names));
  assert.deepEqual(
    names.map(problemOf).filter((problem) => problem !== null),
    [],
  );
  assert.equal(problemOf('talkboard_nothing_total'), 'talkboard_nothing_total is not exported');
});

it('every expression names a metric, and its labels are those of the metric', () => {
  for (const expr of expressions()) {
    assert.ok(metricsIn(expr).length > 0, expr);
    const given = new Set(['le', 'job', 'instance', 'cell']);
    for (const name of metricsIn(expr)) {
      const metric = exported.get(name) ?? exported.get(name.replace(/_(bucket|count|sum)$/, ''))!;
      for (const label of metric.labels) given.add(label);
    }
    const used = [
      ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(',')),
      ...[...expr.matchAll(/([a-z_]+)\s*(?:=~|!=|!~|=)\s*"/g)].map(([, label]) => label!),
    ].map((label) => label.trim());
    assert.deepEqual(
      used.filter((label) => !given.has(label)),
      [],
      expr,
    );
  }
});

it('every alert says how bad it is and what has happened, and docs/observability.md explains it', () => {
  const docs = readFileSync(new URL('../../docs/observability.md', import.meta.url), 'utf8');
  for (const { alert, labels, annotations } of rules) {
    assert.ok(['critical', 'warning'].includes(labels.severity), alert);
    assert.ok(annotations.summary.length > 10, alert);
    assert.ok(docs.includes(`\`${alert}\``), `${alert} is not in docs/observability.md`);
  }
});

it('docs/observability.md has a table of the metrics', () => {
  const docs = readFileSync(new URL('../../docs/observability.md', import.meta.url), 'utf8');
  const rows = [...exported]
    .filter(([name]) => name.startsWith('talkboard_'))
    .map(([name, { type, labels, help }]) => {
      const own = labels.filter((label) => label !== 'le').map((label) => `\`${label}\``);
      return `| \`${name}\` | ${type} | ${own.join(', ')} | ${help} |`;
    });
  assert.deepEqual(docs.match(/^\| `talkboard_.*$/gm)?.sort(), rows.sort());
});

it('a step that has never succeeded is late, and no backup without a schedule is not', async () => {
  const ruleOf = (name: string) => rules.find(({ alert }) => alert === name)!.expr;
  await service.context.db.autocommit(
    sql`insert into housekeeping_steps (step, last_error, last_error_at) values ('new', 'it failed', now())`,
  );
  const { text } = await service.call('GET', '/metrics', { token: null });
  // 0 is late: nothing may filter it.
  assert.match(text, /^talkboard_housekeeping_last_success_seconds\{step="new"\} 0$/m);
  assert.doesNotMatch(ruleOf('TalkboardHousekeepingLate'), /> 0|!= 0/);
  assert.match(text, /# TYPE talkboard_backup_last_success_seconds gauge/);
  assert.doesNotMatch(text, /^talkboard_backup_last_success_seconds/m);
  assert.doesNotMatch(text, /^talkboard_backup_late_seconds/m);
  assert.match(ruleOf('TalkboardBackupLate'), /talkboard_backup_late_seconds/);
});

it('the queues, the disk and the release have values', async () => {
  const { text } = await service.call('GET', '/metrics', { token: null });
  for (const queue of ['jobs', 'webhooks', 'outbound', 'inbound'])
    assert.match(text, new RegExp(`talkboard_queue_waiting\\{queue="${queue}"\\} \\d`));
  assert.match(text, /talkboard_queue_failed\{queue="jobs"\} 0/);
  assert.match(text, /talkboard_disk_free_bytes [1-9]/);
  assert.match(text, /talkboard_info\{version="1\.7\.\d+",node="\d/);
});
