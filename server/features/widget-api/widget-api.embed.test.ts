/** Which channel a site's `?channel=` means: nobody can receive the visitors of another account. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressOf } from '../../../test/support/address.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { visitorsOf } from '../../../test/support/visitors.ts';
import { newId } from '../../platform/ids.ts';

describe("the channel of a site's widget", () => {
  let service: TestService;
  let talk: Conversations;
  let visitors: ReturnType<typeof visitorsOf>;
  let attacker: { accountId: string; token: string };
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    visitors = visitorsOf(await addressOf(service.app));
    attacker = await service.createAccount('Attacker');
  });
  after(() => service.close());

  const attack = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, path, { token: attacker.token, body });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const attackersChannel = async (identifier: string): Promise<Json> => {
    const { items } = await attack('GET', '/agents');
    const body = { name: identifier, identifier, type: 'web', defaultAgentId: items[0].id };
    return attack('POST', '/channels', body);
  };
  const change = (channel: Json, body: object) =>
    talk.expect(200, service.call('PATCH', `/channels/${channel.id}`, { body }));
  const remove = (channel: Json) => talk.expect(200, service.call('DELETE', `/channels/${channel.id}`));
  /**
   * The account that would get the visitor; null: none. The same for the script, the frame, the preview and the API.
   */
  const accountOf = async (key: string): Promise<string | null> => {
    const query = `?channel=${encodeURIComponent(key)}`;
    const pages = await Promise.all(
      ['/widget.js', '/widget/frame', '/widget/preview'].map((path) => visitors.get(path + query)),
    );
    const started = await visitors.start(key);
    const statuses = [...pages, started].map(({ status }) => status);
    assert.equal(new Set(statuses).size, 1, `${key}: ${statuses}`);
    if (statuses[0] === 404) return null;
    assert.equal(statuses[0], 200);
    const signed = Buffer.from(started.body.token.slice(4), 'base64url').subarray(32);
    return JSON.parse(signed.toString())[0];
  };

  it('the embed line names the channel by its id', async () => {
    const channel = await talk.channel({ type: 'web' });
    const { scriptUrl } = await talk.expect(200, service.call('GET', `/channels/${channel.id}/widget`));
    assert.ok(scriptUrl.endsWith(`/widget.js?channel=${channel.id}`), scriptUrl);
    assert.equal(await accountOf(channel.id), service.admin.accountId);
  });

  it('an identifier belongs to the account that used it first', async () => {
    const channel = await talk.channel({ type: 'web' });
    const theirs = await attackersChannel(channel.identifier);
    assert.equal(await accountOf(channel.identifier), service.admin.accountId);
    assert.equal(await accountOf(theirs.id), attacker.accountId);
  });

  it('404 after a rename or a deletion, although another account took the identifier', async () => {
    for (const leave of [(one: Json) => change(one, { identifier: unique('renamed') }), remove]) {
      const channel = await talk.channel({ type: 'web' });
      const before = await attackersChannel(channel.identifier);
      await leave(channel);
      assert.equal(await accountOf(channel.identifier), null);
      await attack('DELETE', `/channels/${before.id}`);
      await attackersChannel(channel.identifier);
      assert.equal(await accountOf(channel.identifier), null);
    }
  });

  it('a rename of another channel to the identifier takes nothing over', async () => {
    const channel = await talk.channel({ type: 'web' });
    const theirs = await attackersChannel(unique('innocent'));
    await attack('PATCH', `/channels/${theirs.id}`, { identifier: channel.identifier });
    assert.equal(await accountOf(channel.identifier), service.admin.accountId);
    await change(channel, { identifier: unique('moved') });
    assert.equal(await accountOf(channel.identifier), null);
  });

  it('the old identifier resolves to nobody even when its account uses it again; the id goes on working', async () => {
    const channel = await talk.channel({ type: 'web' });
    const token = await visitors.guest(channel.identifier, unique('before the rename'));
    await change(channel, { identifier: unique('other') });
    await change(channel, { identifier: channel.identifier });
    assert.equal(await accountOf(channel.identifier), null);
    assert.equal(await accountOf(channel.id), service.admin.accountId);
    assert.equal((await visitors.say(token)).status, 202, 'a token is bound to the channel, not to its name');
  });

  it('a change of type ends the name; a channel that becomes a web channel registers its own', async () => {
    const channel = await talk.channel({ type: 'web' });
    await change(channel, { type: 'sms' });
    await attackersChannel(channel.identifier);
    assert.equal(await accountOf(channel.identifier), null);
    const other = await talk.channel({ type: 'sms' });
    assert.equal(await accountOf(other.identifier), null);
    await change(other, { type: 'web' });
    assert.equal(await accountOf(other.identifier), service.admin.accountId);
  });

  it('the id of a deleted channel cannot be used as an identifier', async () => {
    const channel = await talk.channel({ type: 'web' });
    await attackersChannel(channel.id);
    assert.equal(await accountOf(channel.id), service.admin.accountId);
    await remove(channel);
    assert.equal(await accountOf(channel.id), null);
    const later = newId();
    await attackersChannel(later);
    assert.equal(await accountOf(later), null);
  });

  it('identifiers are compared as they are stored: case and composition count', async () => {
    const channel = await talk.channel({ type: 'web', identifier: 'Café-Lisboa' });
    const other = await attackersChannel('café-lisboa');
    const decomposed = 'Café-Lisboa'.normalize('NFD');
    await attackersChannel(decomposed);
    assert.equal(await accountOf(channel.identifier), service.admin.accountId);
    assert.equal(await accountOf(other.identifier), attacker.accountId);
    assert.equal(await accountOf(decomposed), attacker.accountId);
    for (const odd of ['', ' Café-Lisboa', 'CAFÉ-LISBOA']) {
      assert.equal((await visitors.get(`/widget/frame?channel=${encodeURIComponent(odd)}`)).status, 404, odd);
    }
  });

  it('of two accounts that create the same identifier at once, one gets it', async () => {
    const identifier = unique('contested');
    const [own] = await Promise.all([
      talk.channel({ type: 'web', identifier }),
      attackersChannel(identifier),
    ]);
    const winner = await accountOf(identifier);
    assert.ok(winner === service.admin.accountId || winner === attacker.accountId);
    await remove(own);
    assert.equal(await accountOf(identifier), winner === service.admin.accountId ? null : winner);
  });

  it("a visitor's token opens no other channel, and ends with its own", async () => {
    const channel = await talk.channel({ type: 'web' });
    const theirs = await attackersChannel(channel.identifier);
    const token = await visitors.visit(channel.id);
    const continued = await visitors.visit(theirs.id, { token });
    assert.notEqual(sessionIn(continued), sessionIn(token));
    await remove(channel);
    assert.equal((await visitors.say(token)).status, 401);
  });
});

const sessionIn = (token: string): string =>
  JSON.parse(Buffer.from(token.slice(4), 'base64url').subarray(32).toString())[2];
