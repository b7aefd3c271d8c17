/** The manual order over HTTP, beside lists that are moved in memory. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import {
  absentId,
  assertBadRequest,
  assertNotFound,
  createKanban,
  createRecord,
  eventsOf,
  readRecord,
} from '../../../../test/support/crm.ts';
import { seed } from '../../../../test/support/sample.ts';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

function generator(seed: number) {
  let state = seed >>> 0 || 1;
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const random = generator(seed);

describe('PUT /crm/records/{recordId}/position', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  before(async () => {
    service = await joinTestService();
    second = await service.startSecond();
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  const move = (id: string, body: object, caller = service.call) =>
    caller('PUT', `/crm/records/${id}/position`, { body });
  const moved = async (id: string, body: object) => {
    const answer = await move(id, body);
    assert.equal(answer.status, 200, answer.text);
  };
  const orderOf = async (kanban: Kanban, status: string, caller = service.call, limit = 100) => {
    const ids: string[] = [];
    for (let token = ''; ; ) {
      const page = await caller(
        'GET',
        `/crm/records?kanbanId=${kanban.id}&status=${status}&sort=manual&limit=${limit}${token}`,
      );
      assert.equal(page.status, 200, page.text);
      ids.push(...page.body.items.map((one: { recordId: string }) => one.recordId));
      if (page.body.nextToken === null) return ids;
      token = `&nextToken=${page.body.nextToken}`;
    }
  };
  /** All in one request, so most of them have the same creation time. The newest is first. */
  const fill = async (kanban: Kanban, count: number, status: string): Promise<string[]> => {
    const items = Array.from({ length: count }, (_, i) => ({ title: `${status} ${i}`, status }));
    const { body } = await service.call('POST', `/crm/records/batch?kanbanId=${kanban.id}`, {
      body: { items },
    });
    return body.results.map((one: { record: { recordId: string } }) => one.record.recordId).reverse();
  };
  const twoColumns = async () => {
    const kanban = await createKanban(service);
    const [left, right] = kanban.statuses.map(({ value }) => value) as [string, string];
    return { kanban, left, right };
  };

  it('random moves leave the same order as in memory, on every page and in every process', async () => {
    const { kanban, left, right } = await twoColumns();
    const columns: { [status: string]: string[] } = {
      [left]: await fill(kanban, 12, left),
      [right]: await fill(kanban, 5, right),
    };
    const cards = Object.values(columns).flat();
    for (let step = 0; step < 120; step++) {
      const id = cards[random(cards.length)]!;
      const neighbour = cards[random(cards.length)]!;
      if (id === neighbour) continue;
      const status = columns[left]!.includes(neighbour) ? left : right;
      const isBefore = random(2) === 0;
      await moved(id, { [isBefore ? 'before' : 'after']: neighbour, status });
      for (const [name, list] of Object.entries(columns)) columns[name] = list.filter((one) => one !== id);
      const at = columns[status]!.indexOf(neighbour) + (isBefore ? 0 : 1);
      columns[status]!.splice(at, 0, id);
      if (step % 10 === 0) {
        const created = await createRecord(service, kanban.id, { status: right });
        // A new card comes first, unless a card at the top has the same millisecond.
        const shown = await orderOf(kanban, right);
        assert.deepEqual(
          shown.filter((one) => one !== created.recordId),
          columns[right],
        );
        columns[right] = shown;
        cards.push(created.recordId);
      }
    }
    for (const [status, list] of Object.entries(columns)) {
      assert.deepEqual(await orderOf(kanban, status), list);
      assert.deepEqual(await orderOf(kanban, status, second.call, 3), list);
      const page = await service.call(
        'GET',
        `/kanbans/${kanban.id}/cards?status=${status}&sort=manual&limit=100`,
      );
      assert.deepEqual(
        page.body.items.map((one: { recordId: string }) => one.recordId),
        list,
      );
    }
  });

  it('makes space where hundreds of moves end at the same spot', async () => {
    const { kanban, left } = await twoColumns();
    let list = await fill(kanban, 60, left);
    const top = list[0]!;
    for (let i = 0; i < 160; i++) {
      const last = list.at(-1 - random(5))!;
      await moved(last, { after: top });
      list = [top, last, ...list.slice(1).filter((id) => id !== last)];
    }
    assert.deepEqual(await orderOf(kanban, left), list);
    const [row] = await service.context.db.query<{ places: number; count: number }>(sql`
      select count(distinct (coalesce(place_at, created_at), coalesce(place_id, id)))::int as places,
        count(*)::int as count from records where kanban_id = ${kanban.id}`);
    assert.equal(row!.places, row!.count);
  });

  it('moves at the same time in two processes lose nothing and put each card beside a card', async () => {
    const { kanban, left, right } = await twoColumns();
    const ids = [...(await fill(kanban, 10, left)), ...(await fill(kanban, 10, right))];
    const moves = Array.from({ length: 80 }, (_, i) => {
      const id = ids[random(ids.length)]!;
      const neighbour = ids[random(ids.length)]!;
      const status = random(2) === 0 ? left : right;
      return id === neighbour ? null : { id, body: { after: neighbour, status }, caller: i % 2 };
    });
    const answers = await Promise.all(
      moves.map((one) => one && move(one.id, one.body, one.caller === 0 ? service.call : second.call)),
    );
    for (const answer of answers) if (answer) assert.equal(answer.status, 200, answer.text);
    const shown = [...(await orderOf(kanban, left)), ...(await orderOf(kanban, right))];
    assert.deepEqual([...shown].sort(), [...ids].sort());
    // The last of two moves to the same spot is there.
    const [one, two, anchor] = await fill(kanban, 3, left);
    await Promise.all([move(one!, { after: anchor }), move(two!, { after: anchor }, second.call)]);
    const now = await orderOf(kanban, left);
    const at = now.indexOf(anchor!);
    assert.deepEqual(now.slice(at + 1, at + 3).sort(), [one, two].sort());
  });

  it('repeating a move changes nothing, and a place is neither an event nor an update', async () => {
    const { kanban, left, right } = await twoColumns();
    const [one, two, three] = (await fill(kanban, 3, left)) as [string, string, string];
    const stored = await readRecord(service, three);
    const answer = await move(three, { before: one });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, stored);
    const placeOf = async (id: string) =>
      (
        await service.context.db.query(
          sql`select place_at, place_id, changed_xid::text from records where id = ${id}`,
        )
      )[0];
    const first = await placeOf(three);
    await moved(three, { before: one });
    assert.deepEqual(await placeOf(three), first);
    await moved(one, { after: three });
    await moved(one, { before: two });
    assert.deepEqual(await orderOf(kanban, left), [three, one, two]);
    assert.equal((await eventsOf(service, three)).length, 1);
    await moved(three, { after: two, status: right });
    assert.deepEqual(
      (await eventsOf(service, three)).map(({ fieldId }) => fieldId),
      [null, 'status'],
    );
    assert.deepEqual(await orderOf(kanban, right), [three]);
    const search = await service.call('GET', `/crm/search?kanbanId=${kanban.id}&sort=manual`);
    assert.equal(search.status, 200, search.text);
  });

  it('400 that names the field, 404 for an absent record', async () => {
    const { kanban, left } = await twoColumns();
    const [id, other] = (await fill(kanban, 2, left)) as [string, string];
    const elsewhere = await createRecord(service, (await createKanban(service)).id);
    for (const body of [{}, { before: other, after: other }, { status: left }]) {
      assertBadRequest(await move(id, body), 'exactly one of before and after is required');
    }
    for (const wrong of [absentId, 'x', '', id, elsewhere.recordId, other.toUpperCase()]) {
      assertBadRequest(
        await move(id, { after: wrong }),
        'after must be the id of another record of the same board',
      );
    }
    assertBadRequest(await move(id, { before: other, status: 'nothing' }), /^status must be one of/);
    assertNotFound(await move(absentId, { before: other }));
    assertNotFound(await move('x', { before: other }));
    assertBadRequest(await service.call('GET', '/crm/records?sort=-manual'), /^sort must be/);
    assert.deepEqual(await orderOf(kanban, left), [id, other]);
  });
});
