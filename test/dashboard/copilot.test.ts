/** The copilot for operators: its settings, and suggestions in the composer. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { copilotOf } from '../support/copilot.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import { fails, type ModelServer, says, startOpenAiServer } from '../support/model-servers.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

describe('the copilot in the dashboard', () => {
  let on: InboxStage;
  let page: Page;
  let model: ModelServer;

  before(async () => {
    model = await startOpenAiServer({ apiKey: 'sk-copilot' });
    on = await startInbox(() => startDashboard(loopbackAllowed));
    ({ page } = on);
    await copilotOf(on.stage.service).helper(model, { name: 'Helper' });
  });
  after(async () => {
    await on.stage.close();
    await model.close();
  });

  const settings = async () => (await on.stage.service.call('GET', '/copilot/settings')).body;
  const reply = () => page.getByRole('textbox', { name: 'Reply' });
  const shows = (text: string) => eventually(async () => (await reply().inputValue()) === text);
  const marked = () => page.getByText('Suggested by the copilot. Check it before you send it.');
  const button = (name: string) => page.getByRole('button', { name });
  const contents = async (id: string) => (await on.messages(id)).map(({ content }) => content);

  it('a suggestion is marked until it is edited; Undo brings back what was typed', async () => {
    const id = await on.begin('Suggested Sue');
    await on.open(id);
    await button('Suggest a reply').waitFor();
    model.choose(() => says('Hello Sue, it ships today.'));
    await reply().fill('My own words');
    await page.keyboard.press('Control+j');
    await marked().waitFor();
    await shows('Hello Sue, it ships today.');
    await button('Undo').click();
    await shows('My own words');

    await button('Suggest a reply').click();
    await marked().waitFor();
    await reply().fill('Hello Sue, it ships tomorrow.');
    await marked().waitFor({ state: 'detached' });
    assert.equal((await contents(id)).length, 1, 'nothing was sent');
    await reply().press('Enter');
    await eventually(async () => (await contents(id)).at(-1) === 'Hello Sue, it ships tomorrow.');
    assert.equal(await reply().inputValue(), '');
  });

  it('a suggestion goes when the customer writes', async () => {
    const id = await on.begin('Writing Wim');
    await on.goTo(id);
    await reply().fill('Typed');
    await page.keyboard.press('Control+j');
    await marked().waitFor();
    await on.inbox.customerSays(id, { content: 'One more thing' });
    await page.getByText('The customer wrote, so the suggestion was removed').waitFor();
    await shows('Typed');
  });

  it('what fails is said in plain words, and can be tried again', async () => {
    model.choose(() => fails(400, {}, 'The model m is retired'));
    await on.goTo(await on.begin('Failing Fay'));
    await button('Suggest a reply').click();
    await page
      .getByRole('alert')
      .getByText(/The AI provider failed: .*The model m is retired/)
      .waitFor();
    model.choose(() => says('Back again.'));
    await button('Retry').click();
    await shows('Back again.');
    await button('Undo').click();
  });

  it('the settings choose the agent; off, nothing is offered', async () => {
    await page.goto(`${on.stage.base}/app/settings/copilot`);
    const choose = async (name: string) => {
      await page.getByRole('combobox', { name: 'Agent' }).click();
      await page.getByRole('option', { name }).click();
    };
    await choose(on.agent.name);
    await page.getByText('This agent has no AI model.').waitFor();
    assert.equal((await settings()).agentId, on.agent.id);
    await choose('Off');
    await eventually(async () => (await settings()).agentId === null);
    await on.goTo(await on.begin('Offered Otto'));
    assert.equal(await button('Suggest a reply').count(), 0);
  });
});
