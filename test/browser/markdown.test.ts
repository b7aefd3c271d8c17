/** The Markdown of messages: the same in the inbox and in the chat of the customer, and plain text where there is one line. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { buildWidget } from '../../scripts/build-widget.ts';
import type { BrowserStage } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

const steps = [
  '## How it goes',
  '',
  '1. Open **Settings**',
  '',
  '2. Choose `API Tokens`',
  '   - *read* only',
  '   - or both',
  'Then:',
  '3. See [the guide](https://guide.example/a) or https://guide.example/b.',
].join('\n');

/** What a reader sees of the structure: every list with its first number and its items. */
const structureOf = (of: Locator): Promise<Json> =>
  of.evaluate((element: Json) => ({
    lists: [...element.querySelectorAll('ol, ul')].map((list: Json) => [
      list.localName === 'ol' ? list.start : '•',
      ...[...list.children].map((item: Json) => item.firstChild.textContent + item.childNodes.length),
    ]),
    strong: [...element.querySelectorAll('strong')].map((one: Json) => one.textContent).at(-1),
    code: element.querySelector('code')?.textContent,
    links: [...element.querySelectorAll('a')].map((one: Json) => one.href),
  }));

describe('Markdown in messages', () => {
  let on: InboxStage<BrowserStage>;
  let page: Page;
  before(async () => {
    await buildWidget();
    on = await startInbox();
    ({ page } = on);
  });
  after(() => on.stage.close());

  const bubble = (id: string, where: Page | FrameLocator = page) => where.locator(`[data-message="${id}"]`);

  it('an operator’s reply looks the same to the operator and to the customer; numbers go on counting', async () => {
    const { call, admin } = on.stage.service;
    const chat = await on.stage.browser.newPage();
    const channels = (await call('GET', '/channels')).body.items as Json[];
    const web = channels.find(({ type }) => type === 'web');
    await chat.goto(`${on.stage.base}/widget/preview?channel=${web.id}&guide=en`);
    const frame = chat.frameLocator('iframe');
    const box = frame.getByRole('textbox', { name: 'Write a message' });
    await box.fill('How do I make a token?');
    await box.press('Enter');
    let session: Json;
    await eventually(async () => {
      session = (await call('GET', `/sessions?channelId=${web.id}`)).body.items[0];
      return session !== undefined;
    });
    const said = await on.inbox.operatorSays(session.sessionId, { content: steps }, admin.jwt);
    const { id } = said.message;
    await on.open(session.sessionId);
    await bubble(id, frame).waitFor();
    const expected = {
      lists: [
        [1, 'Open 2', 'Choose 3'],
        ['•', 'read2', 'or both1'],
        [3, 'See 5'],
      ],
      strong: 'Settings',
      code: 'API Tokens',
      links: ['https://guide.example/a', 'https://guide.example/b'],
    };
    assert.deepEqual(await structureOf(bubble(id)), expected);
    assert.deepEqual(await structureOf(bubble(id, frame)), expected);
    await chat.close();
  });

  it('what an operator sends, notes with their mentions, and what waits to be sent are rendered', async () => {
    const { call } = on.stage.service;
    const ana = await on.stage.service.createUser('operator');
    const { name } = (await call('GET', '/users')).body.items.find((one: Json) => one.id === ana.id);
    const id = await on.begin('Rendered Rita');
    await on.open(id);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/agent-messages', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('textbox', { name: 'Reply' }).fill('This is **bold**');
    await page.getByRole('textbox', { name: 'Reply' }).press('Enter');
    const log = page.getByRole('log');
    await log.locator('strong', { hasText: 'bold' }).waitFor();
    release();
    await log.getByText('Sending').waitFor({ state: 'detached' });
    await page.unroute('**/agent-messages');
    await log.locator('strong', { hasText: 'bold' }).waitFor();

    const note = await on.inbox.operatorSays(id, {
      content: `1. Ask @${name} **now**\n2. wait`,
      isNote: true,
      mentionedUserIds: [ana.id],
    });
    const shown = bubble(note.messageId);
    await shown.getByText(`@${name}`, { exact: true }).waitFor();
    assert.deepEqual(await structureOf(shown), {
      lists: [[1, `Ask 4`, 'wait1']],
      strong: 'now',
      code: undefined,
      links: [],
    });
  });

  it('a customer’s labelled link shows the address that it leads to', async () => {
    const content =
      'Please *check* [https://bank.example](https://evil.example/x) and [this](javascript:alert(1))';
    const id = await on.begin('Phishing Phil', { content });
    await on.open(id);
    const [message] = await on.messages(id);
    const shown = bubble(message.id);
    await shown.locator('em', { hasText: 'check' }).waitFor();
    await shown.getByText('[https://bank.example](').waitFor();
    const links = shown.getByRole('link');
    assert.deepEqual(await links.allTextContents(), ['https://evil.example/x']);
    assert.equal(await links.first().getAttribute('rel'), 'noreferrer noopener nofollow');
  });

  it('lists of conversations and cards show one line of plain text', async () => {
    const { admin } = on.stage.service;
    const id = await on.begin('Preview Pia');
    await on.inbox.operatorSays(
      id,
      { content: '**Done:**\n\n1. `tea`\n2. [cake](https://cake.example)' },
      admin.jwt,
    );
    await page.goto(`${on.stage.base}/app/inbox`);
    await page.locator(`[data-session="${id}"]`).getByText('Done: 1. tea 2. cake').waitFor();
    await page.goto(`${on.stage.base}/app/`);
    await page.locator('[data-card]', { hasText: 'Preview Pia' }).getByText('Done: 1. tea 2. cake').waitFor();
  });

  it('"Try it" of an agent renders the answer', async () => {
    const { call } = on.stage.service;
    const text = 'We have:\n\n- **Filter**\n- Espresso';
    await call('PATCH', `/agents/${on.agent.id}`, {
      body: { knowledge: [{ title: 'Which coffee do you have?', text }] },
    });
    await page.goto(`${on.stage.base}/app/settings/agents/${on.agent.id}`);
    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByLabel('Message as a customer').fill('Which coffee do you have?');
    await page.keyboard.press('Enter');
    const log = page.getByRole('log');
    await log.locator('li strong', { hasText: 'Filter' }).waitFor();
    assert.deepEqual(await log.getByRole('listitem').allTextContents(), ['Filter', 'Espresso']);
  });
});
