/** The databases of an instance and the accounts that move between them (docs/cells.md). */
import { type Static, Type } from 'typebox';
import { choice, nullable } from './shapes/values.ts';

const moveStates = ['copying', 'checking', 'waiting', 'closing', 'done', 'abandoned'] as const;

export const Cell = Type.Object({
  name: Type.String({ description: '`home` is the database of DATABASE_URL.' }),
  accounts: Type.Number(),
  weight: Type.Number({ description: 'New accounts are spread in proportion to it.' }),
  drained: Type.Boolean({ description: 'Whether it takes no new accounts.' }),
  status: choice(['ok', 'unavailable']),
});
export type Cell = Static<typeof Cell>;

export const AccountMove = Type.Object({
  id: Type.String(),
  accountId: Type.String(),
  from: Type.String(),
  to: Type.String(),
  state: choice(moveStates),
  rowsCopied: Type.Number(),
  rowsTotal: Type.Number(),
  detail: nullable(Type.String({ description: 'What it waits for, or why it was abandoned.' })),
  closedMs: nullable(Type.Number({ description: 'How long writes of the account waited.' })),
  startedAt: Type.Number(),
  endedAt: nullable(Type.Number()),
});
export type AccountMove = Static<typeof AccountMove>;

export const CellOverview = Type.Object({
  cells: Type.Array(Cell),
  moves: Type.Array(AccountMove, {
    description: 'Those under way, then the last ones, at most 50. `talkboard account move` starts one.',
  }),
});
export type CellOverview = Static<typeof CellOverview>;
