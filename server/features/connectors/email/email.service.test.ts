/** E-mail from the mailbox to the conversation and back: a whole service, an IMAP and an SMTP server. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { headerOf, mailboxStage, withText } from '../../../../test/support/providers/mailbox-stage.ts';
import { sampleFiles } from '../../../../test/support/sample-files.ts';
import type { Json } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

describe('e-mail', () => {
  const stage = mailboxStage();
  const { quiet, receive, sent, sentTo, settings, write } = stage;
  let channel: ReturnType<typeof stage.channel>;
  before(() => {
    channel = stage.channel();
  });

  it('is answered by the AI, in its thread and with the quotation', async () => {
    assert.deepEqual(await channel.act('check'), {
      ok: true,
      detail: 'Connected to the mailbox of shop@example.com.',
    });
    const id = write({ from: 'Ada L <Ada@Example.org>', text: 'What is Talkboard?' });
    const sessionId = 'email:ada@example.org';
    const message = await channel.stored(sessionId, withText('What is Talkboard?'));
    assert.deepEqual(message.data.mail, {
      subject: 'Order 7',
      from: { name: 'Ada L', address: 'ada@example.org' },
      to: [{ name: null, address: 'shop@example.com' }],
      cc: [],
      hasHtml: false,
      hasQuoted: false,
      answersTo: [{ name: 'Ada L', address: 'ada@example.org' }],
    });
    const { raw } = await sent('ada@example.org');
    assert.equal(headerOf(raw, 'In-Reply-To'), `<${id}>`);
    assert.equal(headerOf(raw, 'References'), `<${id}>`);
    assert.equal(headerOf(raw, 'Subject'), 'Re: Order 7');
    assert.equal(headerOf(raw, 'Auto-Submitted'), 'auto-replied');
    assert.match(raw, /Ada L <ada@example.org> wrote:\r\n> What is Talkboard\?/);
    const session = await channel.talks.session(sessionId);
    assert.equal(session.externalUserId, 'ada@example.org');
    assert.equal(session.sessionName, 'Ada L');
    const contact = await channel.talks.expect(
      200,
      channel.service.call('GET', `/contacts/${session.contactId}`),
    );
    assert.deepEqual(
      contact.identifiers.map(({ kind, value }: Json) => [kind, value]),
      [['email', 'ada@example.org']],
    );
  });

  it('goes into the conversation of its thread, whoever writes, and otherwise into the sender’s', async () => {
    const { sessionId } = await quiet('cleo@example.org');
    const { id } = await receive(sessionId, { from: 'cleo@example.org', text: 'Is it here?' });
    await channel.operatorSays(sessionId, { content: 'Not yet' });
    const reply = await sent('cleo@example.org');
    const ours = headerOf(reply.raw, 'Message-ID')!;
    const headers = [`In-Reply-To: ${ours}`, `References: <${id}> ${ours}`];
    const { message } = await receive(sessionId, {
      from: 'Dan <dan@example.org>',
      text: 'And now?',
      headers,
    });
    assert.equal(message.data.mail.from.address, 'dan@example.org');
    assert.equal(
      (await channel.talks.messages(sessionId)).find(withText('Not yet'))!.id,
      message.replyToMessageId,
    );
    // The same subject without ids is another thread.
    await receive('email:dan@example.org', { from: 'dan@example.org', text: 'Something else' });
    // The answer goes to the customer; a person decides whether somebody else in the thread gets it.
    assert.deepEqual(message.data.mail.answersTo, [{ name: null, address: 'cleo@example.org' }]);
    const answers = async (content: string) => {
      await eventually(() => sentTo('cleo@example.org').some(({ raw }) => raw.includes(content)));
      return sentTo('cleo@example.org').find(({ raw }) => raw.includes(content))!.to;
    };
    await channel.operatorSays(sessionId, { content: 'Now it is' });
    assert.deepEqual(await answers('Now it is'), ['cleo@example.org']);
    const mail = { to: ['cleo@example.org'], cc: ['dan@example.org'] };
    await channel.operatorSays(sessionId, { content: 'For both', mail });
    assert.deepEqual((await answers('For both')).sort(), ['cleo@example.org', 'dan@example.org']);
    assert.deepEqual((await channel.talks.session(sessionId)).sessionName, null);
  });

  it('folds quoted history away and keeps the original, its HTML and its files', async () => {
    const { sessionId, path } = await quiet('eve@example.org');
    const png = sampleFiles['image/png']!().toString('base64');
    const html =
      '<p>See <b>this</b></p><div class="gmail_quote">On 1 Nov 2026, Shop wrote:<blockquote>Old</blockquote></div>';
    const text = [
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      html,
      '--b',
      'Content-Type: image/png; name="a.png"',
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: attachment; filename="a.png"',
      '',
      png,
      '--b--',
    ].join('\n');
    write({ from: 'eve@example.org', text, type: 'multipart/mixed; boundary=b' });
    const message = await channel.stored(sessionId, withText('See this'));
    assert.deepEqual(
      message.attachments.map(({ fileName, contentType }: Json) => [fileName, contentType]),
      [['a.png', 'image/png']],
    );
    assert.deepEqual([message.data.mail.hasHtml, message.data.mail.hasQuoted], [true, true]);
    const mail = await channel.talks.expect(
      200,
      channel.service.call('GET', `${path}/messages/${message.id}/mail`),
    );
    assert.equal(mail.html.trim(), html);
    assert.match(mail.quotedText, /Shop wrote:\s+Old/);
    const original = await channel.service.call('GET', `${path}/messages/${message.id}/mail/original`);
    assert.equal(original.status, 200);
    assert.match(original.text, /^From: eve@example.org\r\n[\s\S]*--b--/);
    assert.match(String(original.headers['content-disposition']), /attachment/);
    const absent = await channel.service.call('GET', `${path}/messages/${sessionId}/mail`);
    assert.equal(absent.status, 404);
  });

  it('a bounce marks its message as failed; automatic mail is dropped and listed', async () => {
    const { sessionId } = await quiet('fay@example.org');
    await receive(sessionId, { from: 'fay@example.org', text: 'Hello' });
    const id = await channel.operatorSays(sessionId, { content: 'Hello Fay' });
    const reply = await sent('fay@example.org');
    await channel.stored(sessionId, (one) => one.id === id && one.status === 'sent');
    const report = [
      '--r',
      'Content-Type: text/plain',
      '',
      'Sorry.',
      '--r',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example.org',
      '',
      'Final-Recipient: rfc822; fay@example.org',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 No such user',
      '--r',
      'Content-Type: text/rfc822-headers',
      '',
      `Message-ID: ${headerOf(reply.raw, 'Message-ID')}`,
      '--r--',
    ].join('\n');
    const type = 'multipart/report; report-type=delivery-status; boundary=r';
    write({
      from: 'MAILER-DAEMON@mx.example.org',
      text: report,
      type,
      headers: ['Auto-Submitted: auto-replied'],
    });
    const failed = await channel.stored(sessionId, (one) => one.id === id && one.status === 'failed');
    assert.equal(
      failed.statusReason,
      'The e-mail to fay@example.org could not be delivered: 550 5.1.1 No such user',
    );
    write({
      from: 'fay@example.org',
      text: 'I am away',
      subject: 'Away',
      headers: ['Auto-Submitted: auto-replied'],
    });
    await eventually(async () => {
      const { body } = await channel.service.call('GET', `/channels/${channel.id}/connector/log`);
      return body.items.some(
        ({ state, summary, reason }: Json) =>
          state === 'dropped' && /Away/.test(summary) && /Auto-Submitted/.test(reason),
      );
    });
    assert.ok(!(await channel.talks.messages(sessionId)).some(withText('I am away')));
  });

  it('operators set copies and the subject, add files, and forward', async () => {
    const { sessionId, path } = await quiet('gil@example.org');
    const { message } = await receive(sessionId, { from: 'gil@example.org', text: 'A question' });
    const file = await channel.files.upload('application/pdf', sampleFiles['application/pdf']!(), 'bill.pdf');
    const mail = { cc: ['Hal@example.org'], subject: 'Your question' };
    const id = await channel.operatorSays(sessionId, { content: 'An **answer**', attachments: [file], mail });
    const { raw, to } = await sent('gil@example.org');
    assert.deepEqual(to, ['gil@example.org', 'hal@example.org']);
    assert.equal(headerOf(raw, 'Subject'), 'Your question');
    assert.match(raw, /An answer[\s\S]*<b>answer<\/b>[\s\S]*application\/pdf/);
    const shown = await channel.stored(sessionId, (one) => one.id === id && one.status === 'sent');
    assert.deepEqual(shown.data.mail, {
      subject: 'Your question',
      from: { name: 'The shop', address: 'shop@example.com' },
      to: [{ name: null, address: 'gil@example.org' }],
      cc: [{ name: null, address: 'hal@example.org' }],
      hasHtml: false,
      hasQuoted: false,
    });
    const body = { to: ['Ida@example.net'], note: 'Please look' };
    const forwarded = await channel.talks.expect(
      201,
      channel.service.call('POST', `${path}/messages/${message.id}/forward`, { body }),
    );
    const copy = await sent('ida@example.net');
    assert.equal(headerOf(copy.raw, 'Subject'), 'Fwd: Order 7');
    assert.match(
      copy.raw,
      /Please look[\s\S]*Forwarded message[\s\S]*From: gil@example.org[\s\S]*A question/,
    );
    const note = await channel.stored(
      sessionId,
      (one) => one.id === forwarded.message.id && one.status === 'sent',
    );
    assert.deepEqual(
      [note.isNote, note.content, note.data.mail.forwardOf],
      [true, 'Forwarded to ida@example.net\n\nPlease look', message.id],
    );
    assert.equal(sentTo('gil@example.org').length, 1);
  });

  it('an answer to a forwarded mail comes into the conversation, and the next mails of that person too', async () => {
    const { sessionId, path } = await quiet('kim@example.org');
    const { message } = await receive(sessionId, { from: 'kim@example.org', text: 'Who knows this?' });
    const body = { to: ['lea@example.net'] };
    const forward = channel.service.call('POST', `${path}/messages/${message.id}/forward`, { body });
    await channel.talks.expect(201, forward);
    const ours = headerOf((await sent('lea@example.net')).raw, 'Message-ID')!;
    const headers = [`In-Reply-To: ${ours}`, `References: ${ours}`];
    const answer = await receive(sessionId, { from: 'lea@example.net', text: 'I do', headers });
    assert.equal(answer.message.replyToMessageId ?? null, null, 'a note is not quoted');
    assert.equal(answer.message.data.mail.from.address, 'lea@example.net');
    await receive('email:lea@example.net', { from: 'lea@example.net', text: 'Something else of Lea' });
    const { items } = (await channel.service.call('GET', `/channels/${channel.id}/connector/log`)).body;
    const entry = items.find(({ messageId }: Json) => messageId === answer.message.id);
    assert.deepEqual(
      [entry.state, entry.reason],
      ['done', 'stored without the quotation: the quoted message is not shown to the customer'],
    );
  });

  const attention = async (sessionId: string) => (await channel.talks.session(sessionId)).needsAttention;
  const answered = async (sessionId: string) =>
    (await channel.talks.messages(sessionId)).filter(({ role }: Json) => role === 'assistant').length;

  it('a Reply-To that is not the customer’s gets no answer by itself; an operator may choose it', async () => {
    const sessionId = 'email:mia@example.org';
    write({ from: 'mia@example.org', text: 'What is Talkboard?' });
    await sent('mia@example.org');
    const headers = ['Reply-To: thief@example.net'];
    const { message } = await receive(sessionId, { from: 'mia@example.org', text: 'And my order?', headers });
    assert.deepEqual(message.data.mail.replyTo, [{ name: null, address: 'thief@example.net' }]);
    assert.deepEqual(message.data.mail.answersTo, [{ name: null, address: 'mia@example.org' }]);
    assert.equal(await attention(sessionId), true);
    await channel.operatorSays(sessionId, { content: 'For Mia only' });
    await eventually(() => sentTo('mia@example.org').some(({ raw }) => raw.includes('For Mia only')));
    assert.equal(await answered(sessionId), 1, 'the AI answered only the first');
    assert.deepEqual(sentTo('thief@example.net'), []);
    await channel.operatorSays(sessionId, { content: 'Chosen', mail: { to: 'thief@example.net' } });
    const chosen = await sent('thief@example.net');
    assert.deepEqual(chosen.to, ['thief@example.net']);
  });

  it('a new conversation is answered at its Reply-To', async () => {
    write({ from: 'form@example.org', text: 'What is Talkboard?', headers: ['Reply-To: nan@example.org'] });
    await sent('nan@example.org');
    const message = await channel.stored('email:form@example.org', withText('What is Talkboard?'));
    assert.deepEqual(message.data.mail.answersTo, [{ name: null, address: 'nan@example.org' }]);
  });

  it('the AI does not answer somebody else in the thread', async () => {
    const sessionId = 'email:oda@example.org';
    write({ from: 'oda@example.org', text: 'What is Talkboard?' });
    const ours = headerOf((await sent('oda@example.org')).raw, 'Message-ID')!;
    const headers = [`In-Reply-To: ${ours}`];
    await receive(sessionId, { from: 'pat@example.net', text: 'What did Oda write?', headers });
    assert.equal(await attention(sessionId), true);
    write({ from: 'oda@example.org', text: 'And what is a board?' });
    await sent('oda@example.org', 2);
    assert.equal(await answered(sessionId), 2);
    assert.deepEqual(sentTo('pat@example.net'), []);
  });

  it('a mail that fails DMARC is marked and does not continue a conversation by its sender', async () => {
    const connector = { authservId: 'mx.example.com' };
    await channel.talks.expect(
      200,
      channel.service.call('PATCH', `/channels/${channel.id}`, { body: { connector } }),
    );
    const sessionId = 'email:mia@example.org';
    const before = (await channel.talks.messages(sessionId)).length;
    const headers = [
      'Authentication-Results: MX.example.com 1;\n spf=pass (dmarc=pass; x) smtp.mailfrom=x.example;\n dmarc=fail header.from=example.org',
      'Authentication-Results: mx.example.com; dmarc=pass',
    ];
    const forged = 'email:unverified:mia@example.org';
    const { message } = await receive(forged, {
      from: 'mia@example.org',
      text: 'What is Talkboard?',
      headers,
    });
    assert.equal(message.data.mail.isForged, true);
    assert.equal(await attention(forged), true);
    assert.equal((await channel.talks.messages(sessionId)).length, before);
    const [mia, other] = await Promise.all([channel.talks.session(sessionId), channel.talks.session(forged)]);
    assert.notEqual(mia.contactId, other.contactId);
    const passed = [
      'Authentication-Results: mx.example.com; dmarc=pass',
      'Authentication-Results: evil; dmarc=fail',
    ];
    const real = await receive(sessionId, { from: 'mia@example.org', text: 'It is me', headers: passed });
    assert.equal(real.message.data.mail.isForged, undefined);
    assert.equal(await answered(forged), 0);
  });

  it('the AI answers one address at most 5 times in 10 minutes, then a person is asked', async () => {
    const sessionId = 'email:robot@example.org';
    const repeat = async (times: number, first: number) => {
      for (let time = first; time < first + times; time++) {
        write({ from: 'robot@example.org', text: `What is Talkboard? ${time}` });
        await sent('robot@example.org', time);
      }
    };
    await repeat(5, 1);
    const sixth = await receive(sessionId, { from: 'robot@example.org', text: 'What is Talkboard? 6' });
    assert.equal(await attention(sessionId), true);
    const { items } = (await channel.service.call('GET', `/channels/${channel.id}/connector/log`)).body;
    assert.equal(
      items.find(({ messageId }: Json) => messageId === sixth.message.id).reason,
      'not answered by the AI: it has answered this address 5 times in 10 minutes',
    );
    const { db } = channel.service.context;
    const age = (ms: number) =>
      db.autocommit(sql`
        update messages set created_at = created_at - ${ms}::bigint
        where session_id = ${sessionId} and role = 'assistant'`);
    await age(11 * 60_000);
    await repeat(1, 6);
    const body = { connector: { repliesPerDay: 6 } };
    await channel.talks.expect(200, channel.service.call('PATCH', `/channels/${channel.id}`, { body }));
    await age(11 * 60_000);
    const text = 'What is Talkboard? 8';
    const { message } = await receive(sessionId, { from: 'robot@example.org', text });
    const log = (await channel.service.call('GET', `/channels/${channel.id}/connector/log`)).body;
    assert.equal(
      log.items.find(({ messageId }: Json) => messageId === message.id).reason,
      'not answered by the AI: it has answered this address 6 times in a day',
    );
    assert.equal(await answered(sessionId), 6);
    assert.equal(sentTo('robot@example.org').length, 6);
  });

  it('answers that are still being written count too, those that an agent gives together as one', async () => {
    const { sessionId } = await quiet('burst@example.org');
    const { db } = channel.service.context;
    const from = 'burst@example.org';
    for (let mail = 1; mail <= 5; mail++) await receive(sessionId, { from, text: `Burst ${mail}` });
    await db.autocommit(sql`
      insert into pending_replies (account_id, session_id, position, message_id, agent_id, not_before)
      select m.account_id, m.session_id, m.position, m.id, s.agent_id, now() + interval '1 hour'
      from messages m join sessions s using (account_id, session_id)
      where m.session_id = ${sessionId} and m.content like 'Burst %'`);
    const { agentId } = await channel.talks.session(sessionId);
    const batch = (batchWindowMs: number) =>
      channel.talks.expect(
        200,
        channel.service.call('PATCH', `/agents/${agentId}`, { body: { batchWindowMs } }),
      );
    const reasonOf = async (text: string) => {
      const { message } = await receive(sessionId, { from, text });
      const { items } = (await channel.service.call('GET', `/channels/${channel.id}/connector/log`)).body;
      return items.find(({ messageId }: Json) => messageId === message.id).reason;
    };
    await batch(60_000);
    assert.equal(await reasonOf('To an agent that waits'), null);
    await batch(0);
    assert.equal(
      await reasonOf('To one that does not'),
      'not answered by the AI: it has answered this address 0 times in 10 minutes, and 5 more are being written',
    );
    await db.autocommit(sql`delete from pending_replies where session_id = ${sessionId}`);
  });

  it('400 that names what is wrong', async () => {
    const { sessionId, path } = await quiet('jan@example.org');
    const { message } = await receive(sessionId, { from: 'jan@example.org', text: 'Hi' });
    const agentMessages = `/channels/${channel.id}${path}/agent-messages`;
    const forward = `${path}/messages/${message.id}/forward`;
    const base = settings();
    const cases: [string, string, object, RegExp][] = [
      [
        'POST',
        agentMessages,
        { content: 'x', mail: { cc: ['a b'] } },
        /^mail\.cc\[0\] must be an e-mail address/,
      ],
      ['POST', agentMessages, { content: 'x', mail: { cc: [' a@b.co'] } }, /^mail\.cc\[0\] must be/],
      ['POST', agentMessages, { content: 'x', mail: { to: 'a@b@c' } }, /^mail\.to must be an e-mail address/],
      [
        'PATCH',
        `/channels/${channel.id}`,
        { connector: { authservId: 'a b' } },
        /^connector\.authservId must be/,
      ],
      ['POST', forward, { to: ['a\u0001@b.co'] }, /^to\[0\] must be an e-mail address/],
      ['POST', agentMessages, { content: 'x', mail: { subject: 'a\nb' } }, /^mail\.subject must be one line/],
      ['POST', agentMessages, { content: 'x', isNote: true, mail: {} }, /^mail is only supported on replies/],
      ['POST', forward, { to: ['nobody'] }, /^to\[0\] must be an e-mail address/],
      ['POST', forward, { to: [] }, /^to /],
      ['PATCH', `/channels/${channel.id}`, { connector: { imap: { port: 0 } } }, /connector\.imap\.port/],
      [
        'PATCH',
        `/channels/${channel.id}`,
        { connector: { credentials: { imap: 'x' } } },
        /connector\.credentials\.imap/,
      ],
      [
        'PATCH',
        `/channels/${channel.id}`,
        { connector: { smtp: { host: '10.0.0.1' } } },
        /^connector\.smtp\.host must not point to a private/,
      ],
    ];
    for (const [method, url, body, message] of cases) {
      const answer = await channel.service.call(method, url, { body });
      assert.equal(answer.status, 400, `${method} ${url} ${JSON.stringify(body)}: ${answer.text}`);
      assert.match(answer.body.message, message);
    }
    const { defaultAgentId } = await channel.talks.expect(
      200,
      channel.service.call('GET', `/channels/${channel.id}`),
    );
    for (const [connector, message] of [
      [
        { ...base, credentials: { imap: { password: 'x' }, smtp: base.credentials.smtp } },
        'connector.credentials.imap.user is required',
      ],
      [{ ...base, smtp: undefined }, 'connector.smtp is required'],
      [{ ...base, address: 'nobody' }, 'connector.address must be an e-mail address'],
    ] as const) {
      const body = { identifier: 'second', name: 'Second', type: 'email', defaultAgentId, connector };
      const answer = await channel.service.call('POST', '/channels', { body });
      assert.deepEqual([answer.status, answer.body.message], [400, message]);
    }
    const operator = await channel.service.createUser('operator');
    const shown = await channel.service.call('GET', `/channels/${channel.id}`, { token: operator.jwt });
    assert.deepEqual(shown.body.connector, {
      kind: 'email',
      state: 'connected',
      address: 'shop@example.com',
      signature: 'Kind regards',
    });
    const read = JSON.stringify(await channel.connector());
    assert.ok(!read.includes('password') && !read.includes('credentials'), read);
  });
});
