import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

const week = [{ day: 1, from: '09:00', to: '17:00' }];

describe('business hours', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const create = (body: object, token?: string) =>
    call('POST', '/business-hours', {
      body: { name: 'Support', timeZone: 'UTC', week, ...body },
      ...(token && { token }),
    });
  const list = async (): Promise<Json[]> => (await talk.expect(200, call('GET', '/business-hours'))).items;

  it('an account begins with a default that closes nothing; another one can take its place', async () => {
    const [first, ...others] = await list();
    assert.deepEqual([first!.isDefault, first!.week.length, others], [true, 7, []]);
    assert.deepEqual(first!.week[6], { day: 7, from: '00:00', to: '24:00' });
    const hours = await talk.expect(
      201,
      create({ name: ' Sales ', isDefault: true, timeZone: 'europe/lisbon' }),
    );
    assert.deepEqual(hours, {
      id: hours.id,
      name: 'Sales',
      isDefault: true,
      timeZone: 'Europe/Lisbon',
      week,
      closedDates: [],
      names: {},
    });
    assert.deepEqual((await call('GET', `/business-hours/${hours.id}`)).body, hours);
    assert.deepEqual(
      (await list()).filter(({ isDefault }) => isDefault),
      [hours],
    );
    const path = `/business-hours/${hours.id}`;
    assert.equal((await call('PATCH', path, { body: { isDefault: false } })).status, 400);
    const used = await call('DELETE', path);
    assert.deepEqual([used.status, used.body.code], [409, 'IN_USE']);
    await talk.expect(200, call('PATCH', `/business-hours/${first!.id}`, { body: { isDefault: true } }));
    await talk.expect(200, call('DELETE', path));
    assert.equal((await call('GET', path)).status, 404);
    const operator = await service.createUser('operator');
    assert.equal((await create({}, operator.jwt)).status, 403);
    assert.equal((await call('GET', '/business-hours', { token: operator.jwt })).status, 200);
    const log = await talk.expect(
      200,
      call('GET', '/audit-log?targetType=business_hours', { token: service.admin.jwt }),
    );
    assert.deepEqual(
      log.items.map(({ action }: Json) => action),
      ['deleted', 'updated', 'created'].map((word) => `business_hours.${word}`),
    );
  });

  it('closed dates have names, which leave with them', async () => {
    const closedDates = ['2027-12-25', '2027-01-01'];
    const names = { '2027-12-25': ' Christmas ', '2027-01-01': '' };
    const { id, ...made } = await talk.expect(201, create({ closedDates, names }));
    assert.deepEqual(made.closedDates, ['2027-01-01', '2027-12-25']);
    assert.deepEqual(made.names, { '2027-12-25': 'Christmas' });
    const path = `/business-hours/${id}`;
    const wrong = await call('PATCH', path, { body: { names: { '2027-05-01': 'Labour day' } } });
    assert.deepEqual(
      [wrong.status, wrong.body.message],
      [400, 'names has 2027-05-01, which is not one of closedDates'],
    );
    const after = await talk.expect(200, call('PATCH', path, { body: { closedDates: ['2027-01-01'] } }));
    assert.deepEqual(after.names, {});
    for (const [body, message] of [
      [{ week: [{ day: 1, from: '10:00', to: '09:00' }] }, 'week[0].to must be after from'],
      [{ closedDates: ['2027-02-30'] }, 'closedDates[0] is not a date'],
      [{ name: ' ' }, 'name is required'],
    ] as const) {
      const refused = await call('PATCH', path, { body });
      assert.deepEqual([refused.status, refused.body.message], [400, message]);
    }
  });

  it('409 IN_USE names the channels and teams that refer to them', async () => {
    const { id } = await talk.expect(201, create({ name: 'Shared' }));
    const channel = await talk.channel({ hoursId: id });
    const team = await talk.expect(201, call('POST', '/teams', { body: { name: 'Hours', hoursId: id } }));
    assert.deepEqual([channel.hoursId, team.hoursId], [id, id]);
    const refused = await call('DELETE', `/business-hours/${id}`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'IN_USE']);
    assert.deepEqual(refused.body.usedBy, [
      { type: 'channel', id: channel.id, name: channel.name },
      { type: 'team', id: team.id, name: 'Hours' },
    ]);
    assert.equal(refused.body.message, `the business hours are used by channel ${channel.name}, team Hours`);
    for (const path of [`/channels/${channel.id}`, `/teams/${team.id}`]) {
      const unknown = await call('PATCH', path, { body: { hoursId: channel.id } });
      assert.deepEqual(
        [unknown.status, unknown.body.message],
        [400, `hoursId has unknown business hours: ${channel.id}`],
      );
      assert.equal((await talk.expect(200, call('PATCH', path, { body: { hoursId: null } }))).hoursId, null);
    }
    await talk.expect(200, call('DELETE', `/business-hours/${id}`));
  });

  it('hours of a widget are those that its channel refers to; writing them gives it its own', async () => {
    const { id } = await talk.expect(201, create({ name: 'Everybody', closedDates: ['2027-01-01'] }));
    const channel = await talk.channel({ type: 'web', hoursId: id });
    const path = `/channels/${channel.id}/widget`;
    const patch = (body: object) => talk.expect(200, call('PATCH', path, { body }));
    const read = () => talk.expect(200, call('GET', path));
    const shared = { timeZone: 'UTC', week, closedDates: ['2027-01-01'] };
    assert.deepEqual([(await read()).hours, (await read()).hoursId], [shared, id]);
    // What it has read it may send back.
    assert.equal((await patch({ hours: shared, hoursId: id })).hoursId, id);
    const own = await patch({ hours: { ...shared, timeZone: 'Europe/Lisbon' } });
    assert.notEqual(own.hoursId, id);
    assert.equal((await talk.expect(200, call('GET', `/channels/${channel.id}`))).hoursId, own.hoursId);
    assert.equal((await list()).find((one) => one.id === own.hoursId)!.name, channel.name);
    assert.equal((await list()).find((one) => one.id === id)!.timeZone, 'UTC');
    const again = await patch({ hours: { ...shared, week: [] } });
    assert.deepEqual([again.hoursId, again.hours.week], [own.hoursId, []]);
    const disagree = await call('PATCH', path, { body: { hours: { ...shared, week: [] }, hoursId: id } });
    assert.equal(disagree.status, 400);
    // Its own go with the reference, unless something else uses them.
    assert.deepEqual([(await patch({ hoursId: id })).hours, (await list()).length], [shared, 3]);
    await patch({ hours: null });
    assert.deepEqual([(await read()).hours, (await read()).hoursId], [null, null]);
    await patch({ hours: { ...shared, timeZone: 'Asia/Tokyo' } });
    await talk.expect(200, call('DELETE', `/channels/${channel.id}`));
    assert.equal(
      (await list()).some(({ timeZone }) => timeZone === 'Asia/Tokyo'),
      false,
    );
  });

  it('public holidays of a country, in its language or another one', async () => {
    const holidays = (query: string) => call('GET', `/business-hours/holidays?${query}`);
    const { items } = await talk.expect(200, holidays('country=br&year=2027&language=en'));
    assert.deepEqual(items[0], { date: '2027-01-01', name: "New Year's Day" });
    assert.ok(items.some(({ date }: Json) => date === '2027-09-07'));
    const own = await talk.expect(200, holidays('country=BR&year=2027'));
    assert.equal(own.items.find(({ date }: Json) => date === '2027-12-25').name, 'Natal');
    assert.equal((await holidays('country=ZZ&year=2027')).status, 400);
    const { items: countries } = await talk.expect(200, call('GET', '/business-hours/countries'));
    assert.ok(countries.some(({ code, name }: Json) => code === 'PT' && name === 'Portugal'));
  });
});
