/** Imports that are kept, as a client uses them. */
import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { eventually } from './eventually.ts';
import type { Json, TestService } from './service.ts';

export function keptImportsOf(service: TestService) {
  const at = (id: string, rest = '') => `/crm/imports/${id}${rest}`;
  const get = async (id: string): Promise<Json> => (await service.call('GET', at(id))).body;
  return {
    upload: (
      file: string | Buffer,
      query: Record<string, string> = {},
      headers: Record<string, string> = {},
    ) =>
      service.call('POST', `/crm/imports?${new URLSearchParams(query)}`, {
        body: file,
        headers: { 'content-type': 'text/csv', ...headers },
      }),
    get,
    change: (id: string, body: object) => service.call('PATCH', at(id), { body }),
    preview: (id: string, rows = 20) => service.call('GET', at(id, `/preview?rows=${rows}`)),
    start: (id: string) => service.call('POST', at(id, '/start')),
    cancel: (id: string) => service.call('POST', at(id, '/cancel')),
    resume: (id: string) => service.call('POST', at(id, '/resume')),
    remove: (id: string) => service.call('DELETE', at(id)),
    /** As soon as it is none of those that go on. */
    async ended(id: string, withinMs = 30_000): Promise<Json> {
      let last: Json;
      await eventually(async () => {
        last = await get(id);
        return last.state !== 'running';
      }, withinMs);
      return last;
    },
    /** By the names of the columns. */
    async results(id: string, only = ''): Promise<{ text: string; rows: Record<string, string>[] }> {
      const answer = await service.call('GET', at(id, `/results${only && `?only=${only}`}`));
      assert.equal(answer.status, 200, answer.text);
      const { separator } = (await get(id)).format;
      const rows = parse(answer.text, { columns: true, bom: true, delimiter: separator });
      return { text: answer.text, rows: rows as Record<string, string>[] };
    },
  };
}
