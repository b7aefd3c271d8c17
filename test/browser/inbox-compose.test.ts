import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
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

  const reply = (who = page) => who.getByRole('textbox', { name: 'Reply' });
  const lastOf = async (id: string): Promise<Json> => (await on.messages(id)).at(-1);
  const operatorSaid = async (id: string) =>
    (await on.messages(id)).filter((one) => one.role === 'operator').map((one) => one.content);
  const noErrors = () => assert.deepEqual(on.visitor.errors(), []);

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
