/** What goes out by e-mail: replies sent later, quotations, copies. A whole service, an IMAP and an SMTP server. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import PostalMime from 'postal-mime';
import { headerOf, mailboxStage, withText } from '../../../../test/support/providers/mailbox-stage.ts';
import { sql } from '../../../platform/db/sql.ts';

const hour = 3_600_000;
const date = 'Date: Mon, 02 Nov 2026 10:00:00 +0000';
const textOf = async (raw: string) =>
  ((await PostalMime.parse(raw)).text ?? '').replaceAll('\r\n', '\n').trimEnd();

describe('outgoing e-mail', () => {
  const stage = mailboxStage();
  const { quiet, receive, sent } = stage;
  let channel: ReturnType<typeof stage.channel>;
  before(() => {
    channel = stage.channel();
  });

  it('a reply that is sent later keeps its copies and its subject', async () => {
    const { service, talks } = channel;
    const { sessionId, path } = await quiet('ada@example.org');
    await receive(sessionId, { from: 'ada@example.org', text: 'A question' });
    const mail = { to: ['ada@example.org'], cc: ['Ben@example.org'], subject: 'Your question' };
    const scheduled = (body: object) =>
      talks.operatorSays(channel.id, encodeURIComponent(sessionId), {
        content: 'Later',
        sendAt: Date.now() + hour,
        ...body,
      });
    const wrong = await scheduled({ mail: { cc: ['nobody'] } });
    assert.deepEqual([wrong.status, wrong.body.message], [400, 'mail.cc[0] must be an e-mail address']);
    const many = Array.from({ length: 21 }, (_, index) => `a${index}@example.org`);
    for (const [to, message] of [
      [['ada@example.org', 'nobody'], 'mail.to[1] must be an e-mail address'],
      [[], 'mail.to must have at least 1 item'],
      [many, 'mail.to must have at most 20 items'],
      [[7], 'mail.to[0] must be a string'],
      [{}, 'mail.to must be a string or an array'],
    ] as const) {
      const refused = await scheduled({ mail: { to } });
      assert.deepEqual([refused.status, refused.body.message], [400, message]);
    }
    const { id } = (await talks.expect(201, scheduled({ mail }))).scheduledMessage;
    const change = service.call('PATCH', `${path}/scheduled-messages/${id}`, {
      body: { content: 'Changed' },
    });
    assert.deepEqual((await talks.expect(200, change)).mail, mail);
    const listed = await talks.expect(200, service.call('GET', `${path}/scheduled-messages`));
    assert.deepEqual(listed.items[0].mail, mail);
    await service.context.db.autocommit(sql`update scheduled_messages set send_at = 1 where id = ${id}`);
    const { raw, to } = await sent('ada@example.org');
    assert.deepEqual(to, ['ada@example.org', 'ben@example.org']);
    assert.equal(headerOf(raw, 'Subject'), 'Your question');
    const message = await channel.stored(sessionId, withText('Changed'));
    assert.deepEqual(message.data.mail.cc, [{ name: null, address: 'ben@example.org' }]);
  });

  it('a copy that is refused is a line for operators; the reply is sent', async () => {
    const { sessionId } = await quiet('cleo@example.org');
    await receive(sessionId, { from: 'cleo@example.org', text: 'Hello' });
    stage.smtp().refusals.push({ code: 250, text: '' }, { code: 550, text: 'No such user' });
    const mail = { cc: ['nobody@example.org'] };
    const id = await channel.operatorSays(sessionId, { content: 'Hello Cleo', mail });
    await channel.stored(sessionId, (one) => one.id === id && one.status === 'sent');
    const line = 'The mail server rejected copies of the e-mail: nobody@example.org (550 No such user)';
    const { role } = await channel.stored(sessionId, withText(line));
    assert.equal(role, 'system');
    assert.deepEqual((await sent('cleo@example.org')).to, ['cleo@example.org']);
  });

  it('an operator’s reply goes to everybody that it names, and to nobody else', async () => {
    const { sessionId, path } = await quiet('fay@example.org');
    const from = 'Fay F <fay@example.org>';
    const cc = 'Cc: Gus G <gus@example.org>, Hal <hal@example.org>';
    const first = await receive(sessionId, { from, text: 'All of us', headers: [cc] });
    assert.deepEqual(first.message.data.mail.answersTo, [{ name: 'Fay F', address: 'fay@example.org' }]);
    const mail = { to: ['Fay@example.org', 'ivy@example.org'], cc: ['gus@example.org', 'FAY@example.org'] };
    const id = await channel.operatorSays(sessionId, { content: 'To all', mail });
    const { raw, to } = await sent('ivy@example.org');
    assert.deepEqual(to, ['fay@example.org', 'ivy@example.org', 'gus@example.org']);
    assert.equal(headerOf(raw, 'To'), 'Fay F <fay@example.org>, ivy@example.org');
    assert.equal(headerOf(raw, 'Cc'), 'Gus G <gus@example.org>');
    const shown = await channel.stored(sessionId, (one) => one.id === id && one.status === 'sent');
    const gus = [{ name: 'Gus G', address: 'gus@example.org' }];
    assert.deepEqual(shown.data.mail.cc, gus);
    const content = await channel.talks.expect(
      200,
      channel.service.call('GET', `${path}/messages/${id}/mail`),
    );
    assert.deepEqual([content.to.length, content.cc], [2, gus]);
    // Somebody else writes: an operator who names the recipients leaves the customer out.
    const thread = [`In-Reply-To: ${headerOf(raw, 'Message-ID')}`];
    const other = { from: 'gus@example.org', text: 'Only me', headers: thread };
    await receive(sessionId, other);
    await channel.operatorSays(sessionId, { content: 'Only Gus', mail: { to: ['gus@example.org'] } });
    assert.deepEqual((await sent('gus@example.org', 2)).to, ['gus@example.org']);
    // Without recipients, as programs write: only the customer.
    await receive(sessionId, { ...other, text: 'With Hal', headers: [...thread, 'Cc: hal@example.org'] });
    await channel.operatorSays(sessionId, { content: 'By a program' });
    assert.deepEqual((await sent('fay@example.org', 2)).to, ['fay@example.org']);
  });

  it('each recipient of a report counts: a copy is a line, the customer or a further one in To fails the mail', async () => {
    const { sessionId } = await quiet('lia@example.org');
    await receive(sessionId, { from: 'lia@example.org', text: 'Reports' });
    const mail = {
      to: ['lia@example.org', 'mo@example.org'],
      cc: ['nia@example.org', 'ole@example.org', 'pia@example.org'],
    };
    const id = await channel.operatorSays(sessionId, { content: 'To five', mail });
    const ours = headerOf((await sent('lia@example.org')).raw, 'Message-ID')!;
    await channel.stored(sessionId, (one) => one.id === id && one.status === 'sent');
    const report = (...groups: string[][]) => {
      const status = groups.map(([to, action, said]) =>
        [`Final-Recipient: rfc822; ${to}`, `Action: ${action}`, `Diagnostic-Code: smtp; ${said}`].join('\n'),
      );
      const text = [
        '--r\nContent-Type: text/plain\n\nSorry.',
        `--r\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\n${status.join('\n\n')}\n`,
        `--r\nContent-Type: text/rfc822-headers\n\nMessage-ID: ${ours}`,
        '--r--',
      ].join('\n');
      const type = 'multipart/report; report-type=delivery-status; boundary=r';
      stage.write({ from: 'MAILER-DAEMON@mx.example.org', text, type });
    };
    const line = (to: string, said: string) => `The e-mail to ${to} could not be delivered: ${said}`;
    const lines = async () =>
      (await channel.talks.messages(sessionId))
        .filter(({ role }: { role: string }) => role === 'system')
        .map(({ content }: { content: string }) => content);
    const nobody = '550 No such user';
    report(
      ['LIA@example.org', 'delivered', '250 OK'],
      ['Nia@example.org', 'failed', nobody],
      ['ole@example.org', 'failed', '552 Full'],
    );
    await channel.stored(sessionId, withText(line('ole@example.org', '552 Full')));
    assert.deepEqual((await lines()).sort(), [
      line('Nia@example.org', nobody),
      line('ole@example.org', '552 Full'),
    ]);
    // Each server sends its own report, some of them twice.
    report(['nia@example.org', 'failed', 'Again']);
    report(['pia@example.org', 'failed', nobody]);
    await channel.stored(sessionId, withText(line('pia@example.org', nobody)));
    const message = (await channel.talks.messages(sessionId)).find((one: { id: string }) => one.id === id);
    assert.deepEqual([message.status, message.statusReason], ['sent', null]);
    report(['mo@example.org', 'failed', nobody]);
    const failed = await channel.stored(sessionId, (one) => one.id === id && one.status === 'failed');
    assert.equal(failed.statusReason, line('mo@example.org', nobody));
    report(['somebody@example.net', 'failed', 'Not a recipient']);
    report(['lia@example.org', 'failed', nobody]);
    await channel.stored(sessionId, withText(line('lia@example.org', nobody)));
    assert.equal((await lines()).length, 4);
  });

  it('the AI answers the sender only', async () => {
    stage.write({
      from: 'jo@example.org',
      text: 'What is Talkboard?',
      headers: ['Cc: kay@example.org'],
    });
    const { raw, to } = await sent('jo@example.org');
    assert.deepEqual([to, headerOf(raw, 'Cc')], [['jo@example.org'], undefined]);
  });

  it('an operator’s reply names and quotes the mail that it answers, in both forms of its text', async () => {
    const { sessionId } = await quiet('dan@example.org');
    const from = 'Dan D <dan@example.org>';
    const first = await receive(sessionId, {
      from,
      text: 'Is it <b>here</b>?\n\nThanks\nDan',
      headers: [date],
    });
    await channel.operatorSays(sessionId, { content: 'Not yet' });
    const ours = headerOf((await sent('dan@example.org')).raw, 'Message-ID')!;
    const thread = [`In-Reply-To: ${ours}`, `References: <${first.id}> ${ours}`];
    const second = await receive(sessionId, { from, text: 'And now?', headers: thread });
    await channel.operatorSays(sessionId, { content: 'Now it is' });
    const answer = await sent('dan@example.org', 2);
    assert.equal(headerOf(answer.raw, 'In-Reply-To'), `<${second.id}>`);
    assert.equal(headerOf(answer.raw, 'References'), `<${first.id}> ${ours} <${second.id}>`);
    assert.equal(headerOf(answer.raw, 'Subject'), 'Re: Order 7');
    assert.match(
      await textOf(answer.raw),
      /^Now it is\n\n-- \nKind regards\n\nDan D <dan@example.org> wrote:\n> And now\?$/,
    );
    // One that quotes an older message answers that one.
    await channel.operatorSays(sessionId, { content: 'About the first', replyToMessageId: first.message.id });
    const older = await sent('dan@example.org', 3);
    assert.equal(headerOf(older.raw, 'In-Reply-To'), `<${first.id}>`);
    assert.equal(headerOf(older.raw, 'References'), `<${first.id}>`);
    const quoted =
      'On Mon, 2 Nov 2026, 10:00 UTC, Dan D <dan@example.org> wrote:\n> Is it <b>here</b>?\n>\n> Thanks\n> Dan';
    assert.equal(await textOf(older.raw), `About the first\n\n-- \nKind regards\n\n${quoted}`);
    const { html } = await PostalMime.parse(older.raw);
    assert.match(html!, /<blockquote[^>]*>Is it &lt;b&gt;here&lt;\/b&gt;\?<br>/);
  });

  it('an AI reply names and quotes the mail that it answers, without its history', async () => {
    const text =
      'What is Talkboard?\n\nOn Mon, 2 Nov 2026 at 10:00, Shop <shop@example.com> wrote:\n> Older words';
    const id = stage.write({
      from: 'Eve <eve@example.org>',
      text,
      headers: [date, 'References: <root@example.org>'],
    });
    const { raw } = await sent('eve@example.org');
    assert.equal(headerOf(raw, 'In-Reply-To'), `<${id}>`);
    assert.equal(headerOf(raw, 'References'), `<root@example.org> <${id}>`);
    assert.equal(headerOf(raw, 'Auto-Submitted'), 'auto-replied');
    const written = await textOf(raw);
    const quoted = 'On Mon, 2 Nov 2026, 10:00 UTC, Eve <eve@example.org> wrote:\n> What is Talkboard?';
    assert.ok(written.endsWith(`-- \nKind regards\n\n${quoted}`), written);
    assert.ok(!written.startsWith('--') && !written.includes('Older words'), written);
  });
});
