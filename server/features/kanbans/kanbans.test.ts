import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { assertBadRequest, createKanban } from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('kanbans', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  const list = async (query = ''): Promise<{ items: Kanban[]; nextToken: string | null }> => {
    const answer = await service.call('GET', `/kanbans${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };

  describe('reading', () => {
    it('an account begins with one default kanban of three statuses', async () => {
      const other = await service.createAccount();
      const { body } = await service.call('GET', '/kanbans', { token: other.token });
      assert.equal(body.items.length, 1);
      assert.equal(body.nextToken, null);
      assert.equal(body.items[0].isDefault, true);
      assert.equal(body.items[0].statuses.length, 3);
    });

    it('a kanban has exactly the documented members, its statuses and fields included', async () => {
      const before = Date.now();
      const made = await createKanban(service, { name: 'Shape', description: 'For shape' });
      const kanban = (await service.call('GET', `/kanbans/${made.id}`)).body;
      assert.deepEqual(Object.keys(kanban).sort(), [
        'createdAt',
        'description',
        'fields',
        'id',
        'isDefault',
        'memberIds',
        'name',
        'order',
        'slug',
        'statuses',
        'updatedAt',
      ]);
      assert.equal(kanban.name, 'Shape');
      assert.equal(kanban.slug, 'shape');
      assert.equal(kanban.description, 'For shape');
      assert.equal(kanban.isDefault, false);
      assert.equal(kanban.createdAt, kanban.updatedAt);
      assert.ok(Math.abs(kanban.createdAt - before) < 60_000, 'createdAt is now in ms');
      for (const status of kanban.statuses) {
        assert.deepEqual(Object.keys(status).sort(), ['color', 'label', 'value']);
        assert.match(status.color, /^#[0-9a-f]{6}$/);
      }
    });

    it('the list and the single answer show the same kanban', async () => {
      const made = await createKanban(service);
      const listed = (await list('?limit=100')).items.find((one) => one.id === made.id);
      assert.deepEqual(listed, (await service.call('GET', `/kanbans/${made.id}`)).body);
      assert.deepEqual(listed, made);
    });

    it('a kanban is found by its slug', async () => {
      const made = await createKanban(service, { name: 'Found by slug' });
      assert.deepEqual((await service.call('GET', '/kanbans/found-by-slug')).body, made);
    });

    it('an id wins over a slug', async () => {
      const first = await createKanban(service);
      await createKanban(service, { slug: first.id });
      assert.equal((await service.call('GET', `/kanbans/${first.id}`)).body.id, first.id);
    });

    it('boards are listed by order, then by name', async () => {
      const other = await service.createAccount();
      const make = (name: string, order: number) =>
        service.call('POST', '/kanbans', { token: other.token, body: { name, order } });
      await make('Zeta', 5);
      await make('Beta', 7);
      await make('Alpha', 7);
      await make('Omega', -1);
      const { body } = await service.call('GET', '/kanbans', { token: other.token });
      const names = body.items.map((kanban: Kanban) => kanban.name);
      assert.deepEqual(names, ['Omega', 'Sales', 'Zeta', 'Alpha', 'Beta']);
    });
  });

  describe('pages', () => {
    it('50 boards a page by default, 100 at most, and a larger limit counts as 100', async () => {
      const other = await service.createAccount();
      for (let i = 1; i <= 101; i++) {
        await service.call('POST', '/kanbans', { token: other.token, body: { name: `B${i}` } });
      }
      const page = async (query: string) =>
        (await service.call('GET', `/kanbans${query}`, { token: other.token })).body;
      assert.equal((await page('')).items.length, 50);
      assert.equal((await page('?limit=100')).items.length, 100);
      const largest = await page('?limit=100000');
      assert.equal(largest.items.length, 100);
      const rest = await page(`?limit=100000&nextToken=${largest.nextToken}`);
      assert.equal(rest.nextToken, null);
      const seen = new Set([...largest.items, ...rest.items].map((kanban: Kanban) => kanban.id));
      assert.equal(seen.size, 102);
    });

    it('400 for a limit below 1 or not a whole number', async () => {
      for (const limit of ['0', '-1', '1.5', 'ten', '']) {
        assertBadRequest(await service.call('GET', `/kanbans?limit=${limit}`), /^limit must be/);
      }
    });

    it("400 for a nextToken that is altered, shortened, of another account or of another list's", async () => {
      await createKanban(service);
      await createKanban(service);
      const { nextToken } = await list('?limit=1');
      assert.ok(nextToken);
      const other = await service.createAccount();
      const flipped = (nextToken.startsWith('A') ? 'B' : 'A') + nextToken.slice(1);
      for (const token of [flipped, nextToken.slice(0, -1), `${nextToken}=`, 'x', '%20']) {
        assertBadRequest(await service.call('GET', `/kanbans?nextToken=${token}`), /nextToken/);
      }
      assertBadRequest(await service.call('GET', `/kanbans?accessible=true&nextToken=${nextToken}`));
      assertBadRequest(await service.call('GET', `/crm/records?nextToken=${nextToken}`));
      assertBadRequest(
        await service.call('GET', `/kanbans?nextToken=${nextToken}`, { token: other.token }),
        /nextToken/,
      );
      assert.equal((await list(`?limit=1&nextToken=${nextToken}`)).items.length, 1);
    });
  });
});
