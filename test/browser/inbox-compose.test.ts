import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '../../server/platform/db/sql.ts';
import { violationsInBothThemes } from '../support/accessibility.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/inbox.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

/** In the page, hence as text: the types here know no page. */
const giveFile = new Function(
  'area',
  'given',
  `const files = new DataTransfer();
  const content = Uint8Array.from(atob(given.bytes), (char) => char.charCodeAt(0));
  files.items.add(new File([content], given.name, { type: 'image/png' }));
  const made = given.event === 'paste'
    ? new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true })
    : new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true });
  area.dispatchEvent(made);`,
) as (area: unknown, given: { event: string; name: string; bytes: string }) => void;
const toneForMicrophone = `navigator.mediaDevices.getUserMedia = async () => {
  const context = new AudioContext();
  const tone = context.createOscillator();
  const out = context.createMediaStreamDestination();
  tone.connect(out);
  tone.start();
  return out.stream;
}`;

describe('writing in the inbox', () => {
  let on: InboxStage;
  let page: Page;
  let png: Buffer;

  before(async () => {
    // Before the service's first picture: from then on this process reads no SVG.
    png = await picture();
    on = await startInbox();
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

  it('a note is written on other paper, seen by the AI only when switched on, edited and deleted', async () => {
    const id = await on.begin('Note Nils');
    await on.goTo(id);
    await page.getByRole('log').focus();
    await page.keyboard.press('n');
    const note = page.getByRole('textbox', { name: 'Note' });
    await note.fill('Among us');
    assert.deepEqual(await violationsInBothThemes(page), []);
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
    await page.getByRole('button', { name: 'Undo' }).click();
    await shown.waitFor();
    await shown.hover();
    await shown.getByRole('button', { name: 'Delete the note' }).click();
    await eventually(async () => !(await on.messages(id)).some((one) => one.isNote), 15_000);
    noErrors();
  });

  it('files come by the button, by paste and by drop, with progress; what is not allowed is refused', async () => {
    const id = await on.begin('File Fritz');
    await on.goTo(id);
    await page.locator('input[type=file]').setInputFiles([
      { name: 'one.png', mimeType: 'image/png', buffer: png },
      { name: 'tool.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') },
    ]);
    await page.getByText('tool.exe: files of this type cannot be sent').waitFor();
    const give = (event: 'paste' | 'drop', name: string) =>
      reply().evaluate(giveFile, { event, name, bytes: png.toString('base64') });
    await give('paste', 'two.png');
    await give('drop', 'three.png');
    for (const name of ['one.png', 'two.png', 'three.png']) {
      await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
    }
    await page.getByRole('button', { name: 'Remove three.png' }).click();
    await reply().fill('Two pictures');
    await reply().press('Enter');
    await page.getByRole('log').getByRole('button', { name: 'Open the picture one.png' }).waitFor();
    await page.getByRole('log').getByRole('button', { name: 'Open the picture two.png' }).waitFor();
    const { attachments, content } = await lastOf(id);
    assert.equal(content, 'Two pictures');
    assert.deepEqual(
      attachments.map((one: Json) => [one.fileName, one.size]),
      [
        ['one.png', png.length],
        ['two.png', png.length],
      ],
    );
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

  it('a voice message is recorded, heard and sent', async () => {
    const id = await on.begin('Voice Vera');
    // A tone instead of a microphone: everything after it is the real thing.
    await page.addInitScript(toneForMicrophone);
    await on.open(id);
    await page.getByRole('button', { name: 'Record a voice message' }).click();
    await page.getByRole('timer', { name: /Recording, 0:0[1-9]/ }).waitFor();
    await page.getByRole('button', { name: 'Attach the recording' }).click();
    await page.getByRole('button', { name: /Remove voice-.*webm/ }).waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('log').getByRole('button', { name: 'Play' }).waitFor();
    const [file] = (await lastOf(id)).attachments;
    assert.equal(file.contentType, 'audio/webm');
    assert.ok(file.size > 1_000);
    await page.getByRole('button', { name: 'Record a voice message' }).click();
    await page.getByRole('button', { name: 'Discard the recording' }).click();
    assert.equal(await page.getByRole('button', { name: /Remove voice-/ }).count(), 0);
    noErrors();
  });

  it('emoji are found by a word; saved replies come by a slash with their placeholders filled', async () => {
    const id = await on.begin('Saved Sofia');
    await on.goTo(id);
    await page.getByRole('button', { name: 'Emoji' }).click();
    await page.getByRole('textbox', { name: 'Search emoji' }).fill('thumbs up');
    await page.keyboard.press('Enter');
    await eventually(async () => (await reply().inputValue()) === '👍');
    await reply().fill('Hello {{first name}}, here is {{operator}}. {{unknown}}');
    await page.getByRole('button', { name: 'Saved replies' }).click();
    await page.getByRole('button', { name: /Save this text/ }).click();
    const dialog = page.getByRole('dialog', { name: 'New saved reply' });
    await dialog.getByLabel('Name').fill('greeting');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await reply().fill('');
    await reply().pressSequentially('/gre');
    await page.getByRole('option', { name: /greeting/ }).waitFor();
    await reply().press('Enter');
    await eventually(
      async () => (await reply().inputValue()) === 'Hello Saved, here is Clara Nunes. {{unknown}}',
    );
    assert.deepEqual(await operatorSaid(id), []);
    noErrors();
  });

  it('what was begun is there again after looking elsewhere', async () => {
    const first = await on.begin('Draft Dora');
    await on.begin('Draft Dan');
    await on.goTo(first);
    await reply().fill('Half a sent');
    await page.getByRole('link', { name: /^Draft Dan/ }).click();
    await page.getByRole('heading', { name: 'Draft Dan' }).waitFor();
    assert.equal(await reply().inputValue(), '');
    await page.getByRole('link', { name: /^Draft Dora/ }).click();
    await page.getByRole('heading', { name: 'Draft Dora' }).waitFor();
    assert.equal(await reply().inputValue(), 'Half a sent');
    noErrors();
  });
});
