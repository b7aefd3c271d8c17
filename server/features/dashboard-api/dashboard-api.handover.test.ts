/** What a removed user has shared with the team stays; what was private goes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

describe('what a removed user has made', () => {
  let service: TestService;
  let kanbanId: string;
  before(async () => {
    service = await joinTestService();
    kanbanId = (await service.call('GET', '/kanbans')).body.items[0].id;
  });
  after(() => service.close());

  interface Person {
    id: string;
    jwt: string;
  }
  const lists = { macros: '/macros', replies: '/saved-replies', views: '/saved-views' };
  type Kind = keyof typeof lists;
  const bodies: { [kind in Kind]: () => object } = {
    macros: () => ({ steps: [{ type: 'resolve' }] }),
    replies: () => ({ text: 'Good morning' }),
    views: () => ({ kanbanId, settings: {} }),
  };
  const create = async ({ jwt: token }: Person, kind: Kind, name: string, shared: boolean) => {
    const body = { name, shared, ...bodies[kind]() };
    const { status, text } = await service.call('POST', lists[kind], { token, body });
    assert.equal(status, 201, text);
  };
  const createAll = async (owner: Person, name: string) => {
    for (const kind of Object.keys(lists) as Kind[]) {
      await create(owner, kind, `${name} shared`, true);
      await create(owner, kind, `${name} private`, false);
    }
  };
  /** Those whose name begins so, with their owners, as a user sees them. */
  const seenBy = async ({ jwt: token }: Person, name: string) => {
    const seen: [string, string, string][] = [];
    for (const [kind, path] of Object.entries(lists)) {
      const query = kind === 'views' ? `?kanbanId=${kanbanId}` : '';
      const { body } = await service.call('GET', path + query, { token });
      for (const item of body.items as Json[])
        if (item.name.startsWith(name)) seen.push([kind, item.name, item.ownerId]);
    }
    return seen;
  };
  const sharedOf = (name: string, owner: Person) =>
    Object.keys(lists).map((kind) => [kind, `${name} shared`, owner.id]);
  const remove = async ({ id }: Person, token: string) => {
    const { status, text } = await service.call('DELETE', `/users/${id}`, { token });
    assert.equal(status, 200, text);
  };

  it('stays if it was shared: who removed the user owns it', async () => {
    const [gone, colleague, remover] = [
      await service.createUser('operator'),
      await service.createUser('operator'),
      await service.createUser('admin'),
    ];
    await createAll(gone, 'One');
    await createAll(colleague, 'Other');
    await remove(gone, remover.jwt);
    assert.deepEqual(await seenBy(colleague, 'One'), sharedOf('One', remover));
    assert.deepEqual(await seenBy(remover, 'One'), sharedOf('One', remover), 'nothing private');
    assert.equal((await seenBy(colleague, 'Other')).length, 6, 'that of others is as it was');
    assert.ok((await seenBy(colleague, 'Other')).every(([, , owner]) => owner === colleague.id));
    await remove(remover, service.admin.jwt);
    assert.deepEqual(
      await seenBy(colleague, 'One'),
      sharedOf('One', { id: service.admin.userId, jwt: '' }),
      'handed over again',
    );
  });

  it('goes to the first administrator if the caller is a token, or removes itself', async () => {
    const first = { id: service.admin.userId, jwt: service.admin.jwt };
    const [byToken, byItself] = [await service.createUser('operator'), await service.createUser('admin')];
    await createAll(byToken, 'Two');
    await createAll(byItself, 'Three');
    await remove(byToken, service.token);
    await remove(byItself, byItself.jwt);
    assert.deepEqual(await seenBy(first, 'Two'), sharedOf('Two', first));
    assert.deepEqual(await seenBy(first, 'Three'), sharedOf('Three', first));
  });
});
