/** A mailbox from the form to the sent mail, against an IMAP and an SMTP server on the loopback. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { DashboardStage, Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type ImapServer, startImapServer } from '../support/providers/imap-server.ts';
import { type MailSubmission, startMailSubmission } from '../support/providers/mail-submission.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

const mail = (subject: string, id: string, html: string) => `From: Ana Lima <ana@example.com>
To: Shop <shop@example.com>
Cc: Bo <bo@example.com>
Subject: ${subject}
Message-ID: <${id}@example.com>
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=alt

--alt
Content-Type: text/plain; charset=utf-8

Where is ${id}?
--alt
Content-Type: text/html; charset=utf-8

${html}
--alt--
`;

const sessionId = 'email:ana@example.com';
/** The mail goes through the queues of the service. */
const slowMs = 30_000;

describe('a mailbox in the dashboard', () => {
  let stage: DashboardStage;
  let imap: ImapServer;
  let smtp: MailSubmission;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    [imap, smtp] = await Promise.all([startImapServer(), startMailSubmission()]);
    stage = await startDashboard(loopbackAllowed);
    // The AI says nothing before the test is over.
    const { call } = stage.service;
    const agentId = (await call('GET', '/agents')).body.items[0].id;
    await call('PATCH', `/agents/${agentId}`, { body: { batchWindowMs: 60_000 } });
    visitor = await stage.open(stage.service.admin, { path: '/settings/channels/connect' });
    page = visitor.page;
  });
  after(async () => {
    await stage.close();
    await Promise.all([imap.close(), smtp.close()]);
  });

  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label }).press('Enter');
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const message = (text: string) => page.getByRole('log').getByRole('article').filter({ hasText: text });
  const reply = () => page.getByRole('textbox', { name: 'Reply', exact: true });
  const cc = () => page.getByLabel('Cc', { exact: true });
  const recipients = (text: string) =>
    eventually(async () => {
      const group = page.getByRole('group', { name: 'Recipients of the reply' });
      return (await group.locator('> *').allInnerTexts()).join(' ') === text;
    });
  const sentTo = async (address: string) => {
    const found = () => smtp.mails.filter(({ to }) => to.includes(address)).at(-1);
    await eventually(() => found() !== undefined, slowMs);
    return found()!;
  };

  it('is connected by its form', async () => {
    await page.getByRole('button', { name: /^E-mail mailbox/ }).click();
    await page.getByRole('radio', { name: 'Outlook' }).click();
    await page.getByText(/no longer accept passwords for IMAP/).waitFor();
    assert.equal(await page.getByRole('link', { name: /apppasswords/ }).count(), 0);
    await page.getByRole('radio', { name: 'Gmail' }).click();
    await page.getByRole('link', { name: /apppasswords/ }).waitFor();
    await page.getByRole('radio', { name: 'Other' }).click();
    await fill('Name', 'Shop mail');
    await fill('E-mail address', 'shop@example.com');
    await fill('Password or app password', imap.password);
    await fill('IMAP server', '127.0.0.1');
    await fill('SMTP server', '127.0.0.1');
    await fill('Sender name', 'The shop');
    await fill('Signature', 'Kind regards,\nThe shop');
    await page.getByText('More', { exact: true }).click();
    const encryption = (name: string) => page.getByRole('combobox', { name }).textContent();
    await fill('IMAP port', '143');
    assert.equal(await encryption('IMAP encryption'), 'STARTTLS');
    await fill('IMAP port', '993');
    assert.equal(await encryption('IMAP encryption'), 'TLS');
    await fill('IMAP port', String(imap.port));
    await choose('IMAP encryption', 'STARTTLS');
    await fill('SMTP port', String(smtp.port));
    await choose('SMTP encryption', 'STARTTLS');
    await fill('IMAP user name', 'shop');
    // What was chosen by hand stays.
    await fill('SMTP port', '465');
    assert.equal(await encryption('SMTP encryption'), 'STARTTLS');
    await fill('SMTP port', String(smtp.port));
    await fill('SMTP password', smtp.password);
    await fill('Name of the receiving server', 'mx.example.com');
    await fill('AI replies in 10 minutes', 'many');
    await fill('AI replies in a day', '7');
    const connect = page.getByRole('button', { name: 'Connect', exact: true });
    await connect.click();
    await page
      .getByText(/^This value does not have the right form\. How often the AI answers one address/)
      .waitFor();
    await fill('AI replies in 10 minutes', '3');
    await connect.click();
    await page.getByRole('heading', { level: 2 }).getByText('Connected', { exact: true }).waitFor();
    const connector = async () => {
      const { items } = (await stage.service.call('GET', '/channels')).body;
      const found = items.find((one: { name: string }) => one.name === 'Shop mail').connector;
      return [found.authservId, found.repliesPer10Minutes, found.repliesPerDay];
    };
    assert.deepEqual(await connector(), ['mx.example.com', 3, 7]);
    await page.getByRole('button', { name: 'Change credentials' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('More', { exact: true }).click();
    assert.equal(await dialog.getByLabel('AI replies in a day', { exact: true }).inputValue(), '7');
    await dialog.getByLabel('AI replies in a day', { exact: true }).fill('0');
    await dialog.getByLabel('Name of the receiving server', { exact: true }).fill('');
    await dialog.getByRole('button', { name: 'Save and connect' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await connector(), [undefined, 3, 0]);
    await page.getByRole('heading', { level: 2 }).getByText('Connected', { exact: true }).waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('mails arrive', async () => {
    imap.deliver(mail('Order 4411', 'order', '<h1>Where is the order?</h1><p>Ana</p>'));
    imap.deliver(mail('Price list', 'list', '<h1>Prices</h1><p>All of them</p>'));
    await eventually(async () => {
      const { body } = await stage.service.call('GET', `/sessions/${sessionId}/messages`);
      return body.items?.length === 2;
    }, slowMs);
    await page.goto(`${stage.base}/app/inbox/${sessionId}`);
    await message('Where is list?').waitFor();
    await message('Where is order?').getByRole('button', { name: 'Show original formatting' }).waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('Cc and subject are part of the draft, after a reload and after Undo', async () => {
    await page
      .getByRole('note', { name: /^Signature of this channel/ })
      .getByText('Kind regards,')
      .waitFor();
    await page.getByText('The customer’s last e-mail is quoted below your reply.').waitFor();
    await page.getByRole('button', { name: /^Re: Price list/ }).click();
    await recipients('To ana@example.com Cc bo@example.com Reply to sender only');
    await page.getByRole('button', { name: 'Reply to sender only' }).click();
    await recipients('To ana@example.com Reply to all');
    await page.getByRole('button', { name: 'Reply to all' }).click();
    await recipients('To ana@example.com Cc bo@example.com Reply to sender only');
    await page.getByRole('button', { name: 'Remove bo@example.com' }).click();
    await recipients('To ana@example.com Reply to all');
    await fill('Cc', 'bo@example.com, di@');
    await page.getByText('Not an e-mail address: di@').waitFor();
    await fill('Cc', 'bo@example.com');
    await fill('Subject', 'Your prices');
    await reply().fill('They are below.');
    const jwt = stage.service.admin.jwt;
    const wait = (undoSendSeconds: number) =>
      stage.service.call('PATCH', '/auth/me', { token: jwt, body: { undoSendSeconds } });
    assert.equal((await wait(20)).status, 200);
    const isKept = async () => {
      await cc().waitFor();
      return {
        text: await reply().inputValue(),
        cc: await cc().inputValue(),
        subject: await page.getByLabel('Subject', { exact: true }).inputValue(),
      };
    };
    const draft = { text: 'They are below.', cc: 'bo@example.com', subject: 'Your prices' };
    await page.reload();
    assert.deepEqual(await isKept(), draft);
    await reply().press('Enter');
    const subject = page.getByLabel('Subject', { exact: true });
    await eventually(async () => (await reply().inputValue()) === '' && (await subject.inputValue()) === '');
    await page.getByRole('log').getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await reply().inputValue()) !== '');
    assert.deepEqual(await isKept(), draft);
    assert.equal((await wait(0)).status, 200);
    await page.reload();
    assert.deepEqual(await isKept(), draft);
  });

  it('a reply goes out with its Cc, the signature and the quoted mail, and the draft is gone', async () => {
    await reply().press('Enter');
    const { to, raw } = await sentTo('bo@example.com');
    assert.deepEqual([...to].sort(), ['ana@example.com', 'bo@example.com']);
    assert.match(raw, /^Subject: Your prices\r$/m);
    assert.match(raw, /They are below\.[\s\S]*Kind regards,\r\nThe shop[\s\S]*> Where is list\?/);
    await message('They are below.').getByText('Cc: Bo <bo@example.com>').waitFor();
    await page.reload();
    await page.getByRole('button', { name: /^Re: Your prices$/ }).waitFor();
    await recipients('To ana@example.com Cc bo@example.com Reply to sender only');
    assert.equal(await reply().inputValue(), '');
    assert.deepEqual(visitor.errors(), []);
  });

  it('a Reply-To that is not the customer’s is shown, and answered only if it is chosen', async () => {
    imap.deliver(
      mail('Price list', 'it', '<p>It</p>').replace('To: Shop', 'Reply-To: cy@example.net\nTo: Shop'),
    );
    await message('Where is it?').waitFor({ timeout: slowMs });
    await message('Where is it?')
      .getByText(/^Asks for answers to cy@example\.net/)
      .waitFor();
    await page.getByRole('button', { name: 'Reply to cy@example.net instead' }).click();
    await page.getByText('Your reply goes to cy@example.net.').waitFor();
    await page.getByRole('button', { name: 'Reply to the customer' }).click();
    await page.getByRole('button', { name: 'Reply to cy@example.net instead' }).click();
    await reply().fill('For Cy');
    await reply().press('Enter');
    assert.deepEqual(
      (await sentTo('cy@example.net')).to,
      ['cy@example.net'],
      'who asks for it chose the copies',
    );
    assert.deepEqual(visitor.errors(), []);
  });

  it('a reply goes to everybody who got the mail, without a choice, and to the sender only on demand', async () => {
    imap.deliver(mail('All of us', 'all', '<p>All</p>').replace('To: Shop', 'To: Ed <ed@example.com>, Shop'));
    await message('Where is all?').waitFor({ timeout: slowMs });
    await recipients('To ana@example.com Cc ed@example.com bo@example.com Reply to sender only');
    await reply().fill('For all of you');
    await reply().press('Enter');
    const { to, raw } = await sentTo('ed@example.com');
    assert.deepEqual(to, ['ana@example.com', 'ed@example.com', 'bo@example.com']);
    assert.match(raw, /^Cc: Ed <ed@example\.com>, Bo <bo@example\.com>\r$/m);
    await page.getByRole('button', { name: 'Reply to sender only' }).click();
    await reply().fill('For Ana');
    await reply().press('Enter');
    const toAna = () => smtp.mails.filter((one) => one.raw.includes('For Ana'));
    await eventually(() => toAna().length > 0, slowMs);
    assert.deepEqual(toAna()[0]!.to, ['ana@example.com']);
    assert.deepEqual(visitor.errors(), []);
  });

  it('a message is forwarded with a note', async () => {
    await message('Where is order?').getByRole('button', { name: 'Message actions' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Forward…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Forward message' });
    const recipients = dialog.getByLabel('Recipients');
    await recipients.fill('nobody');
    await dialog.getByRole('button', { name: 'Forward', exact: true }).press('Enter');
    await dialog.getByText('Not an e-mail address: nobody').waitFor();
    await recipients.fill('Di <di@example.com>; nobody');
    await recipients.press('Enter');
    await dialog.getByText('Not an e-mail address: nobody').waitFor();
    await recipients.fill('Di <di@example.com>');
    await dialog.getByLabel('Note above the message (optional)').fill('Please answer.');
    await dialog.getByRole('button', { name: 'Forward', exact: true }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const { to, raw } = await sentTo('di@example.com');
    assert.deepEqual(to, ['di@example.com']);
    assert.match(raw, /^Subject: Fwd: Order 4411\r$/m);
    assert.match(raw, /Please answer\.[\s\S]*Where is order\?/);
    await page.getByRole('log').getByText('Forwarded to di@example.com').waitFor();
    assert.deepEqual(visitor.errors(), []);
  });
});
