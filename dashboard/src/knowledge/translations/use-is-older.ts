import { useInfiniteQuery } from '@tanstack/react-query';
import { versionsQuery } from '../knowledge-data.ts';

/** Whether what readers see of the original was written after the newest text of its translation. */
export function useIsOlder(originalId: string, translationId: string): boolean {
  const originals = useNewestVersions(originalId);
  const [newest] = useNewestVersions(translationId);
  const inUse = originals.find(({ isPublished }) => isPublished) ?? originals[0];
  return newest !== undefined && inUse !== undefined && newest.createdAt < inUse.createdAt;
}

/** The one in use is among them, unless many drafts followed it. */
const useNewestVersions = (id: string) =>
  useInfiniteQuery(versionsQuery(id)).data?.pages.flatMap(({ items }) => items) ?? [];
