import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import { absentId, assertBadRequest, color, createKanban, createRecord } from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

interface Page {
  items: CrmRecord[];
  nextToken: string | null;
}

describe('the list of records', () => {
  let service: TestService;
  let kanban: Kanban;
  let made: CrmRecord[];
  before(async () => {
    service = await joinTestService();
    kanban = await createKanban(service, {
      statuses: [
        { value: 'open', label: 'Open', color },
        { value: 'won', label: 'Won', color },
      ],
    });
    const items = Array.from({ length: 100 }, (_, i) => ({ title: `R${i}`, status: i % 2 ? 'won' : 'open' }));
    for (const half of [items, items.slice(0, 5)]) {
      await service.call('POST', `/crm/records/batch?kanbanId=${kanban.id}`, { body: { items: half } });
    }
    made = (await walk(`kanbanId=${kanban.id}`, 100)).toReversed();
  });
  after(() => service.close());

  const page = async (query: string): Promise<Page> => {
    const answer = await service.call('GET', `/crm/records?${query}`);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.body).sort(), ['items', 'nextToken']);
    return answer.body;
  };
  const walk = async (query: string, limit: number, between: () => Promise<unknown> = async () => {}) => {
    const seen: CrmRecord[] = [];
    let next: string | null = null;
    do {
      const { items, nextToken }: Page = await page(
        `${query}&limit=${limit}${next ? `&nextToken=${next}` : ''}`,
      );
      seen.push(...items);
      next = nextToken;
      await between();
    } while (next);
    return seen;
  };

  it('newest first: createdAt, then id, each record once', () => {
    assert.equal(made.length, 105);
    assert.equal(new Set(made.map((record) => record.recordId)).size, 105);
    for (const [i, record] of made.entries()) {
      const earlier = made[i - 1];
      if (!earlier) continue;
      const inOrder =
        earlier.createdAt < record.createdAt ||
        (earlier.createdAt === record.createdAt && earlier.recordId < record.recordId);
      assert.ok(inOrder, `${i}`);
    }
  });

  it('20 a page by default, 100 at most, and a larger limit counts as 100', async () => {
    assert.equal((await page(`kanbanId=${kanban.id}`)).items.length, 20);
    assert.equal((await page(`kanbanId=${kanban.id}&limit=1`)).items.length, 1);
    assert.equal((await page(`kanbanId=${kanban.id}&limit=100`)).items.length, 100);
    assert.equal((await page(`kanbanId=${kanban.id}&limit=101`)).items.length, 100);
    assert.equal((await page(`kanbanId=${kanban.id}&limit=99999999999999999999`)).items.length, 100);
  });

  it('400 for a limit below 1 or not a whole number', async () => {
    for (const limit of ['0', '-5', '2.5', 'all', '', '1;drop', 'null', 'NaN']) {
      assertBadRequest(await service.call('GET', `/crm/records?limit=${limit}`), /^limit must be/);
    }
  });

  it('nextToken is null on the last page, also when it is exactly full', async () => {
    const last = made.slice(0, 5).toReversed();
    const before = await page(`kanbanId=${kanban.id}&limit=100`);
    assert.ok(before.nextToken);
    const full = await page(`kanbanId=${kanban.id}&limit=5&nextToken=${before.nextToken}`);
    assert.deepEqual(full, { items: last, nextToken: null });
  });

  it('pages of every size show the same records in the same order', async () => {
    for (const size of [1, 7, 35, 104, 105]) {
      const seen = await walk(`kanbanId=${kanban.id}`, size);
      assert.deepEqual(
        seen.map((record) => record.recordId),
        made.toReversed().map((record) => record.recordId),
        `${size}`,
      );
    }
  });

  it('the filters by kanban, status and assigned user hold together', async () => {
    const user = await service.createUser('operator');
    const assignedUserIds = [service.admin.userId, user.id];
    const mine = await createRecord(service, kanban.id, { status: 'won', assignedUserIds });
    const elsewhere = await createRecord(service, (await createKanban(service)).id, { assignedUserIds });
    const ids = async (query: string) => (await page(query)).items.map((record) => record.recordId);
    assert.deepEqual(await ids(`assignedUserId=${user.id}`), [elsewhere.recordId, mine.recordId]);
    assert.deepEqual(await ids(`assignedUserId=${user.id}&kanbanId=${kanban.id}`), [mine.recordId]);
    assert.deepEqual(await ids(`assignedUserId=${user.id}&status=won`), [mine.recordId]);
    assert.deepEqual(await ids(`assignedUserId=${user.id}&kanbanId=${kanban.id}&status=open`), []);
    const won = await walk(`kanbanId=${kanban.id}&status=won`, 10);
    assert.equal(won.length, 53);
    assert.ok(won.every((record) => record.status === 'won'));
    await service.call('DELETE', `/crm/records/${mine.recordId}`);
  });

  it('unknown, malformed and foreign ids in a filter give an empty list; so does a status nobody has', async () => {
    const other = await service.createAccount();
    const theirs = await service.call('POST', '/crm/records', { token: other.token, body: { title: 'X' } });
    const queries = [
      `kanbanId=${absentId}`,
      `kanbanId=${theirs.body.kanbanId}`,
      'kanbanId=no-id',
      'kanbanId=',
      `kanbanId=${kanban.slug}`,
      `assignedUserId=${absentId}`,
      'assignedUserId=no-id',
      'status=nowhere',
      'status=',
      'status=%25',
      `kanbanId=${kanban.id}&status=OPEN`,
    ];
    for (const query of queries) assert.deepEqual(await page(query), { items: [], nextToken: null }, query);
  });

  it('400 for a nextToken that is wrong, altered, shortened, of another query or of another account', async () => {
    const query = `kanbanId=${kanban.id}`;
    const { nextToken } = await page(`${query}&limit=2`);
    assert.ok(nextToken);
    const refuse = async (path: string, token?: string) =>
      assertBadRequest(await service.call('GET', path, token ? { token } : {}), /^nextToken/);
    for (let i = 0; i < nextToken.length; i++) {
      const flipped = nextToken[i] === 'A' ? 'B' : 'A';
      await refuse(
        `/crm/records?${query}&nextToken=${nextToken.slice(0, i)}${flipped}${nextToken.slice(i + 1)}`,
      );
    }
    for (const token of ['', 'x', 'null', nextToken.slice(1), nextToken.slice(0, 20), `${nextToken}A`]) {
      await refuse(`/crm/records?${query}&nextToken=${token}`);
    }
    for (let length = 1; length < nextToken.length; length += 5) {
      await refuse(`/crm/records?${query}&nextToken=${nextToken.slice(0, length)}`);
    }
    await refuse(`/crm/records?nextToken=${nextToken}`);
    await refuse(`/crm/records?${query}&status=open&nextToken=${nextToken}`);
    await refuse(`/crm/records?${query}&assignedUserId=${absentId}&nextToken=${nextToken}`);
    await refuse(`/crm/records?kanbanId=no-id&nextToken=${nextToken}`);
    const other = await service.createAccount();
    await refuse(`/crm/records?${query}&nextToken=${nextToken}`, other.token);
    assert.equal((await page(`${query}&limit=2&nextToken=${nextToken}`)).items.length, 2);
  });

  it('pages stay stable while records are added: no record twice, none of the old ones missed', async () => {
    const before = await walk(`kanbanId=${kanban.id}`, 100);
    let added = 0;
    const seen = await walk(`kanbanId=${kanban.id}`, 10, () =>
      Promise.all(
        Array.from({ length: 4 }, () => createRecord(service, kanban.id, { title: `N${added++}` })),
      ),
    );
    assert.deepEqual(
      seen.map((record) => record.recordId),
      before.map((record) => record.recordId),
    );
    assert.ok(added > 40);
  });

  it('records of one millisecond are paged without loss', async () => {
    const board = await createKanban(service);
    await service.call('POST', `/crm/records/batch?kanbanId=${board.id}`, {
      body: { items: Array.from({ length: 30 }, (_, i) => ({ title: `T${i}` })) },
    });
    const seen = await walk(`kanbanId=${board.id}`, 7);
    assert.equal(new Set(seen.map((record) => record.createdAt)).size, 1, 'a batch has one moment');
    assert.equal(new Set(seen.map((record) => record.recordId)).size, 30);
  });
});
