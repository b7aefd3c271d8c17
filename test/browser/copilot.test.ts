/** What only a browser does: Ctrl+J is not the browser's own, and the text of a suggestion arrives in parts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { violationsInBothThemes } from '../support/accessibility.ts';
import { copilotOf } from '../support/copilot.ts';
import { startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { startInbox } from '../support/inbox-stage.ts';
import { says, startOpenAiServer } from '../support/model-servers.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

it('from Ctrl+J to the sent reply', async (test) => {
  const model = await startOpenAiServer({ apiKey: 'sk-copilot' });
  test.after(() => model.close());
  const on = await startInbox(() => startDashboard(loopbackAllowed));
  test.after(() => on.stage.close());
  const { page, visitor } = on;
  await copilotOf(on.stage.service).helper(model);
  const id = await on.begin('Suggested Sue');
  await on.open(id);
  await page.getByRole('button', { name: 'Suggest a reply' }).waitFor();
  model.choose(() => says('Hello Sue, your parcel ships today.'));
  await page.keyboard.press('ControlOrMeta+j');
  await page.getByText('Suggested by the copilot. Check it before you send it.').waitFor();
  assert.deepEqual(await violationsInBothThemes(page), []);
  const reply = page.getByRole('textbox', { name: 'Reply' });
  assert.equal(await reply.inputValue(), 'Hello Sue, your parcel ships today.');
  await reply.press('Enter');
  await eventually(async () => (await on.messages(id)).at(-1)!.content.startsWith('Hello Sue'));
  assert.equal(await reply.inputValue(), '');
  assert.deepEqual(visitor.errors(), []);
});
