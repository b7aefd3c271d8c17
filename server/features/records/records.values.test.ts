/**
 * What each field type accepts, rejects and stores. Generated values are compared with a plain oracle for each type.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Field, Kanban } from '../../../contract/crm/kanbans.ts';
import type { BatchResult, CrmRecord } from '../../../contract/crm/records.ts';
import { type FieldType, fieldTypes } from '../../../contract/limits.ts';
import {
  assertBadRequest,
  changeRecord,
  createField,
  createKanban,
  createRecord,
  readRecord,
} from '../../../test/support/crm.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

const day = 86_400_000;

describe('values of custom fields', () => {
  let service: TestService;
  let kanban: Kanban;
  const fields = {} as Record<FieldType, Field>;
  before(async () => {
    service = await joinTestService();
    kanban = await createKanban(service);
    for (const type of fieldTypes) fields[type] = await createField(service, kanban.id, type);
  });
  after(() => service.close());

  const put = (record: CrmRecord, type: FieldType, value: unknown) =>
    changeRecord(service, record.recordId, { customFields: { [fields[type].fieldId]: value } });

  async function accepts(
    type: FieldType,
    values: unknown[],
    stored = (value: unknown) => value,
  ): Promise<void> {
    const record = await createRecord(service, kanban.id);
    for (const value of values) {
      const answer = await put(record, type, value);
      assert.equal(answer.status, 200, `${JSON.stringify(value)}: ${answer.text}`);
      const { customFields } = await readRecord(service, record.recordId);
      assert.deepEqual(customFields, { [fields[type].fieldId]: stored(value) });
    }
  }

  /** The 400 gives the field's id and name, and the stored value is unchanged. */
  async function refuses(type: FieldType, values: unknown[]): Promise<void> {
    const record = await createRecord(service, kanban.id);
    const { fieldId, name } = fields[type];
    for (const value of values) {
      const answer = await put(record, type, value);
      assert.equal(answer.status, 400, `${JSON.stringify(value)} was taken`);
      assertBadRequest(answer);
      assert.ok(answer.body.message.startsWith(`customFields.${fieldId} (${name}) must be `), answer.text);
    }
    assert.deepEqual(await readRecord(service, record.recordId), record);
  }

  /** Creates a record for each value in one batch and reads back what is stored: undefined if it was rejected. */
  async function store(type: FieldType, values: unknown[]): Promise<unknown[]> {
    const { fieldId } = fields[type];
    const items = values.map((value) => ({ title: 'V', customFields: { [fieldId]: value } }));
    const answer = await service.call('POST', `/crm/records/batch?kanbanId=${kanban.id}`, {
      body: { items },
    });
    assert.equal(answer.status, 200, answer.text);
    const listed = await service.call('GET', `/crm/records?kanbanId=${kanban.id}&limit=100`);
    const byId = new Map(listed.body.items.map((record: CrmRecord) => [record.recordId, record]));
    return answer.body.results.map((result: BatchResult) => {
      if (result.status !== 201) {
        assert.equal(result.status, 400);
        assert.ok(result.message?.includes(fieldId), result.message);
        return undefined;
      }
      return (byId.get(result.record!.recordId) as CrmRecord).customFields[fieldId];
    });
  }

  /** `expected` undefined: must be rejected. */
  const holds = <T>(type: FieldType, arbitrary: fc.Arbitrary<T>, expected: (value: T) => unknown) =>
    fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { minLength: 20, maxLength: 100 }), async (values) => {
        assert.deepEqual(await store(type, values), values.map(expected));
      }),
      { numRuns: runsOf(10), seed },
    );

  const anyJson = fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null && storable(value));

  describe('every type', () => {
    const samples: Record<FieldType, unknown> = {
      text: 'a',
      textarea: 'a\nb',
      number: 0,
      currency: -1.25,
      date: '2026-02-28',
      datetime: 0,
      select: 'red',
      multiselect: [],
      boolean: false,
      email: 'a@example.com',
      phone: '+49 30 1234567',
      url: 'https://example.com',
    };

    it('null clears the value: its key is gone', async () => {
      for (const type of fieldTypes) {
        const customFields = { [fields[type].fieldId]: samples[type] };
        const record = await createRecord(service, kanban.id, { customFields });
        assert.deepEqual((await readRecord(service, record.recordId)).customFields, customFields, type);
        const cleared = await put(record, type, null);
        assert.equal(cleared.status, 200);
        assert.deepEqual(cleared.body.customFields, {});
        assert.deepEqual((await readRecord(service, record.recordId)).customFields, {}, type);
      }
    });

    it('null in a create is no value', async () => {
      const customFields = Object.fromEntries(fieldTypes.map((type) => [fields[type].fieldId, null]));
      assert.deepEqual((await createRecord(service, kanban.id, { customFields })).customFields, {});
    });

    it('an object is a value of no type, nor is a nested array', async () => {
      for (const type of fieldTypes) await refuses(type, [{}, { a: 1 }, [[]], [['red']], [null]]);
    });

    it('an unknown field id is a 400 that names it, whatever the value', async () => {
      const record = await createRecord(service, kanban.id);
      for (const id of ['nope', '', 'constructor', 'toString', 'title', fields.text.fieldId.toUpperCase()]) {
        for (const value of ['x', null]) {
          const answer = await changeRecord(service, record.recordId, { customFields: { [id]: value } });
          assertBadRequest(answer, new RegExp(`^customFields\\.${id} is not a field of this kanban$`));
        }
      }
      const hidden = await changeRecord(service, record.recordId, '{"customFields":{"__proto__":"x"}}');
      assertBadRequest(hidden, /__proto__/);
    });
  });

  describe('text and textarea', () => {
    it('any string is kept as typed, the empty one too', async () => {
      const values = [
        '',
        ' ',
        '  padded  ',
        'line\r\nbreak\u0001',
        "'; drop table records; --",
        '%_\\',
        '\u202eabc',
      ];
      for (const type of ['text', 'textarea'] as const) await accepts(type, values);
    });

    it('generated strings come back character by character', async () => {
      const text = fc.string({ unit: 'binary', maxLength: 60 }).filter(storable);
      for (const type of ['text', 'textarea'] as const) await holds(type, text, (value) => value);
    });

    it('up to 65,536 characters', async () => {
      await accepts('text', ['x'.repeat(65_536)]);
      await refuses('textarea', ['x'.repeat(65_537)]);
    });

    it('only strings', async () => {
      for (const type of ['text', 'textarea'] as const) {
        await holds(type, anyJson, (value) => (typeof value === 'string' ? value : undefined));
      }
    });
  });

  describe('number and currency', () => {
    it('every finite number comes back exactly', async () => {
      const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
      for (const type of ['number', 'currency'] as const) {
        await holds(type, fc.oneof(finite, fc.integer()), (value) => (Object.is(value, -0) ? 0 : value));
        await accepts(type, [0, 1e308, -5e-324, 0.1, Number.MAX_SAFE_INTEGER]);
      }
    });

    it('only numbers, and only finite ones', async () => {
      for (const type of ['number', 'currency'] as const) {
        // JSON has no negative zero.
        await holds(type, anyJson, (value) => (typeof value === 'number' ? value + 0 : undefined));
        const { fieldId } = fields[type];
        const huge = await service.call('POST', `/crm/records?kanbanId=${kanban.id}`, {
          body: `{"title":"X","customFields":{"${fieldId}":1e400}}`,
        });
        assertBadRequest(huge, new RegExp(fieldId));
      }
    });
  });

  describe('boolean', () => {
    it('true and false, and nothing else', async () => {
      await accepts('boolean', [true, false]);
      await refuses('boolean', ['true', '', 0, 1, []]);
      await holds('boolean', anyJson, (value) => (typeof value === 'boolean' ? value : undefined));
    });
  });

  describe('date', () => {
    it('YYYY-MM-DD of a day that the calendar has', async () => {
      const part = (max: number) => fc.integer({ min: 0, max });
      const triple = fc.tuple(part(9_999), part(13), part(32));
      const text = triple.map(([y, m, d]) => ({ y, m, d, text: `${pad(y, 4)}-${pad(m)}-${pad(d)}` }));
      await fc.assert(
        fc.asyncProperty(fc.array(text, { minLength: 50, maxLength: 100 }), async (dates) => {
          const expected = dates.map((date) => (onCalendar(date) ? date.text : undefined));
          assert.deepEqual(
            await store(
              'date',
              dates.map((date) => date.text),
            ),
            expected,
          );
        }),
        { numRuns: runsOf(10), seed },
      );
      await accepts('date', ['2024-02-29', '2000-02-29', '1999-12-31']);
      await refuses('date', ['2026-02-29', '1900-02-29', '2026-04-31']);
    });

    it('no other form', async () => {
      const wrong = ['', '2026-1-1', '26-01-01', '2026/01/01', '01.01.2026', ' 2026-01-01', '2026-01-01\n'];
      await refuses('date', [
        ...wrong,
        '2026-01-01T00:00:00Z',
        '+02026-01-01',
        '２０２６-01-01',
        0,
        1_767_225_600_000,
      ]);
    });
  });

  describe('datetime', () => {
    it('milliseconds are kept; ISO 8601 with an offset is stored as milliseconds', async () => {
      await accepts('datetime', [0, -1, 1_767_225_600_000, 8.64e15, -8.64e15]);
      const moment = fc.integer({ min: -62_167_219_200_000 + day, max: 253_402_300_799_999 - day });
      const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(moment, offset), { minLength: 20, maxLength: 100 }),
          async (pairs) => {
            const texts = pairs.map(([ms, minutes]) => isoAt(ms, minutes));
            assert.deepEqual(
              await store('datetime', texts),
              pairs.map(([ms]) => ms),
            );
          },
        ),
        { numRuns: runsOf(10), seed },
      );
    });

    it('seconds and their fraction may be left out', async () => {
      const base = Date.UTC(2026, 0, 31, 12, 30);
      const texts = ['2026-01-31T12:30Z', '2026-01-31T12:30:00Z', '2026-01-31T12:30:00.000000Z'];
      await accepts('datetime', [...texts, '2026-01-31T14:30+02:00', '2026-01-31T08:30:00-0400'], () => base);
    });

    it('no time without its offset, none that the calendar or the clock does not have', async () => {
      await refuses('datetime', [
        '',
        '2026-01-31',
        '2026-01-31T12:30:00',
        '2026-02-30T12:00:00Z',
        '2026-01-31T25:00:00Z',
        '2026-01-31T12:61:00Z',
        '2026-01-31T12:00:00+25:00',
        '2026-01-31T12:00:00+02:99',
        '2026-01-31 12:30:00Z',
        'Sat, 31 Jan 2026 12:30:00 GMT',
        '1767225600000',
        1.5,
        8.64e15 + 2,
        true,
        [0],
      ]);
    });
  });

  describe('select and multiselect', () => {
    const option = fc.constantFrom('red', 'green', 'blue', 'Red', 'black', '', ' red');
    const known = (value: string) => ['red', 'green', 'blue'].includes(value);

    it('select takes one of the options, as it is written', async () => {
      await holds('select', option, (value) => (known(value) ? value : undefined));
      await refuses('select', ['', 'RED', ['red'], 0, true]);
    });

    it('multiselect takes distinct options in any number and keeps their order', async () => {
      await holds('multiselect', fc.array(option, { maxLength: 4 }), (values) =>
        values.every(known) && new Set(values).size === values.length ? values : undefined,
      );
      await accepts('multiselect', [['blue', 'red'], [], ['green']]);
      await refuses('multiselect', ['red', '', ['red', 'red'], ['red', 1], { 0: 'red' }]);
    });
  });

  describe('email, phone and url', () => {
    it('an e-mail address is checked for its form and kept as typed', async () => {
      const good = [
        'a@b.co',
        'Ada.Lovelace+crm@Example.COM',
        "o'neil@sub.example.org",
        'jürgen@müller.de',
        'x_1@1.io',
      ];
      await accepts('email', good);
      const bad = [
        '',
        ' ',
        'a',
        'a@',
        '@b.co',
        'a@b',
        'a@@b.co',
        'a b@c.co',
        ' a@b.co',
        'a@b.co ',
        'a@b..co',
      ];
      await refuses('email', [
        ...bad,
        'a@.co',
        'a@b.co.',
        'Ada <a@b.co>',
        'a@b.co,c@d.co',
        'mailto:a@b.co',
        5,
      ]);
    });

    it('a phone number is checked for its form and kept as typed', async () => {
      const good = ['+55 11 99999-8888', '5511999998888', '(030) 123.45-67', '+1 (415) 555-0100', '12345'];
      await accepts('phone', [...good, '(+55) 11 99999-8888', '030/1234567']);
      const bad = ['', ' ', 'abc', '+', '1234', '+-() .', '12345x', '+1 415 +555', '5511999998888@c.us'];
      await refuses('phone', [...bad, '1'.repeat(21), '123\n45', 5_511_999_998_888]);
    });

    it('a url is http or https and kept as typed', async () => {
      const good = [
        'http://example.com',
        'HTTPS://Example.com/A?b=c#d',
        'https://1.2.3.4:8080/',
        'https://müller.de',
      ];
      await accepts('url', good);
      const bad = [
        '',
        ' ',
        'example.com',
        '//example.com',
        'ftp://example.com',
        'javascript:alert(1)',
        'https://',
      ];
      const more = [
        'http:/example.com',
        'http:example.com',
        'https://a b.com',
        ' https://a.com',
        'https://a.com\n',
      ];
      await refuses('url', [...bad, ...more, 'mailto:a@b.co', 'data:text/html,x', 'https://[::1', 7]);
    });
  });
});

function storable(value: unknown): boolean {
  const text = JSON.stringify(value);
  return !/\\u(?:0000|[dD][89a-fA-F])/.test(text) && !text.includes('__proto__');
}

function pad(number: number, digits = 2): string {
  return String(number).padStart(digits, '0');
}

function onCalendar({ y, m, d }: { y: number; m: number; d: number }): boolean {
  const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return m >= 1 && m <= 12 && d >= 1 && d <= days[m - 1]!;
}

/** The local time at the offset, formatted by hand: Date can only format UTC. */
function isoAt(ms: number, offsetMinutes: number): string {
  const local = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}`;
}
