import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DashboardStage, settled } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';

describe('the first steps', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
  });
  after(() => stage.close());

  it('someone without a name of their own is asked for it', async () => {
    const { call, admin } = stage.service;
    await call('PATCH', `/users/${admin.userId}`, { token: admin.jwt, body: { name: 'Administrator' } });
    const { page, errors, close } = await stage.open(admin, { path: '/start' });
    await page.getByLabel('Your name').waitFor();
    await page.getByLabel('Your name').fill('  Grace Hopper ');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Your name').waitFor({ state: 'detached' });
    assert.equal((await call('GET', '/auth/me', { token: admin.jwt })).body.user.name, 'Grace Hopper');
    assert.deepEqual(errors(), []);
    await close();
  });

  it('filling and removing the demo aborts no request, and everything is current afterwards', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/start' });
    const fill = page.getByRole('button', { name: 'Fill with a demo' });
    await fill.waitFor();
    await settled(page);
    const aborted: string[] = [];
    page.on('requestfailed', (request) => aborted.push(`${request.method()} ${request.url()}`));
    const told: string[] = [];
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => told.push(String(payload))));
    await page.reload();
    // Leaving a page ends what it was asking for.
    await fill.waitFor();
    await settled(page);
    aborted.length = 0;
    await fill.click();
    await page.getByRole('button', { name: 'Remove the demo' }).waitFor({ timeout: 180_000 });
    await page.getByRole('link', { name: 'Demo sales' }).waitFor();
    const changes = () => told.filter((frame) => frame.includes('definitions.updated')).length;
    await eventually(async () => changes() > 20);
    await page.getByRole('button', { name: 'Remove the demo' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the demo' }).click();
    await fill.waitFor({ timeout: 180_000 });
    await page.getByRole('link', { name: 'Demo sales' }).waitFor({ state: 'detached' });
    assert.deepEqual(aborted, []);
    assert.deepEqual(errors(), []);
    await close();
  });
});
