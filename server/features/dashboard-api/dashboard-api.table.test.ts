import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

describe('a board as a table', () => {
  let service: TestService;
  let call: TestService['call'];
  let board: Json;
  let operator: Json;
  const idOf = (name: string): string => board.fields.find((field: Json) => field.name === name).id;
  const rows = (query = '') => call('GET', `/kanbans/${board.id}/table-rows${query}`);
  const summary = (query = '') => call('GET', `/kanbans/${board.id}/table-summary${query}`);
  const titles = ({ body }: { body: Json }) => body.items.map((one: Json) => one.title);

  before(async () => {
    service = await joinTestService();
    ({ call } = service);
    operator = await service.createUser('operator');
    const made = await call('POST', '/kanbans', {
      body: {
        name: 'Sales',
        statuses: [
          { value: 'open', label: 'Open', color: '#112233' },
          { value: 'won', label: 'Won', color: '#223344' },
        ],
        fields: [
          { name: 'Amount', type: 'currency' },
          { name: 'Hours', type: 'number' },
          { name: 'City', type: 'select', options: ['Oslo', 'Lima'] },
          { name: 'Paid', type: 'boolean' },
        ],
      },
    });
    board = made.body;
    const [amount, hours, city, paid] = ['Amount', 'Hours', 'City', 'Paid'].map(idOf) as [
      string,
      string,
      string,
      string,
    ];
    const both = [service.admin.userId, operator.id];
    for (const body of [
      { title: 'A', customFields: { [amount]: 10, [hours]: 1, [city]: 'Lima', [paid]: true } },
      { title: 'B', status: 'won', customFields: { [amount]: 5, [city]: 'Oslo' }, assignedUserIds: both },
      { title: 'C', customFields: { [amount]: 1.5, [paid]: false }, assignedUserIds: [operator.id] },
      { title: 'D', customFields: { [hours]: 4, [city]: 'Lima' } },
    ]) {
      assert.equal((await call('POST', `/crm/records?kanbanId=${board.id}`, { body })).status, 201);
    }
  });
  after(() => service.close());

  it('rows are read by position, filtered, sorted and by group', async () => {
    assert.deepEqual(titles(await rows()), ['D', 'C', 'B', 'A']);
    const middle = await rows('?first=2&limit=2');
    assert.deepEqual([titles(middle), middle.body.total], [['C', 'B'], 4]);
    assert.deepEqual(titles(await rows('?first=5')), []);
    assert.deepEqual(titles(await rows(`?sort=${idOf('Amount')}`)), ['C', 'B', 'A', 'D']);
    const filter = encodeURIComponent(JSON.stringify({ field: idOf('Amount'), op: 'gt', value: 2 }));
    const lima = await rows(`?filter=${filter}&groupBy=${idOf('City')}&group=Lima&sort=title`);
    assert.deepEqual([titles(lima), lima.body.total], [['A'], 1]);
    assert.deepEqual(titles(await rows(`?groupBy=${idOf('City')}&group=`)), ['C']);
    assert.deepEqual(titles(await rows(`?groupBy=${idOf('Paid')}&group=false`)), ['C']);
    assert.deepEqual(titles(await rows(`?groupBy=assignedUserIds&group=${operator.id}`)), ['C', 'B']);
    assert.deepEqual(titles(await rows('?groupBy=status&group=won')), ['B']);
  });

  it('counts and sums are of everything that matches, by group in the order of the board', async () => {
    const [amount, hours] = [idOf('Amount'), idOf('Hours')];
    const groups = async (query: string) =>
      (await summary(query)).body.groups.map((one: Json) => [one.value, one.count, one.totals]);
    const all = await summary(`?sumFieldIds=${amount},${hours}`);
    assert.deepEqual(all.body, { count: 4, totals: { [amount]: 16.5, [hours]: 5 }, groups: [] });
    assert.deepEqual(await groups(`?groupBy=${idOf('City')}&sumFieldIds=${amount}`), [
      ['Oslo', 1, { [amount]: 5 }],
      ['Lima', 2, { [amount]: 10 }],
      [null, 1, { [amount]: 1.5 }],
    ]);
    assert.deepEqual(await groups(`?groupBy=${idOf('Paid')}`), [
      ['true', 1, {}],
      ['false', 1, {}],
      [null, 2, {}],
    ]);
    assert.deepEqual(await groups('?groupBy=status&q=B'), [['won', 1, {}]]);
    const people = await groups('?groupBy=assignedUserIds');
    const counts = new Map(people.map(([value, count]: [string, number]) => [value, count]));
    assert.deepEqual(
      [counts.get(operator.id), counts.get(service.admin.userId), counts.get(null!)],
      [2, 1, 2],
    );
  });

  it('a wrong group, sum or position is a 400 that names it', async () => {
    for (const [path, name] of [
      ['table-rows?group=Oslo', 'groupBy'],
      [`table-rows?groupBy=${idOf('Amount')}`, 'groupBy'],
      [`table-rows?groupBy=${idOf('Paid')}&group=maybe`, 'group'],
      ['table-rows?first=0', 'first'],
      ['table-rows?sort=nothing', 'sort'],
      [`table-summary?sumFieldIds=${idOf('City')}`, 'sumFieldIds'],
      ['table-summary?groupBy=title', 'groupBy'],
    ]) {
      const { status, body } = await call('GET', `/kanbans/${board.id}/${path}`);
      assert.equal(status, 400, path);
      assert.match(body.message, new RegExp(name!), path);
    }
    await call('PUT', `/kanbans/${board.id}/members`, { body: { userIds: [service.admin.userId] } });
    for (const path of ['table-rows', 'table-summary']) {
      const { status } = await call('GET', `/kanbans/${board.id}/${path}`, { token: operator.jwt });
      assert.equal(status, 404, path);
    }
  });
});
