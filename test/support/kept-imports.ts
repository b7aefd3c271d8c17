/** Stored imports from a client's point of view. */
import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { eventually } from './eventually.ts';
import type { Json, TestService } from './service.ts';

let boards = 0;

export function keptImportsOf(service: TestService) {
  const at = (id: string, rest = '') => `/crm/imports/${id}${rest}`;
  const get = async (id: string): Promise<Json> => (await service.call('GET', at(id))).body;
  const upload = (
    file: string | Buffer,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) =>
    service.call('POST', `/crm/imports?${new URLSearchParams(query)}`, {
      body: file,
      headers: { 'content-type': 'text/csv', ...headers },
    });

  return {
    /** With statuses and fields that have Portuguese and English names. */
    async createBoard() {
      const { body } = await service.call('POST', '/kanbans', {
        body: {
          name: `Import ${++boards}`,
          statuses: [
            { value: 'new', label: 'Novo', color: '#112233' },
            { value: 'won', label: 'Ganho', color: '#223344' },
          ],
          fields: [
            { name: 'Valor', type: 'currency' },
            { name: 'Birthday', type: 'date' },
            { name: 'Company', type: 'text' },
            { name: 'Tags', type: 'multiselect', options: ['VIP', 'São Paulo'] },
          ],
        },
      });
      const field = (name: string): string => body.fields.find((one: Json) => one.name === name).id;
      return { id: body.id as string, field };
    },
    async recordsOf(kanbanId: string): Promise<Json[]> {
      const records: Json[] = [];
      for (let token: string | null = ''; token !== null; ) {
        const query: string = `kanbanId=${kanbanId}&limit=100${token && `&nextToken=${token}`}`;
        const page: Json = (await service.call('GET', `/crm/records?${query}`)).body;
        records.push(...page.items);
        token = page.nextToken;
      }
      return records;
    },
    upload,
    async uploaded(file: string | Buffer, query: Record<string, string>): Promise<Json> {
      const answer = await upload(file, query);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },
    get,
    change: (id: string, body: object) => service.call('PATCH', at(id), { body }),
    preview: (id: string, rows = 20) => service.call('GET', at(id, `/preview?rows=${rows}`)),
    start: (id: string) => service.call('POST', at(id, '/start')),
    cancel: (id: string) => service.call('POST', at(id, '/cancel')),
    resume: (id: string) => service.call('POST', at(id, '/resume')),
    remove: (id: string) => service.call('DELETE', at(id)),
    /** Once it is in a final state. */
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
