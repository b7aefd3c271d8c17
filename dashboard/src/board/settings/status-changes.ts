/**
 * Changes of a board's columns. The service keeps them as one list, so a change is made to the list of the moment it is
 * sent: what others have changed meanwhile stays. Until the service has answered, that list is shown with the changes: one
 * that is read meanwhile may have the change already.
 */
import { useRef, useState } from 'react';
import type { Kanban, StatusInput } from '../../../../contract/crm/kanbans.ts';
import { api } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { kanbansQuery, keys, useKanbans } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { readAgainIfUnderWay, refresh } from '../../data/refresh.ts';
import { inOrder } from '../../data/store/changes.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';

export interface StatusRow extends StatusInput {
  key: string;
}
export type StatusChange = (rows: readonly StatusRow[]) => StatusRow[];

export const edit =
  (key: string, parts: Partial<StatusRow>): StatusChange =>
  (rows) =>
    rows.map((row) => (row.key === key ? { ...row, ...parts } : row));

export const add =
  (row: StatusRow): StatusChange =>
  (rows) => [...rows, row];

export const remove =
  (key: string): StatusChange =>
  (rows) =>
    rows.filter((row) => row.key !== key);

/** Those that were not there yet come last. */
export function order(inOrder: readonly string[]): StatusChange {
  const placeOf = ({ key }: StatusRow) => (inOrder.includes(key) ? inOrder.indexOf(key) : inOrder.length);
  return (rows) => rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** A column whose cards have to go somewhere before it can be removed. */
interface InUse {
  change: StatusChange;
  /** Those that would stay. */
  rows: StatusRow[];
}

export function useStatusChanges(given: Kanban) {
  const { id } = given;
  const [pending, setPending] = useState<readonly StatusChange[]>([]);
  /** The one that the change under way was made to. */
  const [sentFrom, setSentFrom] = useState<Kanban | null>(null);
  const [inUse, setInUse] = useState<InUse | null>(null);
  /** By the value that the service has given to a new column: its key here, so that its element stays. */
  const newKeys = useRef(new Map<string, string>());
  const boardIn = (boards: readonly Kanban[] = []) => boards.find((one) => one.id === id) ?? given;
  const rowsOf = ({ statuses }: Kanban): StatusRow[] =>
    statuses.map((status) => ({ ...status, key: newKeys.current.get(status.value) ?? status.value }));
  // `given` is rendered later than the end of a change.
  const board = boardIn(useKanbans());

  const send = async (change: StatusChange, moveTo?: string) => {
    const from = boardIn(queryClient.getQueryData(kanbansQuery.queryKey));
    setSentFrom(from);
    const rows = change(rowsOf(from));
    const statuses = rows.map(({ value, label, color }) => ({ ...(value && { value }), label, color }));
    try {
      const saved = await api<Kanban>('PUT', `/kanbans/${id}/statuses`, {
        body: { statuses, ...(moveTo && { moveTo }) },
      });
      for (const [index, { value }] of saved.statuses.entries()) {
        newKeys.current.set(value, rows[index]!.key);
      }
      queryClient.setQueryData(kanbansQuery.queryKey, (boards) =>
        boards?.map((one) => (one.id === id ? saved : one)),
      );
      readAgainIfUnderWay(keys.kanbans);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      return setInUse({ change, rows });
    } finally {
      setPending((list) => list.filter((one) => one !== change));
      setSentFrom(null);
    }
    if (moveTo) {
      setInUse(null);
      void refresh(keys.board(id));
    }
    toast.done(t('boardSettings.statusesSaved'));
  };
  const put = async (change: StatusChange, moveTo?: string) => {
    setPending((list) => [...list, change]);
    try {
      await inOrder(`statuses of ${id}`, () => send(change, moveTo));
    } catch (error) {
      toast.failed(t('boardSettings.failed'), error, () => void put(change, moveTo));
    }
  };
  return {
    /** As they will be when everything is saved. */
    rows: pending.reduce<StatusRow[]>((rows, change) => change(rows), rowsOf(sentFrom ?? board)),
    put: (change: StatusChange) => void put(change),
    inUse: inUse?.rows ?? null,
    keepInUse: () => setInUse(null),
    moveInUse: (to: string) => inUse && void put(inUse.change, to),
  };
}
