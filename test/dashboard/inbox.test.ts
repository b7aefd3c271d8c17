import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { performStep, withScene } from '../../server/features/steps/steps.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { newId } from '../../server/platform/ids.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

describe('the inbox', () => {
  let on: InboxStage;
  let page: Page;
  let call: InboxStage['stage']['service']['call'];

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
    ({ call } = on.stage.service);
  });
  after(() => on.stage.close());
  afterEach(() => assert.deepEqual(on.visitor.errors(), []));

  const row = (name: string, who = page) => who.getByRole('link', { name: new RegExp(`^${name}`) });
  const said = (text: string | RegExp, who = page) => who.getByRole('log').getByText(text);
  const toast = (text: string | RegExp, who = page) =>
    who.getByRole('region', { name: 'Messages' }).getByText(text);
  const sessionOf = async (id: string): Promise<Json> => (await call('GET', `/sessions/${id}`)).body;
  const inbox = async () => {
    await page.goto(`${on.stage.base}/app/inbox`);
    await page.getByRole('list', { name: 'Conversations' }).waitFor();
  };

  it('lists conversations with their marks, narrowed by filters and search', async () => {
    const quiet = await on.begin('Quiet Quinn');
    const needy = await on.begin('Needy Nora');
    const paused = await on.begin('Paused Paul');
    const blocked = await on.begin('Blocked Bea');
    await call('PATCH', `/sessions/${quiet}`, { body: { unread: 0 } });
    await call('PATCH', `/sessions/${needy}`, { body: { needsAttention: true } });
    await call('PATCH', `/sessions/${paused}/ai-paused`, { body: { aiPaused: true } });
    await call('POST', `/blocked-contacts/${encodeURIComponent((await sessionOf(blocked)).externalUserId)}`);
    await inbox();
    await row('Quiet Quinn.*Hello from Quiet Quinn').waitFor();
    await row('Needy Nora.*1 unread message, Needs attention').waitFor();
    await row('Paused Paul.*1 unread message, The AI is paused').waitFor();
    await row('Blocked Bea.*1 unread message, Blocked').waitFor();
    const shows = async (names: string[], missing: string) => {
      for (const name of names) await row(name).waitFor();
      await row(missing).waitFor({ state: 'detached' });
    };
    await page.getByRole('radio', { name: 'Unread' }).click();
    await shows(['Needy Nora', 'Paused Paul'], 'Quiet Quinn');
    await page.getByRole('radio', { name: 'Needs a person' }).click();
    await shows(['Needy Nora'], 'Paused Paul');
    await page.getByRole('radio', { name: 'AI paused' }).click();
    await shows(['Paused Paul'], 'Needy Nora');
    await page.getByRole('radiogroup', { name: 'Show' }).getByRole('radio', { name: 'All' }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('quinn');
    await shows(['Quiet Quinn'], 'Needy Nora');
    await page.getByRole('textbox', { name: 'Search people and messages' }).fill('nobody at all');
    await page.getByText('No person and no message matches “nobody at all”.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await shows(['Quiet Quinn', 'Needy Nora'], 'Nobody');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: on.agent.name }).click();
    await page.keyboard.press('Escape');
    await shows(['Quiet Quinn', 'Needy Nora'], 'Nobody');
  });

  it('a similar word in a found message is marked as such, and what led a customer here is shown', async () => {
    const id = await on.begin('Referred Rita', { content: 'the marmalade is gone' });
    await on.stage.service.context.db.autocommit(sql`
      update messages set data = '{"referral":{"source":"ADS","type":"OPEN_THREAD","ref":"spring","adId":"42"}}'
      where session_id = ${id} and role = 'user'`);
    await on.open(id);
    await page.getByText('Came by ADS · spring · 42').waitFor();
    await page.getByRole('textbox', { name: 'Search people and messages' }).fill('marmalade');
    await page.locator('[data-result]').getByText('the marmalade is gone').waitFor();
    assert.equal(await page.getByText('similar word').count(), 0);
    await page.getByRole('textbox', { name: 'Search people and messages' }).fill('marmelade');
    await page.getByText('similar word').waitFor();
    await page.getByRole('textbox', { name: 'Search people and messages' }).fill('');
  });

  it('by keyboard: j and k move, Enter opens, r writes, Enter sends, Escape leaves', async () => {
    await on.begin('Key Karl');
    const top = await on.begin('Key Kim');
    await inbox();
    await row('Key Kim').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await eventually(async () => (await page.evaluate('document.activeElement.dataset.session')) === top);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Key Kim' }).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await said('By keyboard').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByText('Choose a conversation').waitFor();
    // Shown before it is sent.
    await eventually(async () => {
      const sent = (await on.messages(top)).filter((one) => one.role === 'operator');
      return JSON.stringify(sent.map((one) => one.content)) === '["By keyboard"]';
    });
  });

  it('shows who said what: customer, AI, people, the system, receipts and reactions', async () => {
    await call('PATCH', `/agents/${on.agent.id}`, { body: { batchWindowMs: 0 } });
    const id = await on.begin('Role Rita');
    await eventually(async () => (await on.messages(id)).some((one) => one.role === 'assistant'), 20_000);
    await call('PATCH', `/agents/${on.agent.id}`, { body: { batchWindowMs: 60_000 } });
    const reply = await on.inbox.operatorSays(id, { content: 'A person here' });
    await on.inbox.receipt(id, reply.message.id, 'read', '👍');
    const board = (await call('POST', '/kanbans', { body: { name: 'Elsewhere' } })).body;
    await call('POST', `/sessions/${id}/transfer`, { body: { kanbanId: board.id } });
    await on.goTo(id);
    await page.getByRole('article', { name: /^Role Rita,/ }).waitFor();
    const ai = page.getByRole('article', { name: new RegExp(`^${on.agent.name},`) });
    await ai.getByText('AI', { exact: true }).waitFor();
    const mine = page.getByRole('article', { name: /^You,/ });
    await mine.getByRole('img', { name: /^Read, / }).waitFor();
    await mine.getByRole('img', { name: 'Reactions: 👍' }).waitFor();
    await said(/Conversation transferred from .* \(Elsewhere\)/).waitFor();
  });

  it('shows the name of a rule at what it wrote, live', async () => {
    const sessionId = await on.begin('Ruled Rita');
    await inbox();
    await row('Ruled Rita').click();
    await said('Hello from Ruled Rita').waitFor();
    const { service } = on.stage;
    const { db, clock, accountConfig, providers } = service.context;
    const { accountId } = service.admin;
    const actor = { kind: 'rule', accountId, id: newId(), name: 'Greet at night' } as const;
    const input = { actor, now: clock.now(), visible: null, accountConfig, providers };
    await db.transaction((tx) =>
      withScene(tx, input, { sessionId }, async (scene) => {
        await performStep(tx, scene, { type: 'reply', text: 'We are back at nine.', pauseAi: false });
        await performStep(tx, scene, { type: 'note', text: 'Greeted' });
      }),
    );
    const reply = page.getByRole('article', { name: /^Greet at night, / });
    await reply.getByText('We are back at nine.').waitFor();
    await reply.getByText('Rule', { exact: true }).waitFor();
    await page.getByRole('region', { name: /^Note/ }).getByText('Greet at night').waitFor();
  });

  it('a held reply is released or dropped; Undo brings a dropped one back', async () => {
    const id = await on.begin('Held Hans');
    await on.inbox.hold(id, 'The discount is 20%');
    await on.goTo(id);
    const held = page.getByRole('region', { name: 'Held back: not sent to the customer' });
    await held.getByText('The discount is 20%').waitFor();
    await held.getByRole('button', { name: 'Drop' }).click();
    await held.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await held.waitFor();
    await held.getByRole('button', { name: 'Release' }).click();
    await held.waitFor({ state: 'detached' });
    await said('The discount is 20%').waitFor();
    await eventually(async () => (await on.messages(id)).at(-1)?.held === false);
  });

  it('a held reply whose release was not answered is released once: a retry has the same key', async () => {
    const id = await on.begin('Answerless Anke');
    const held = await on.inbox.hold(id, 'The discount is 30%');
    await on.goTo(id);
    const keys: (string | undefined)[] = [];
    await page.route(`**/messages/${held}/release`, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      // The service has released it, the page never hears of it.
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('button', { name: 'Retry' }).click();
    await toast('The reply was sent').waitFor();
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    await page.unrouteAll({ behavior: 'wait' });
    on.visitor.errors(/Failed to load resource/);
  });

  it('takes over and hands back; the header says who answers', async () => {
    const id = await on.begin('Pause Pia');
    await on.goTo(id);
    await page.getByText(`${on.agent.name} answers`).first().waitFor();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('button', { name: 'Hand back' }).waitFor();
    await eventually(async () => (await sessionOf(id)).aiPaused);
    await page.getByRole('log').focus();
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Take over' }).waitFor();
    await eventually(async () => !(await sessionOf(id)).aiPaused);
    await toast(`${on.agent.name} answers again`).waitFor();
  });

  it('transfers to another agent and board, and Undo brings the conversation back', async () => {
    const other = (await call('POST', '/agents', { body: { name: 'Night shift', provider: 'offline' } }))
      .body;
    const board = (await call('POST', '/kanbans', { body: { name: 'Service' } })).body;
    await call('PATCH', `/channels/${on.channel.id}`, { body: { allowedAgentIds: [other.id] } });
    const id = await on.begin('Move Mia');
    const before = await sessionOf(id);
    await on.open(id);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /Transfer/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Transfer this conversation' });
    await dialog.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'Night shift' }).click();
    await dialog.getByRole('combobox', { name: 'Board' }).click();
    await page.getByRole('option', { name: 'Service' }).click();
    await dialog.getByRole('button', { name: 'Transfer' }).click();
    await said(/to Night shift \(Service\)/).waitFor();
    assert.equal((await sessionOf(id)).kanbanId, board.id);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => {
      const now = await sessionOf(id);
      return now.kanbanId === before.kanbanId && now.agentId === before.agentId;
    });
  });

  it('blocks after asking, leaves only notes, and unblocks', async () => {
    const id = await on.begin('Spam Sam');
    await on.goTo(id);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /Block/ }).click();
    await page.getByRole('dialog').getByLabel('Reason (optional)').fill('Spam');
    await page.getByRole('dialog').getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByText('This customer is blocked').waitFor();
    await page.getByRole('textbox', { name: 'Note' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Reply' }).count(), 0);
    const { externalUserId } = await sessionOf(id);
    const listed = async () =>
      (await call('GET', '/blocked-contacts')).body.items.find(
        (one: Json) => one.identifierValue === externalUserId,
      );
    await eventually(async () => (await listed())?.reason === 'Spam');
    await page.getByRole('button', { name: 'Unblock' }).click();
    await page.getByRole('textbox', { name: 'Reply' }).waitFor();
    await eventually(async () => (await listed()) === undefined);
  });

  it('the customer’s card stands beside the chat and is changed there; a card opens its chat', async () => {
    const id = await on.begin('Card Cleo');
    const { recordId, externalUserId, kanbanId } = await sessionOf(id);
    await on.inbox.customerSays('second-of-cleo', { sessionName: 'Cleo again', externalUserId });
    await on.goTo(id);
    const context = page.getByRole('complementary', { name: 'Customer' });
    await context.getByRole('link', { name: /Cleo again/ }).waitFor();
    await context.getByRole('combobox', { name: 'Status' }).click();
    const { statuses } = (await call('GET', `/kanbans/${kanbanId}`)).body;
    await page.getByRole('option', { name: statuses[1].label }).click();
    const status = async () => (await call('GET', `/crm/records/${recordId}`)).body.status;
    await eventually(async () => (await status()) === statuses[1].value);
    await context.getByRole('link', { name: 'Open the card' }).click();
    await page.getByRole('complementary', { name: 'Card Cleo' }).waitFor();
    await page.getByRole('button', { name: 'Open chat' }).click();
    await page.getByRole('heading', { name: 'Card Cleo' }).waitFor();
  });

  it('a conversation that is not there says so; an operator sees no chats of closed boards', async () => {
    const { service } = on.stage;
    const closed = (await call('POST', '/kanbans', { body: { name: 'Closed' } })).body;
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [service.admin.userId] } });
    const hidden = await on.begin('Hidden Hugo', { kanbanId: closed.id });
    await on.begin('Open Olga');
    const operator = await service.createUser('operator');
    const visitor = await on.stage.open(operator, { path: '/inbox' });
    await row('Open Olga', visitor.page).waitFor();
    assert.equal(await row('Hidden Hugo', visitor.page).count(), 0);
    await visitor.page.goto(`${on.stage.base}/app/inbox/${hidden}`);
    await visitor.page.getByText('Conversation not found').waitFor();
    assert.deepEqual(visitor.errors(/404/), []);
    await visitor.close();
  });

  it('on a phone one pane is seen at a time, and back leads to the list', async () => {
    await on.begin('Phone Pam');
    const visitor = await on.stage.open(on.stage.service.admin, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      path: '/inbox',
    });
    const phone = visitor.page;
    await row('Phone Pam', phone).click();
    await phone.getByRole('heading', { name: 'Phone Pam' }).waitFor();
    assert.equal(await phone.getByRole('list', { name: 'Conversations' }).isVisible(), false);
    assert.equal(await phone.getByRole('complementary', { name: 'Customer' }).count(), 0);
    await phone.getByRole('button', { name: 'More actions' }).click();
    await phone.getByRole('menuitem', { name: 'Show the customer' }).click();
    await phone.getByRole('complementary', { name: 'Customer' }).waitFor();
    await phone.getByRole('button', { name: 'Hide the customer' }).last().click();
    await phone.goBack();
    await row('Phone Pam', phone).waitFor();
    assert.deepEqual(visitor.errors(), []);
    await visitor.close();
  });
});
