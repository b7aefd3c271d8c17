/** The widget in a real Chromium, on a site of another origin. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sql } from '../../server/platform/db/sql.ts';
import { seriousViolations } from '../support/accessibility.ts';
import { clip } from '../support/audio.ts';
import { type Conversations, conversationsOf, unique } from '../support/conversations.ts';
import { eventually } from '../support/eventually.ts';
import { scriptPayloads } from '../support/script-payloads.ts';
import type { Json } from '../support/service.ts';
import { type SiteVisitor, startWidget, type WidgetStage } from '../support/widget.ts';

const cutMs = process.env.TEST_FULL === '1' ? 20_000 : 2_000;
const maxLoaderBytes = 5 * 1024;

describe('the widget', () => {
  let stage: WidgetStage;
  let talk: Conversations;
  before(async () => {
    stage = await startWidget();
    talk = conversationsOf(stage.service);
  });
  after(() => stage.close());

  const latestSession = async (): Promise<Json> => {
    const { items } = await talk.expect(200, stage.service.call('GET', '/sessions?limit=1'));
    return items[0];
  };
  const shows = (visitor: SiteVisitor, text: string) =>
    visitor.chat.getByText(text, { exact: true }).last().waitFor();

  it('is under 5 KB before it is opened, and loads nothing else', async () => {
    for (const [coding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const answer = await stage.service.app.inject({
        url: `/widget.js?channel=${stage.channelId}`,
        headers: { 'accept-encoding': coding },
      });
      assert.equal(answer.headers['content-encoding'], coding);
      assert.ok(answer.rawPayload.length < maxLoaderBytes, `${answer.rawPayload.length} bytes by ${coding}`);
      assert.match(unpack(answer.rawPayload).toString(), /Talkboard/);
    }
    const visitor = await stage.visit();
    const fetched: string[] = [];
    visitor.page.on('request', (request) => fetched.push(request.url()));
    await visitor.page.reload();
    await visitor.page.getByRole('button', { name: 'Open chat' }).waitFor();
    assert.equal(fetched.filter((url) => url.startsWith(stage.base)).length, 1, fetched.join('\n'));
    await visitor.close();
  });

  it('the assistant answers, a person takes over, the network is cut: nothing missing, nothing twice, in order', async () => {
    const visitor = await stage.visit();
    await visitor.open();
    await visitor.chat.getByText('The assistant answers right away').waitFor();
    await visitor.say('What is Talkboard?');
    await visitor.chat.locator('.message.assistant:not(.greeting):not(.typing)').first().waitFor();
    const { sessionId, channelId } = await latestSession();
    await talk.pause(sessionId);
    await talk.expect(201, talk.operatorSays(channelId, sessionId, { content: 'A person here' }));
    await shows(visitor, 'A person here');
    await visitor.chat.getByText('from the team is here').waitFor();

    await visitor.context.setOffline(true);
    await visitor.say('written offline 1');
    await visitor.say('written offline 2');
    for (const index of [1, 2, 3]) {
      await talk.expect(201, talk.operatorSays(channelId, sessionId, { content: `said meanwhile ${index}` }));
    }
    await new Promise((resolve) => setTimeout(resolve, cutMs));
    assert.ok(
      !(await visitor.texts()).some((text) => text.startsWith('said meanwhile')),
      'the network was not cut',
    );
    await visitor.say('written offline 3');
    await visitor.context.setOffline(false);
    await shows(visitor, 'said meanwhile 3');
    await eventually(async () => (await visitor.chat.locator('.pending').count()) === 0, 15_000);
    await talk.expect(201, talk.operatorSays(channelId, sessionId, { content: 'after it all' }));
    await shows(visitor, 'after it all');

    const stored = (await talk.messages(sessionId)).filter(({ role }) => role !== 'system');
    const shown = await visitor.texts();
    assert.deepEqual(
      shown.map((text) => text.replace(/\s+/g, ' ')),
      stored.map(({ content }) => content.replace(/\s+/g, ' ')),
    );
    const own = shown.filter((text) => text.startsWith('written offline'));
    assert.deepEqual(own, ['written offline 1', 'written offline 2', 'written offline 3']);
    await eventually(async () =>
      (await talk.messages(sessionId)).every(({ role, status }) => role !== 'operator' || status === 'read'),
    );

    // Another visit: the history is there, and only once.
    await visitor.page.reload();
    await visitor.open();
    await shows(visitor, 'after it all');
    assert.deepEqual(await visitor.texts(), shown);
    assert.deepEqual(
      visitor.errors().filter((text) => !/ERR_INTERNET_DISCONNECTED|WebSocket/.test(text)),
      [],
    );
    await visitor.close();
  });

  it('what was written offline survives that the page is left', async () => {
    const visitor = await stage.visit();
    await visitor.open();
    await visitor.say('before');
    await eventually(async () => (await visitor.chat.locator('.pending').count()) === 0);
    await visitor.context.route('**/widget/messages', (route) => route.abort());
    await visitor.say('kept for later');
    await visitor.chat.locator('.pending').waitFor();
    await visitor.context.unroute('**/widget/messages');
    await visitor.page.reload();
    await visitor.open();
    const { sessionId } = await latestSession();
    await eventually(async () => {
      const messages = await talk.messages(sessionId);
      return messages.filter(({ content }) => content === 'kept for later').length === 1;
    });
    await visitor.close();
  });

  it('a reaction is seen on the other side, a picture is sent and shown', async () => {
    const visitor = await stage.visit();
    await visitor.open();
    await visitor.say('hello');
    await eventually(async () => (await visitor.chat.locator('.pending').count()) === 0);
    const { sessionId, channelId } = await latestSession();
    await talk.pause(sessionId);
    await talk.operatorSays(channelId, sessionId, { content: 'react to me' });
    const answer = visitor.chat.locator('.message.human').last();
    await answer.hover();
    await answer.getByRole('button', { name: 'React', exact: true }).click();
    await answer.getByRole('button', { name: '👍' }).click();
    await eventually(async () => (await talk.messages(sessionId)).at(-1)!.reactions.join() === '👍');
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const picker = visitor.chat.locator('input[type=file]');
    await picker.setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png });
    const picture = visitor.chat.locator('.picture img');
    await picture.waitFor();
    await eventually(() =>
      picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth === 1),
    );
    await visitor.close();
  });

  it('files wait for a first message, a refused one says why and does not hold up what follows', async () => {
    const visitor = await stage.visit();
    await visitor.open();
    const picker = visitor.chat.locator('input[type=file]');
    const file = (bytes: number) => ({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.alloc(bytes, 'x'),
    });
    for (const name of ['Attach a file', 'Record a voice message']) {
      await visitor.chat.getByRole('button', { name }).click();
      await visitor.chat.getByText('Write a message first, then you can send files.').waitFor();
    }
    await visitor.say('hello');
    await eventually(async () => (await visitor.chat.locator('.pending').count()) === 0);
    assert.equal(await visitor.chat.getByText('Write a message first').count(), 0);
    await picker.setInputFiles(file(10 * 1024 * 1024 + 1));
    await visitor.chat.getByText('This file is too large: 10 MB is the limit.').waitFor();
    const { sessionId } = await latestSession();
    const { db } = stage.service.context;
    await db.transaction((tx) =>
      tx.query(sql`
        insert into widget_upload_usage (account_id, subject, day, bytes)
        values (${stage.service.admin.accountId}, ${`visitor/${sessionId}`}, (now() at time zone 'utc')::date,
          ${50 * 1024 * 1024})`),
    );
    await picker.setInputFiles(file(5));
    await visitor.chat.getByText('Files cannot be sent right now.').waitFor();
    await visitor.say('after the file');
    await eventually(async () =>
      (await talk.messages(sessionId)).some(({ content }) => content === 'after the file'),
    );
    await visitor.close();
  });

  it('a person has a round mark, and a recording alone shows its length and nothing else', async () => {
    const { service } = stage;
    const visitor = await stage.visit();
    await visitor.open();
    await visitor.say('Please call me');
    await eventually(async () => (await visitor.chat.locator('.pending').count()) === 0);
    const { sessionId, channelId } = await latestSession();
    await talk.pause(sessionId);
    // As a browser records it: the file does not say how long it is.
    const recording = clip('order.webm');
    const at = recording.indexOf(Buffer.from([0x44, 0x89, 0x88]));
    assert.ok(at > 0);
    recording.set([0xec, 0x89], at);
    const file = { fileName: 'voice.webm', contentType: 'audio/webm', size: recording.length };
    const upload = await talk.expect(200, service.call('POST', '/messages/upload', { body: file }));
    const { pathname, search } = new URL(upload.uploadUrl);
    const put = await service.call('PUT', pathname + search, {
      token: null,
      body: recording,
      headers: { 'content-type': 'audio/webm' },
    });
    assert.equal(put.status, 200, put.text);
    const said = await talk.operatorSays(channelId, sessionId, {
      attachments: [{ fileKey: upload.fileKey, ...file }],
    });
    assert.equal(said.status, 201, said.text);
    const message = visitor.chat.locator('.message.human');
    await message.getByText('0:03').waitFor();
    const mark = (await message.locator('.author .mark').boundingBox())!;
    assert.deepEqual([mark.width, mark.height], [20, 20]);
    const bubble = (await message.locator('.bubble').boundingBox())!;
    const voice = (await message.getByRole('group', { name: 'Voice message' }).boundingBox())!;
    assert.ok(bubble.height <= voice.height + 16, `${bubble.height} around ${voice.height}`);
    await visitor.close();
  });

  it('shows the pages that a reply is based on, as links', async () => {
    const { service } = stage;
    const token = service.admin.jwt;
    const [source] = (await talk.expect(200, service.call('GET', '/knowledge/sources', { token }))).items;
    const body = {
      sourceId: source.id,
      title: 'Opening the vault',
      text: 'The vault opens at noon.',
      state: 'published',
    };
    const { id } = await talk.expect(201, service.call('POST', '/knowledge/documents', { token, body }));
    await service.context.db.transaction((tx) =>
      tx.query(sql`update knowledge_documents set url = 'https://example.com/vault' where id = ${id}`),
    );
    const visitor = await stage.visit();
    await visitor.open();
    await visitor.say('When does the vault open?');
    const pages = visitor.chat.getByRole('list', { name: 'Sources' });
    const link = pages.getByRole('link', { name: 'Opening the vault' });
    await link.waitFor();
    assert.equal(await link.getAttribute('href'), 'https://example.com/vault');
    assert.equal(await link.getAttribute('target'), '_blank');
    await visitor.close();
  });

  it('of more than 60 payloads as message, name, file name and link none runs', async () => {
    assert.ok(scriptPayloads.length >= 60);
    const { service } = stage;
    const operator = await service.createUser('admin');
    const visitor = await stage.visit();
    await visitor.open();
    await visitor.say(scriptPayloads[0]!);
    await eventually(async () => (await visitor.chat.locator('.pending').count()) === 0);
    const { sessionId, channelId } = await latestSession();
    await talk.pause(sessionId);
    const files: Json[] = [];
    for (const payload of scriptPayloads) {
      const upload = await talk.expect(
        200,
        service.call('POST', '/messages/upload', {
          body: { fileName: payload, contentType: 'text/plain', size: 5 },
        }),
      );
      const { pathname, search } = new URL(upload.uploadUrl);
      const put = await service.call('PUT', pathname + search, {
        token: null,
        body: Buffer.from('hello'),
        headers: { 'content-type': 'text/plain' },
      });
      assert.equal(put.status, 200, put.text);
      files.push({ fileKey: upload.fileKey, fileName: payload, contentType: 'text/plain', size: 5 });
    }
    for (const [index, payload] of scriptPayloads.entries()) {
      await service.call('PATCH', `/users/${operator.id}`, { body: { name: payload.slice(0, 200) } });
      const said = await service.call('POST', `/channels/${channelId}/sessions/${sessionId}/agent-messages`, {
        token: operator.jwt,
        body: { content: `${payload}\n[link](${payload})`, attachments: [files[index]] },
      });
      assert.equal(said.status, 201, said.text);
    }
    await eventually(async () => (await visitor.chat.locator('.message.human').count()) >= 30, 20_000);
    const last = scriptPayloads.at(-1)!;
    await visitor.chat.locator('.message.human').last().getByText(last).first().waitFor();
    for (const link of await visitor.chat.locator('.text a').all()) {
      assert.match((await link.getAttribute('href')) ?? '', /^https:\/\/example\.com\//);
    }
    for (const frame of visitor.page.frames()) {
      assert.equal(await frame.evaluate('window.pwned ?? false'), false, frame.url());
    }
    assert.equal(await visitor.chat.locator('script:not([src]):not([type="application/json"])').count(), 0);
    assert.equal(
      await visitor.chat.locator('.messages :is(img[src=x], iframe, object, embed, form, style)').count(),
      0,
    );

    // And as the channel's own name and greeting, in the loader, the frame and the preview.
    for (const payload of scriptPayloads.slice(0, 10)) {
      await service.call('PATCH', `/channels/${channelId}/widget`, {
        body: { title: payload.slice(0, 60), greeting: payload },
      });
      const other = await stage.visit();
      await other.open();
      await other.chat.locator('.greeting', { hasText: payload }).waitFor();
      for (const frame of other.page.frames())
        assert.equal(await frame.evaluate('window.pwned ?? false'), false);
      await other.close();
    }
    await service.call('PATCH', `/channels/${channelId}/widget`, { body: { title: '', greeting: '' } });
    await visitor.close();
  });

  it('is not shown by a site that is not named, and says so to its developer', async () => {
    const channel = await talk.channel({ type: 'web' });
    await stage.service.call('PATCH', `/channels/${channel.id}/widget`, {
      body: { allowedOrigins: ['https://elsewhere.example'] },
    });
    const visitor = await stage.visit({ channel: channel.identifier });
    await visitor.page.getByRole('button', { name: 'Open chat' }).click();
    await eventually(() => visitor.page.frames().some((frame) => frame.url().startsWith('chrome-error:')));
    assert.ok(visitor.errors().some((text) => text.includes('frame-ancestors')));
    await visitor.close();
  });

  it('the frame has no origin: nothing stored, no cookie, no way into the dashboard', async () => {
    const visitor = await stage.visit();
    await visitor.open();
    const frame = visitor.page.frames().find((one) => one.url().includes('/widget/frame'))!;
    assert.equal(await frame.evaluate('window.origin'), 'null');
    assert.match(
      String(
        await frame.evaluate('(() => { try { return localStorage.length } catch (e) { return e.name } })()'),
      ),
      /SecurityError/,
    );
    assert.match(
      String(
        await frame.evaluate(`fetch('${stage.base}/auth/me').then(() => 'read', (error) => error.name)`),
      ),
      /TypeError/,
    );
    await visitor.close();
  });

  it('works by keyboard, and axe finds nothing serious, in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const visitor = await stage.visit({ colorScheme });
      const send = Promise.withResolvers<void>();
      await visitor.context.route('**/widget/messages', async (route) => {
        if (route.request().method() === 'POST') await send.promise;
        await route.continue();
      });
      await visitor.page.getByRole('button', { name: 'Open chat' }).focus();
      await visitor.page.keyboard.press('Enter');
      const box = visitor.chat.getByRole('textbox', { name: 'Write a message' });
      await box.waitFor();
      // The frame has a process of its own: its field can be the active one before the keys go to the frame.
      await eventually(() =>
        box.evaluate((one) => one === one.ownerDocument.activeElement && one.ownerDocument.hasFocus()),
      );
      await visitor.page.keyboard.type('by hand');
      await visitor.page.keyboard.press('Enter');
      await shows(visitor, 'by hand');
      const frame = visitor.page.frames().find((one) => one.url().includes('/widget/frame'))!;
      const violations = () => seriousViolations(frame as unknown as SiteVisitor['page']);
      assert.equal(await visitor.chat.locator('.pending').count(), 1);
      assert.deepEqual(await violations(), [], 'while it is being sent');
      send.resolve();
      await visitor.chat.locator('.pending').waitFor({ state: 'detached' });
      assert.deepEqual(await violations(), []);
      await visitor.page.keyboard.press('Escape');
      await visitor.page.getByRole('button', { name: 'Open chat' }).waitFor();
      await visitor.close();
    }
  });

  it('speaks the language of the site', async () => {
    for (const [language, opens, writes] of [
      ['pt-BR', 'Abrir o chat', 'Escreva uma mensagem'],
      ['es', 'Abrir el chat', 'Escribe un mensaje'],
    ]) {
      const visitor = await stage.visit({ attributes: `data-language="${language}"` });
      await visitor.page.getByRole('button', { name: opens }).click();
      await visitor.chat.getByRole('textbox', { name: writes }).waitFor();
      await visitor.close();
    }
  });

  it('two tabs of one visitor show the same', async () => {
    const visitor = await stage.visit();
    await visitor.open();
    const text = unique('in both tabs');
    await visitor.say(text);
    await eventually(async () => (await visitor.chat.locator('.pending').count()) === 0);
    const second = await visitor.context.newPage();
    await second.goto(visitor.page.url());
    await second.getByRole('button', { name: 'Open chat' }).click();
    await second.frameLocator('iframe').getByText(text).waitFor();
    await visitor.close();
  });
});
