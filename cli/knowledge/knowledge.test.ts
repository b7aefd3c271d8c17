import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runInProcess, settingsOf } from '../../test/support/cli.ts';
import { eventually } from '../../test/support/eventually.ts';
import { newFolder } from '../../test/support/scratch.ts';
import { type Json, startTestService, type TestService } from '../../test/support/service.ts';
import { article, startWebsite } from '../../test/support/website.ts';

describe('talkboard knowledge', () => {
  let service: TestService;
  let settings: Record<string, string>;
  let folder: string;
  before(async () => {
    const env = { OUTBOUND_ALLOW: '127.0.0.0/8' };
    service = await startTestService({ env, worker: true });
    settings = { ...settingsOf(service), ...env };
    folder = newFolder('talkboard-knowledge-');
  });
  after(() => service.close());

  const run = async (code: number, ...args: string[]) => {
    const done = await runInProcess(['knowledge', ...args], settings);
    assert.equal(done.code, code, done.stderr);
    return done;
  };
  const written = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const read = async (path: string): Promise<Json> => {
    const answer = await service.call('GET', `/knowledge${path}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };

  it('adds the text of a file as an article, and finds it', async () => {
    const file = written('returns.md', '# Returns\n\nA velvet sofa comes back within 30 days.');
    const { stdout, stderr } = await run(0, 'add', '--file', file);
    const document = await read(`/documents/${stdout.trim()}`);
    assert.deepEqual([document.title, document.state], ['Returns', 'published']);
    assert.match(stderr, /"Returns" is published in "Articles"/);
    const found = await run(0, 'search', '--q', 'sofas');
    assert.match(found.stdout, /^\d+\.\d\d {2}Returns · Returns\n {6}# Returns\n/);
    const [passage] = JSON.parse((await run(0, 'search', '--q', 'sofas', '--json')).stdout).passages;
    assert.equal(passage.documentId, document.id);
    assert.match((await run(0, 'search', '--q', 'zeppelin')).stderr, /Nothing was found/);
    const draft = JSON.parse(
      (await run(0, 'add', '--file', written('a.html', article('Zeppelin', 'Up.')), '--draft', '--json'))
        .stdout,
    );
    assert.deepEqual([draft.title, draft.state], ['Zeppelin', 'draft']);
  });

  it('adds a website, has it read, and waits for the end', async () => {
    const site = await startWebsite({ '/': article('Home', 'The lighthouse opens at nine.') });
    try {
      const added = await run(0, 'add', '--website', `${site.origin}/`);
      const source = await read(`/sources/${added.stdout.trim()}`);
      assert.deepEqual([source.kind, source.name], ['website', new URL(site.origin).host]);
      await eventually(async () => (await read(`/runs/${source.lastRunId}`)).state !== 'running');
      const { stderr, stdout } = await run(0, 'sync', '--source', source.id, '--wait', '--json');
      assert.equal(JSON.parse(stdout).state, 'published');
      assert.match(stderr, /1 found/);
      assert.match((await run(0, 'search', '--q', 'lighthouse')).stdout, /Home/);
      await service.call('PATCH', `/knowledge/sources/${source.id}`, {
        body: { settings: { publish: 'review' } },
      });
      site.pages.set('/', article('Home', 'The lighthouse opens at ten.'));
      await run(0, 'sync', '--source', source.id, '--wait');
      const asked = await run(1, 'sync', '--source', source.id);
      assert.match(asked.stderr, /waits for a review and would be discarded: publish it, or use --force/);
      await run(0, 'sync', '--source', source.id, '--wait', '--force');
    } finally {
      await site.close();
    }
  });

  it('says what is wrong', async () => {
    const says = async (code: number, pattern: RegExp, ...args: string[]) =>
      assert.match((await run(code, ...args)).stderr, pattern);
    await says(2, /exactly one of --file and --website/, 'add');
    await says(2, /are for --file/, 'add', '--website', 'http://x.example', '--draft');
    await says(1, /must be a valid http or https address/, 'add', '--website', 'nowhere');
    await says(1, /cannot be read/, 'add', '--file', join(folder, 'absent.md'));
    await says(1, /only files that end with/, 'add', '--file', written('a.xyz', 'x'));
    await says(1, /no text/, 'add', '--file', written('empty.txt', ' '));
    await says(1, /no source of the kind website "x"/, 'sync', '--source', 'x');
    await says(2, /--source is required/, 'sync');
    await says(2, /--limit needs a number/, 'search', '--q', 'x', '--limit', '0');
  });
});
