/** What somebody with a role of the account exports, erases and deletes: nothing on boards that are closed to them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { createKanban } from '../../../../test/support/crm.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';

let number = 5_511_940_000_000;

describe('privacy by a role of the account', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let files: Awaited<ReturnType<typeof filesOf>>;
  let openId: string;
  let closedId: string;
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    files = await filesOf(service);
    openId = (await createKanban(service)).id;
    closedId = (await createKanban(service)).id;
    const { id } = await service.createUser('operator');
    await talk.expect(200, call('PUT', `/kanbans/${closedId}/members`, { body: { userIds: [id] } }));
  });
  after(() => service.close());

  const everything = ['privacy.manage', 'conversations.view', 'records.view', 'records.export'];
  const somebodyWith = async (permissions: readonly string[]): Promise<string> => {
    const token = service.admin.jwt;
    const body = { name: unique('Role'), permissions };
    const role = await talk.expect(201, call('POST', '/roles', { token, body }));
    const { id, jwt } = await service.createUser('operator');
    await talk.expect(200, call('PATCH', `/users/${id}`, { token, body: { roleId: role.id } }));
    return jwt;
  };
  const writes = async (externalUserId: string, kanbanId: string) => {
    const sessionId = unique('s');
    await talk.accepted({ sessionId, externalUserId, kanbanId });
    const { contactId, recordId } = await talk.session(sessionId);
    return { sessionId, contactId, recordId };
  };
  const newPerson = () => String(++number);
  /** The names in the archive, and the text of its JSON. */
  const exported = async (contactId: string, token: string) => {
    const answer = await files.fetchFile(`/contacts/${contactId}/export`, {
      authorization: `Bearer ${token}`,
    });
    assert.equal(answer.status, 200);
    const tar = (flags: string) =>
      execFileSync('tar', [flags, '-'], { input: answer.bytes, encoding: 'utf8' });
    return {
      names: tar('-tzf')
        .split('\n')
        .filter((name) => /record|conversation\.json/.test(name)),
      text: tar('-xzOf'),
    };
  };

  it('an export needs the rights to see what it has, and leaves out closed boards', async () => {
    const customer = newPerson();
    const hidden = await writes(customer, closedId);
    const shown = await writes(customer, openId);
    assert.equal(shown.contactId, hidden.contactId);
    const path = `/contacts/${shown.contactId}/export`;
    for (const lacking of ['conversations.view', 'records.export']) {
      const token = await somebodyWith(everything.filter((one) => one !== lacking));
      const refused = await talk.expect(403, call('GET', path, { token }));
      assert.equal(refused.message, `your role lacks the permission ${lacking}`);
    }
    const token = await somebodyWith(everything);
    const part = await exported(shown.contactId, token);
    assert.deepEqual(part.names, ['records/1.json', 'conversations/1/conversation.json']);
    assert.ok(part.text.includes(shown.sessionId) && part.text.includes(shown.recordId));
    assert.ok(!part.text.includes(hidden.sessionId) && !part.text.includes(hidden.recordId));
    const { token: manages } = await service.createToken(service.admin.jwt, { scopes: ['manage'] });
    for (const admin of [service.admin.jwt, manages]) {
      const { text } = await exported(shown.contactId, admin);
      assert.ok(text.includes(hidden.sessionId) && text.includes(hidden.recordId));
    }
    const other = await writes(newPerson(), closedId);
    await talk.expect(404, call('GET', `/contacts/${other.contactId}/export`, { token }));
  });

  it('a card that stayed on a closed board is not in the export', async () => {
    const { sessionId, contactId, recordId } = await writes(newPerson(), closedId);
    await talk.expect(200, call('POST', `/sessions/${sessionId}/transfer`, { body: { kanbanId: openId } }));
    const { names, text } = await exported(contactId, await somebodyWith(everything));
    assert.ok(names.includes('conversations/1/conversation.json'));
    assert.ok(!text.includes(`"id": "${recordId}"`), text);
  });

  it('a person is erased only by somebody who may see all that goes', async () => {
    const token = await somebodyWith(['privacy.manage']);
    const erase = (contactId: string, query = '', by = token) =>
      call('DELETE', `/contacts/${contactId}${query}`, { token: by });
    const customer = newPerson();
    const { contactId, sessionId } = await writes(customer, openId);
    await writes(customer, closedId);
    const refused = await talk.expect(409, erase(contactId));
    assert.match(refused.message, /on boards that are closed to you: ask an administrator/);
    await talk.expect(409, erase(contactId, '?records=keep'));
    await talk.session(sessionId);
    await talk.expect(202, erase(contactId, '', service.admin.jwt));

    await talk.expect(404, erase((await writes(newPerson(), closedId)).contactId));
    await talk.expect(202, erase((await writes(newPerson(), openId)).contactId));

    const moved = await writes(newPerson(), closedId);
    const path = `/sessions/${moved.sessionId}/transfer`;
    await talk.expect(200, call('POST', path, { body: { kanbanId: openId } }));
    await talk.expect(409, erase(moved.contactId));
    // The card stays, but what names the person goes from it.
    await talk.expect(409, erase(moved.contactId, '?records=keep'));
    await talk.expect(202, erase(moved.contactId, '?records=keep', service.admin.jwt));
  });

  it('a conversation on a closed board is not there to be deleted', async () => {
    const token = await somebodyWith(['privacy.manage']);
    const hidden = await writes(newPerson(), closedId);
    const shown = await writes(newPerson(), openId);
    await talk.expect(404, call('DELETE', `/sessions/${hidden.sessionId}`, { token }));
    await talk.session(hidden.sessionId);
    await talk.expect(202, call('DELETE', `/sessions/${shown.sessionId}`, { token }));
    await talk.expect(202, call('DELETE', `/sessions/${hidden.sessionId}`));
  });
});
