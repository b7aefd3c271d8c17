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

  it('what is typed is rewritten and translated, the customer’s language first', async () => {
    const id = await on.begin('Portuguese Pia', { content: 'Onde está o meu pedido?' });
    await on.goTo(id);
    await reply().fill('it ships tomorow');
    const choose = async (name: string) => {
      await button('Rewrite or translate').click();
      await page.getByRole('menuitem', { name }).click();
    };
    model.choose(() => says('It ships tomorrow.'));
    await choose('Fix spelling and grammar');
    await page.getByText('Rewritten by the copilot.').waitFor();
    await shows('It ships tomorrow.');
    await button('Rewrite or translate').click();
    const items = await page.getByRole('menuitem').allTextContents();
    assert.equal(items[4], 'Portuguese');
    model.choose(() => says('Chega amanhã.'));
    await page.getByRole('menuitem', { name: 'Portuguese' }).click();
    await page.getByText('Translated by the copilot.').waitFor();
    await shows('Chega amanhã.');
    await on.inbox.customerSays(id, { content: 'Oi?' });
    await page.getByRole('log').getByText('Oi?').waitFor();
    await shows('Chega amanhã.');
    await button('Undo').click();
    await shows('it ships tomorow');
    await reply().fill('');
  });

  it('a message, or all of them, are shown with their translation', async () => {
    const id = await on.begin('Translated Tia', { content: 'Onde está o meu pedido?' });
    await on.inbox.customerSays(id, { content: 'Where is it, please?' });
    await on.goTo(id);
    model.choose(() => says('Where is my order?'));
    const first = page.getByRole('article').first();
    const choose = async (name: string) => {
      await first.getByRole('button', { name: 'Message actions' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Translate');
    await first.getByText('Where is my order?').waitFor();
    await first.getByText('Onde está o meu pedido?').waitFor();
    await choose('Hide translation');
    await first.getByText('Where is my order?').waitFor({ state: 'detached' });
    const asked = model.requests.length;
    await button('More actions').first().click();
    await page.getByRole('menuitem', { name: 'Translate all messages' }).click();
    await first.getByText('Where is my order?').waitFor();
    assert.equal(await page.getByText('In English').count(), 1, 'the other one is English');
    assert.equal(model.requests.length, asked, 'a translation is kept');
  });

  it('a handed-over conversation has a summary, made when it is opened', async () => {
    const id = await on.begin('Summarized Sam');
    for (const content of ['One', 'Two', 'Three', 'Four']) await on.inbox.customerSays(id, { content });
    await on.inbox.hold(id, 'A reply of the agent');
    const asked = model.requests.length;
    model.choose(() => says('- Sam waits for a parcel.'));
    await on.goTo(id);
    await button('Summary').waitFor();
    assert.equal(model.requests.length, asked);
    await button('Summary').click();
    await page.getByText('Sam waits for a parcel.').waitFor();
    await on.inbox.customerSays(id, { content: 'Five' });
    await page.getByText('There are newer messages.').waitFor();
    model.choose(() => says('- Sam still waits.'));
    await button('Summarize again').click();
    await page.getByText('Sam still waits.').waitFor();
  });

  it('a question is answered in the side panel, for the reader alone', async () => {
    const id = await on.begin('Asked Ada');
    await on.goTo(id);
    model.choose(() => says('She asked for a refund.'));
    const question = page.getByRole('textbox', { name: 'Ask about this conversation' });
    await question.fill('What does she want?');
    await question.press('Enter');
    const answers = page.getByRole('list', { name: 'Answers of the copilot' });
    await answers.getByText('What does she want?').waitFor();
    await answers.getByText('She asked for a refund.').waitFor();
    assert.equal((await contents(id)).length, 1, 'nothing was sent');
  });

  it('the settings choose the agent and its tasks; off, nothing is offered', async () => {
    const built = on.agent.name;
    await page.goto(`${on.stage.base}/app/settings/copilot`);
    const suggest = page.getByRole('checkbox', { name: 'Suggest replies' });
    await suggest.click();
    await eventually(async () => !(await settings()).tasks.includes('suggest'));
    await suggest.click();
    const choose = async (name: string) => {
      await page.getByRole('combobox', { name: 'Agent' }).click();
      await page.getByRole('option', { name }).click();
    };
    await choose(built);
    await page.getByText('This agent has no AI model.').waitFor();
    assert.equal((await settings()).agentId, on.agent.id);
    await choose('Off');
    await suggest.waitFor({ state: 'detached' });
    assert.equal((await settings()).agentId, null);
    await on.goTo(await on.begin('Offered Otto'));
    assert.equal(await button('Suggest a reply').count(), 0);
  });
});
