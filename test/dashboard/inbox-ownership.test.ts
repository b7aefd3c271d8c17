import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';

describe('ownership in the inbox', () => {
  let on: InboxStage;
  let page: Page;
  let other: Visitor;
  let ottoId: string;
  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
    const { createUser, call } = on.stage.service;
    const operator = await createUser('operator');
    ottoId = operator.id;
    await call('PATCH', `/users/${ottoId}`, { body: { name: 'Otto Weber' } });
    other = await on.stage.open(operator);
  });
  after(() => on.stage.close());

  const sessionOf = async (id: string) => (await on.stage.service.call('GET', `/sessions/${id}`)).body;
  const tab = (name: string) =>
    page.getByRole('radiogroup', { name: 'Whose conversations' }).getByRole('radio', { name });
  const header = (who: string) => page.getByRole('region', { name: who }).locator('header');
  const picker = (who: string) => header(who).getByRole('button', { name: /^(Unassigned|Assigned to)/ });
  const list = () => page.getByRole('list', { name: 'Conversations' }).or(page.getByLabel('Conversations'));

  it('a conversation is assigned by key and by search, counted live, and undone', async () => {
    const id = await on.begin('Owned Olga');
    await on.begin('Free Fritz');
    await other.page.goto(`${on.stage.base}/app/inbox`);
    await other.page.getByRole('radio', { name: 'Mine' }).click();
    await other.page.getByText('Nothing assigned to you').waitFor();
    await on.open(id);
    await tab('Unassigned').getByText('2').waitFor();
    await page.keyboard.press('a');
    await picker('Owned Olga').getByText('Clara Nunes').waitFor();
    await tab('Mine').click();
    await list().getByText('Owned Olga').first().waitFor();
    await list().getByText('Free Fritz').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await sessionOf(id)).assignedUserId === null);
    await page.getByText('Nothing assigned to you').waitFor();
    await page.keyboard.press('Shift+A');
    await page.getByRole('combobox', { name: 'Assign to…' }).fill('otto');
    await page.keyboard.press('Enter');
    await eventually(async () => (await sessionOf(id)).assignedUserId === ottoId);
    // The list of the other person follows live.
    await other.page.getByText('Owned Olga').first().waitFor();
    await page.keyboard.press('Shift+U');
    await other.page.getByText('Nothing assigned to you').waitFor();
    await tab('All').click();
    assert.deepEqual([...on.visitor.errors(), ...other.errors()], []);
  });

  it('teams are made in the settings and chosen in the conversation', async () => {
    await page.goto(`${on.stage.base}/app/settings/teams`);
    await page.getByRole('button', { name: 'New team' }).click();
    await page.getByLabel('Name').fill('Support');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('combobox', { name: 'Members' }).fill('otto');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Business hours' }).click();
    await page.getByRole('option', { name: 'Always open' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('1 member', { exact: true }).waitFor();
    const [team] = (await on.stage.service.call('GET', '/teams')).body.items;
    const [hours] = (await on.stage.service.call('GET', '/business-hours')).body.items;
    assert.equal(team.hoursId, hours.id);
    const id = await on.begin('Team Tina');
    await on.open(id);
    await picker('Team Tina').click();
    await page.getByRole('combobox', { name: 'Team' }).click();
    await page.getByRole('option', { name: 'Support' }).click();
    await eventually(async () => (await sessionOf(id)).teamId !== null);
    await page.keyboard.press('Escape');
    // The team is named once.
    await header('Team Tina').getByRole('button', { name: 'Unassigned · Support', exact: true }).waitFor();
    await page.goto(`${on.stage.base}/app/settings/channels/${on.channel.id}`);
    await page.getByLabel('Assign automatically').click();
    await page.getByRole('option', { name: 'In turn' }).click();
    await page.getByLabel('Among').click();
    await page.getByRole('option', { name: 'Support' }).click();
    const channel = async () => (await on.stage.service.call('GET', `/channels/${on.channel.id}`)).body;
    await eventually(async () => (await channel()).assignment.teamId !== null);
    assert.equal((await channel()).assignment.mode, 'round_robin');
    await page.getByRole('combobox', { name: 'Business hours' }).click();
    await page.getByRole('option', { name: 'Always open' }).click();
    await eventually(async () => (await channel()).hoursId === hours.id);
    // Hours that something uses stay, and the editor says where they are used.
    assert.deepEqual(on.visitor.errors(), []);
  });

  it('whoever is away gets nothing; who is available gets what needs a person, and hears of it', async () => {
    const mine = other.page;
    await mine.goto(`${on.stage.base}/app/inbox`);
    const available = mine.getByRole('menuitemcheckbox', { name: 'Available for new conversations' });
    await mine.getByRole('button', { name: /Account and theme/ }).click();
    await available.click();
    await mine.keyboard.press('Escape');
    const me = async () =>
      (await on.stage.service.call('GET', '/users')).body.items.find(
        (one: { id: string }) => one.id === ottoId,
      );
    await eventually(async () => (await me()).availability === 'away');
    const id = await on.begin('Urgent Uma');
    await on.stage.service.call('PATCH', `/sessions/${id}`, { body: { needsAttention: true } });
    assert.equal((await sessionOf(id)).assignedUserId, null);
    await mine.getByRole('button', { name: /Account and theme/ }).click();
    await available.click();
    await mine.keyboard.press('Escape');
    await eventually(async () => (await sessionOf(id)).assignedUserId === ottoId);
    await mine.getByText('This conversation was assigned to you automatically.').first().waitFor();
    assert.deepEqual(other.errors(), []);
  });

  it('colleagues see each other above the composer and in the list, also at 360 px', async () => {
    const id = await on.begin('Crowded Cora');
    await on.open(id, other.page);
    await page.goto(`${on.stage.base}/app/inbox`);
    const row = page.locator(`[data-session="${id}"]`);
    await row.getByText('Otto Weber is reading this').waitFor({ state: 'attached' });
    await row.click();
    const chat = page.getByRole('region', { name: 'Crowded Cora' });
    await chat.getByText('Otto Weber is reading this').waitFor();
    await other.page.getByRole('textbox', { name: 'Reply' }).pressSequentially('Hello');
    await chat.getByText('Otto Weber is replying').waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await picker('Crowded Cora').waitFor();
    await page.goto(`${on.stage.base}/app/inbox`);
    await tab('Unassigned').click();
    assert.deepEqual(on.visitor.errors(), []);
  });
});
