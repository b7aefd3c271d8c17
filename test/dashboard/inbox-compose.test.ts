import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '../../server/platform/db/sql.ts';
import { settled } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/inbox.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

describe('writing in the inbox', () => {
  let on: InboxStage;
  let page: Page;
  let png: Buffer;

  before(async () => {
    // Before the service's first picture: from then on this process reads no SVG.
    png = await picture();
    on = await startInbox(startDashboard);
    ({ page } = on);
  });
  after(() => on.stage.close());

  const said = (text: string | RegExp, who = page) => who.getByRole('log').getByText(text);
  const reply = (who = page) => who.getByRole('textbox', { name: 'Reply' });
  const lastOf = async (id: string): Promise<Json> => (await on.messages(id)).at(-1);
  const operatorSaid = async (id: string) =>
    (await on.messages(id)).filter((one) => one.role === 'operator').map((one) => one.content);
  const noErrors = () => assert.deepEqual(on.visitor.errors(), []);

  it('a reply is seen at once, sent once, and marks the conversation as read', async () => {
    const id = await on.begin('Reply Rolf');
    await on.goTo(id);
    await reply().fill('First line');
    await reply().press('Shift+Enter');
    await reply().pressSequentially('second line');
    await page.getByRole('button', { name: 'Send' }).click();
    await said('First line second line').waitFor();
    await eventually(async () => (await operatorSaid(id))[0] === 'First line\nsecond line');
    assert.equal(await said(/First line/).count(), 1);
    await page.getByRole('link', { name: /^Reply Rolf.*Team: First line/ }).waitFor();
    const { body } = await on.stage.service.call('GET', `/sessions/${id}`);
    assert.equal(body.unread, 0);
    noErrors();
  });

  it('what did not get through says so; Retry is the same act, not a second one', async () => {
    const id = await on.begin('Lost Lena');
    await on.goTo(id);
    const keys: (string | undefined)[] = [];
    await page.route('**/agent-messages', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await (keys.length === 1 ? route.abort('connectionreset') : route.continue());
    });
    await reply().fill('Only once, please');
    await reply().press('Enter');
    const failed = page.getByRole('log').getByRole('alert');
    await failed.getByText('Not sent').waitFor();
    await failed.getByRole('button', { name: 'Retry' }).click();
    await failed.waitFor({ state: 'detached' });
    await eventually(async () => (await operatorSaid(id)).length === 1);
    assert.equal(await said('Only once, please').count(), 1);
    assert.equal(keys.length, 2);
    assert.ok(keys[0] && keys[0] === keys[1]);
    await page.unroute('**/agent-messages');
    on.visitor.errors();
  });

  it('a message whose answer was lost is known by what is heard of it, and shown once', async () => {
    const id = await on.begin('Unanswered Uma');
    await on.goTo(id);
    await page.route('**/agent-messages', async (route) => {
      const response = await route.fetch();
      assert.equal(response.status(), 201);
      await route.abort('connectionreset');
    });
    await reply().fill('Heard of');
    await reply().press('Enter');
    await page.getByRole('article', { name: /^You,/ }).getByText('Heard of').waitFor();
    assert.equal(await said('Heard of').count(), 1);
    assert.equal(await page.getByRole('log').getByRole('alert').count(), 0);
    assert.deepEqual(await operatorSaid(id), ['Heard of']);
    await page.unroute('**/agent-messages');
    on.visitor.errors();
  });

  it('a reply that failed stays, also when the same words are heard from the same person', async () => {
    const id = await on.begin('Same Sam');
    await on.goTo(id);
    await page.route('**/agent-messages', (route) => route.abort('connectionreset'));
    await reply().fill('ok');
    await reply().press('Enter');
    const failed = page.getByRole('log').getByRole('alert');
    await failed.getByText('Not sent').waitFor();
    const { body: session } = await on.stage.service.call('GET', `/sessions/${id}`);
    const path = `/channels/${session.channelId}/sessions/${id}/agent-messages`;
    const token = on.stage.service.admin.jwt;
    const other = await on.stage.service.call('POST', path, { token, body: { content: 'ok' } });
    assert.equal(other.status, 201, other.text);
    await page.getByRole('article', { name: /^You,/ }).getByText('ok').waitFor();
    assert.equal(await failed.count(), 1);
    await page.unroute('**/agent-messages');
    await failed.getByRole('button', { name: 'Retry' }).click();
    await failed.waitFor({ state: 'detached' });
    await eventually(async () => (await operatorSaid(id)).length === 2);
    on.visitor.errors();
  });

  it('replies written offline wait, say so as the banner does, and are sent once and in order', async () => {
    const id = await on.begin('Offline Ole');
    await on.goTo(id);
    await page.context().setOffline(true);
    await page.getByText(/You are offline.*Replies and notes are sent when you are back online/).waitFor();
    for (const text of ['first', 'second']) {
      await reply().fill(text);
      await reply().press('Enter');
    }
    const waits = page.getByRole('log').getByText('Waiting. Sent when you are back online.');
    await eventually(async () => (await waits.count()) === 2);
    assert.equal(await page.getByRole('log').getByRole('alert').count(), 0);
    await page.context().setOffline(false);
    await waits.first().waitFor({ state: 'detached' });
    await eventually(async () => (await operatorSaid(id)).length === 2);
    assert.deepEqual(await operatorSaid(id), ['first', 'second']);
    await settled(page);
    assert.equal(await said(/^(first|second)$/).count(), 2);
    on.visitor.errors();
  });

  it('a note is written on other paper, seen by the AI only when switched on, edited and deleted', async () => {
    const id = await on.begin('Note Nils');
    await on.goTo(id);
    await page.getByRole('log').focus();
    await page.keyboard.press('n');
    const note = page.getByRole('textbox', { name: 'Note' });
    await note.fill('Among us');
    await page.getByRole('switch', { name: 'Visible to the AI' }).click();
    await page.getByRole('button', { name: 'Add note' }).click();
    const shown = page.getByRole('region', { name: 'Note, not visible to the customer' });
    await shown.getByText('Among us').waitFor();
    await shown.getByText('Visible to the AI').waitFor();
    await eventually(async () => {
      const last = await lastOf(id);
      return last.isNote && last.isNoteVisibleToAi && last.content === 'Among us';
    });
    await shown.hover();
    await shown.getByRole('button', { name: 'Edit the note' }).click();
    await shown.getByRole('textbox').fill('Among us, corrected');
    await shown.getByRole('switch', { name: 'Visible to the AI' }).click();
    await shown.getByRole('button', { name: 'Save' }).click();
    await shown.getByText('Hidden from the AI').waitFor();
    await eventually(async () => {
      const last = await lastOf(id);
      return last.content === 'Among us, corrected' && !last.isNoteVisibleToAi;
    });
    await shown.hover();
    await shown.getByRole('button', { name: 'Delete the note' }).click();
    await shown.waitFor({ state: 'detached' });
    // Somebody else's change is heard of meanwhile: it does not bring the note back, but Undo shows it.
    const { id: noteId } = await lastOf(id);
    const path = `/channels/${on.channel.id}/sessions/${id}/notes/${noteId}`;
    await on.stage.service.call('PATCH', path, { body: { content: 'Among us, by another' } });
    await on.inbox.customerSays(id, { content: 'Heard after it' });
    await said('Heard after it').waitFor();
    assert.equal(await shown.count(), 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await shown.getByText('Among us, by another').waitFor();
    await shown.hover();
    await shown.getByRole('button', { name: 'Delete the note' }).click();
    await eventually(async () => !(await on.messages(id)).some((one) => one.isNote), 15_000);
    noErrors();
  });

  it('a note takes files, alone too, and shows them; nothing of it is sent', async () => {
    const id = await on.begin('Paper Paula');
    await on.goTo(id);
    await page.getByRole('log').focus();
    await page.keyboard.press('n');
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'contract.png', mimeType: 'image/png', buffer: png }]);
    await page.getByRole('button', { name: 'Remove contract.png' }).waitFor();
    await page.getByRole('button', { name: 'Add note' }).click();
    const shown = page.getByRole('region', { name: 'Note, not visible to the customer' });
    await shown.getByRole('button', { name: 'Open the picture contract.png' }).waitFor();
    await eventually(async () => (await lastOf(id)).isNote);
    const { content, attachments } = await lastOf(id);
    assert.equal(content, '');
    assert.deepEqual(
      attachments.map((one: Json) => [one.fileName, one.size]),
      [['contract.png', png.length]],
    );
    await shown.getByRole('button', { name: 'Open the picture contract.png' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    noErrors();
  });

  it('a conversation with a held reply still needs attention after an answer', async () => {
    const id = await on.begin('Held Hedda');
    await on.stage.service.context.db.transaction((tx) =>
      tx.query(sql`update messages set held = true, role = 'assistant' where session_id = ${id}`),
    );
    await on.stage.service.call('PATCH', `/sessions/${id}`, { body: { needsAttention: true } });
    await on.goTo(id);
    const row = page.getByRole('link', { name: /^Held Hedda.*Needs attention/ });
    await row.waitFor();
    await reply().fill('One moment');
    await reply().press('Enter');
    await page
      .getByRole('link', {
        name: /^Held Hedda.*Team: One moment.*Needs attention|^Held Hedda.*Needs attention.*Team: One moment/,
      })
      .waitFor();
    noErrors();
  });
});
