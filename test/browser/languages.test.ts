import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DashboardStage, startDashboard } from '../support/dashboard.ts';

describe('the files of the dashboard’s languages', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
  });
  after(() => stage.close());

  it('a reader of one language loads no other', async () => {
    const guest = await stage.visit({ path: '/login', locale: 'pt-BR' });
    await guest.page.getByLabel('Senha').waitFor();
    const loaded = (await guest.page.evaluate(`Promise.all(
      performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))
        .map(async (name) => (await fetch(name)).text()))`)) as string[];
    assert.ok(loaded.some((code) => code.includes('Entrar no Talkboard')));
    assert.ok(!loaded.some((code) => code.includes('Sign in to Talkboard')));
    await guest.close();
  });
});
