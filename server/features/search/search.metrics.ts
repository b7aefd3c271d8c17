import type { Metrics } from '../../platform/http/metrics.ts';

/** Of search indexes of every kind, also of those of messages. */
export const searchMetrics = ({ ofProcess }: Metrics) => ({
  dropped: ofProcess.counter({
    name: 'talkboard_search_indexes_dropped_total',
    help: 'Search indexes dropped: the least recently used ones beyond the memory budget, or unused ones.',
    labels: ['kind', 'reason'],
  }),
  /** Counts an owner of indexes until the returned function is called. */
  watch(kind: string, read: () => { indexes: number; bytes: number }): () => void {
    const gauge = (name: string, help: string, of: 'indexes' | 'bytes') =>
      ofProcess.watch({ name, help, labels: ['kind'] }, () => ({ labels: { kind }, value: read()[of] }));
    const stops = [
      gauge('talkboard_search_indexes', 'Accounts whose search index is in memory.', 'indexes'),
      gauge('talkboard_search_index_bytes', 'Memory of the search indexes.', 'bytes'),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
});
