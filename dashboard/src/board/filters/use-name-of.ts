import { useUsers } from '../../data/queries.ts';
import { useLabels } from '../../labels/label-data.ts';

/** Users and labels by id, for the words of a filter. */
export function useNameOf(): (id: string) => string | null {
  const named = [...useUsers(), ...useLabels()];
  return (id) => named.find((one) => one.id === id)?.name ?? null;
}
